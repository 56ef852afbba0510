#include "synth/prompt/task_text.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "base/strings.h"
#include "synth/prompt/examples.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {
namespace {

constexpr std::size_t kMostTensors = 150;
constexpr std::size_t kMostText = 400'000;  // bytes of a program, a test, a kernel
constexpr std::size_t kCodeDigits = 16;

// docs/precision.md, for people who write kernels.
struct Closeness {
  ir::DType dtype;
  const char* tolerance;
  int multiple;  // of PyTorch's own error; 0: equal
};
constexpr auto kCloseness = std::to_array<Closeness>({
    {ir::DType::float32, "1e-3", 16},
    {ir::DType::float16, "1e-2", 4},
    {ir::DType::bfloat16, "1e-2", 4},
    {ir::DType::float64, "1e-7", 4096},
});

struct Tier {
  std::string_view name;
  const char* words;
};
constexpr auto kTiers = std::to_array<Tier>({
    {"fp32", "products of float32 operands need full precision: `input_precision=\"ieee\"` or `\"tf32x3\"` in `tl.dot`, never its default"},
    {"tf32", "products of float32 operands may use TF32 (the default of `tl.dot`), as PyTorch's own do here, but nothing coarser"},
    {"half", "operands of products may be rounded to bfloat16, but not what is summed up"},
});

std::string shape_words(const model::TensorType& type) {
  std::string words = fmt::format("{} of shape ({})", ir::to_string(type.dtype), fmt::join(type.shape, ", "));
  if (type.strides) words += fmt::format(" with strides ({})", fmt::join(*type.strides, ", "));
  return words;
}

// "batch = 16, columns = 4096"
std::string sizes_words(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> words;
  for (const auto& [name, size] : sizes) words.push_back(fmt::format("{} = {}", name, size));
  return join(words, ", ");
}

std::string value_words(const model::Attribute& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "the flag True" : "the flag False";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("the number {}", *number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("the number {:g}", *number);
  return "a plain value";
}

std::vector<Values> tensor_rows(const model::Problem& problem) {
  std::vector<Values> rows;
  for (const model::ProblemInput& input : problem.inputs)
    rows.push_back({{"role", "input"}, {"name", input.name}, {"type", input.tensor ? shape_words(*input.tensor) : value_words(input.value)}});
  for (const model::ProblemWeight& weight : problem.weights) {
    const std::string tied = weight.tied_to ? fmt::format(", the same tensor as {}", *weight.tied_to) : std::string();
    rows.push_back({{"role", weight.kind.empty() ? "parameter" : weight.kind}, {"name", weight.argument}, {"type", shape_words(weight.type) + tied}});
  }
  for (const model::TensorType& output : problem.outputs)
    rows.push_back({{"role", "output"}, {"name", output.name.empty() ? "result" : output.name}, {"type", shape_words(output)}});
  if (rows.size() > kMostTensors) {
    const std::size_t more = rows.size() - kMostTensors;
    rows.resize(kMostTensors);
    rows.push_back({{"role", "and"}, {"name", "..."}, {"type", fmt::format("{} more of the same kind", more)}});
  }
  return rows;
}

Result<std::string> tolerance_text(const PromptFiles& files, const Task& task) {
  std::set<ir::DType> seen;
  for (const model::TensorType& output : task.problem.outputs) seen.insert(output.dtype);
  if (seen.empty()) seen.insert(ir::DType::float32);
  std::vector<std::string> tolerances, multiples;
  for (const ir::DType dtype : seen) {
    const auto row = std::find_if(kCloseness.begin(), kCloseness.end(), [&](const Closeness& known) { return known.dtype == dtype; });
    if (row == kCloseness.end()) {
      tolerances.push_back(fmt::format("no difference at all for {}", ir::to_string(dtype)));
    } else {
      tolerances.push_back(fmt::format("rtol = atol = {} for {}", row->tolerance, ir::to_string(dtype)));
      multiples.push_back(fmt::format("{}{}", row->multiple, seen.size() > 1 ? fmt::format(" ({})", ir::to_string(dtype)) : std::string()));
    }
  }
  if (multiples.empty()) multiples.emplace_back("0");
  const std::string wanted = !task.tier.empty() ? task.tier : task.problem.default_tier;
  const auto tier = std::find_if(kTiers.begin(), kTiers.end(), [&](const Tier& known) { return known.name == wanted; });
  return files.render("tolerance.md",
                {{"tolerances", fmt::format("{}", fmt::join(tolerances, ", "))}, {"multiple", fmt::format("{}", fmt::join(multiples, ", "))},
                    {"tier_words", (tier == kTiers.end() ? kTiers[0] : *tier).words}});
}

std::vector<Values> example_rows(const PromptFiles& files, const Task& task) {
  std::vector<Values> rows;
  for (const Example& example : choose_examples(task.operators))
    rows.push_back({{"name", std::string(example.title)}, {"source", files.text(fmt::format("examples/{}.py", example.name))}});
  return rows;
}

}  // namespace

Marks::Marks(std::string_view seed, const std::vector<std::string_view>& texts) {
  Sha256 hash;
  hash.update(seed);
  for (const std::string_view text : texts) hash.update(std::to_string(text.size())).update(":").update(text);
  code_ = hash.hex().substr(0, kCodeDigits);
}

std::string Marks::around(std::string_view name, std::string_view text) const {
  if (text.empty()) return {};
  return fmt::format("[begin {0} {1}]\n{2}{3}[end {0} {1}]", name, code_, text, text.back() == '\n' ? "" : "\n");
}

std::vector<std::string_view> texts_of(const Task& task) { return {task.program, task.description, task.starting_point, task.test}; }

Result<std::string> task_text(const PromptFiles& files, const Task& task, const Marks& marks) {
  const model::Problem& problem = task.problem;
  for (const std::string_view text : texts_of(task))
    if (text.size() > kMostText) return unsupported(fmt::format("a text of {} bytes is too long for a language model; at most {} are sent", text.size(), kMostText));
  KA_ASSIGN(std::string rules, files.render("rules.md", {{"no_cusolver", task.no_cusolver ? "yes" : ""}}));
  KA_ASSIGN(std::string tolerance, tolerance_text(files, task));
  KA_ASSIGN(std::string platform, machine_text(files, task.machine));
  KA_ASSIGN(std::string guidelines, files.render("triton.md", {}));
  return files.render("task.md",
                {{"description", marks.around("description", task.description)},
                 {"program", marks.around("program", task.program)},
                 {"tensors", tensor_rows(problem)},
                 {"structure", problem.structure == "tensor" ? std::string() : problem.structure},
                 {"given_sizes", problem.scaled ? sizes_words(problem.given_sizes) : std::string()},
                 {"random", problem.draws_random ? "yes" : ""},
                 {"updated", join(problem.updates_buffers, ", ")},
                 {"signature", expected_signature(problem, task.entry)},
                 {"rules", std::move(rules)},
                 {"tolerance", std::move(tolerance)},
                 {"platform", std::move(platform)},
                 {"guidelines", std::move(guidelines)},
                 {"examples", example_rows(files, task)},
                 {"starting_point", marks.around("kernel", task.starting_point)},
                 {"time_to_beat", task.seconds_to_beat > 0 ? time_words(task.seconds_to_beat) : std::string()},
                 {"test", marks.around("test", task.test)}});
}

Messages ask_with(const PromptFiles& files, const Marks& marks, std::string question) {
  KA_ASSIGN(std::string system, files.render("system.md", {{"nonce", marks.code()}}));
  return std::vector<llm::Message>{{llm::Role::system, std::move(system)}, {llm::Role::user, std::move(question)}};
}

std::string expected_signature(const model::Problem& problem, std::string_view entry) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) names.push_back(problem.inputs[i].name.empty() ? fmt::format("x{}", i) : problem.inputs[i].name);
  for (const model::ProblemWeight& weight : problem.weights) names.push_back(weight.argument);
  return fmt::format("def {}({}):", entry, fmt::join(names, ", "));
}

}  // namespace ka::prompt

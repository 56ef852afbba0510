#include "pipeline/generated_moves.h"

#include <algorithm>

#include <fmt/format.h>

#include "bridge/captured.h"
#include "pipeline/captured_launches.h"
#include "pipeline/generate.h"

namespace ka::pipeline {
namespace {

// One number of the facts about a GPU, and what it is taken for instead.
struct Variant {
  const char* what;
  double ir::Gpu::* fact;
  double factor;
};
constexpr Variant kVariants[] = {
    {"launches that cost much", &ir::Gpu::launch_seconds, 32},
    {"launches that cost nothing", &ir::Gpu::launch_seconds, 0},
    {"slow memory", &ir::Gpu::bytes, 0.125},
    {"fast memory", &ir::Gpu::bytes, 8},
    {"slow products of float16 parts", &ir::Gpu::three_products, 0.01},
    {"fast products of float16 parts", &ir::Gpu::three_products, 8},
    {"slow gathered products", &ir::Gpu::gathered_products, 0.01},
    {"fast gathered products", &ir::Gpu::gathered_products, 8},
    {"slow half products", &ir::Gpu::half_products, 0.01},
};

struct Written {
  std::string text, what;
  double seconds = 0;  // by the facts as they are
};

Result<Written> written(const graph::Exported& exported, const std::string& precision, const std::string& title, const ir::Gpu& facts, const ir::Gpu& gpu) {
  GenerateChoices choices;
  choices.gpu = facts;
  codegen::GenerateOptions writing;
  writing.precision = precision;
  writing.title = title;
  writing.version = KA_VERSION;
  writing.gpu = facts;
  Generated made;
  KA_TRY(write_kernels(exported, choices, writing, [](const char*, const std::string&) {}, made));
  capture_launches(made, writing.platform);
  const double seconds = partition::cost_of(made.program.graph, made.plan, precision, gpu).seconds;
  return Written{made.file.text, fmt::format("{} launch{}", made.file.launches.size(), made.file.launches.size() == 1 ? "" : "es"), seconds};
}

}  // namespace

std::vector<optimise::Move> generated_moves(const graph::Exported& exported, const std::string& precision, const std::string& title, const ir::Gpu& gpu) {
  std::vector<Written> all;
  const auto add = [&](const ir::Gpu& facts, const std::string& what) {
    Result<Written> one = written(exported, precision, title, facts, gpu);
    if (!one || std::any_of(all.begin(), all.end(), [&](const Written& other) { return other.text == one->text; })) return;
    one->what = fmt::format("the built-in generator's kernels{} ({}, about {})", what, one->what, partition::time_text(one->seconds));
    all.push_back(std::move(*one));
  };
  add(gpu, "");
  for (const Variant& variant : kVariants) {
    ir::Gpu facts = gpu;
    facts.*variant.fact *= variant.factor;
    add(facts, fmt::format(" as for a GPU with {}", variant.what));
  }
  for (const ir::FormRow& form : ir::all_forms()) {
    ir::Gpu facts = gpu;
    if (facts.forms.erase(form.form) == 0) facts.forms.insert(form.form);
    add(facts, fmt::format(" {} the form \"{}\"", gpu.writes(form.form) ? "without" : "in", form.name));
  }
  ir::Gpu all_forms = gpu;
  for (const ir::FormRow& form : ir::all_forms()) all_forms.forms.insert(form.form);
  add(all_forms, " in all forms");
  std::stable_sort(all.begin(), all.end(), [](const Written& a, const Written& b) { return a.seconds < b.seconds; });
  std::vector<optimise::Move> out;
  for (Written& one : all) {
    out.push_back({std::move(one.text), std::move(one.what), "another_kernel"});
    out.back().anew = true;
  }
  return out;
}

Result<std::vector<optimise::Move>> GeneratedFirst::propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) {
  KA_ASSIGN(std::vector<optimise::Move> others, others_.propose(program, state, bottlenecks));
  std::vector<optimise::Move> out;
  if (program.id == 0) out = moves_;
  // Of files that capture nothing yet; the judge refuses those that must not, and the clock those that lose.
  if (Result<std::string> captured = captures_ ? bridge::with_captured_launches(program.text) : Result<std::string>(unsupported("no CUDA")))
    out.push_back({std::move(*captured), "the same kernels, their launches captured as a CUDA graph and replayed", "captured_launches"});
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace ka::pipeline

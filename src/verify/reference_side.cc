#include "verify/reference_side.h"

#include <string.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"

namespace ka::verify {
namespace {

constexpr std::size_t kMaxForeignText = 700;
constexpr std::size_t kMaxGraphBytes = std::size_t{256} << 20;
constexpr std::array kMoreDistributions = {"integers", "true", "false", "masked"};

struct Budget {
  std::int64_t elements = 0, flops = 0;
  bool widths = false;  // whether widths written as literals in classes may shrink too (docs/scaling.md, rule 8)
  bool none = false;    // the given sizes
};
// Tried in this order. What Triton's interpreter does in well under a second (a tile operation costs it some tenths of a
// millisecond), and what it does in some seconds, for programs whose fixed sizes leave no choice. The last two are for whole networks: a call takes
// it up to a minute, which is better than no verdict.
constexpr std::array kInterpreterBudgets = {Budget{std::int64_t{1} << 18, std::int64_t{1} << 25, false},
                                            Budget{std::int64_t{1} << 19, std::int64_t{1} << 26, false},
                                            Budget{std::int64_t{1} << 20, std::int64_t{1} << 27, false},
                                            Budget{std::int64_t{1} << 21, std::int64_t{1} << 28, false},
                                            Budget{std::int64_t{1} << 21, std::int64_t{1} << 28, true},
                                            Budget{std::int64_t{1} << 22, std::int64_t{1} << 29, true},
                                            Budget{std::int64_t{10} << 20, std::int64_t{3} << 29, true},
                                            Budget{std::int64_t{1} << 24, std::int64_t{1} << 31, true}};

// A draw of this size crosses to the candidate and back in some tenths of a second.
constexpr std::array kGpuBudgets = {Budget{std::int64_t{1} << 25, std::int64_t{1} << 40}, Budget{.none = true}};
constexpr std::array kNoBudget = {Budget{.none = true}};

std::span<const Budget> budgets_of(Scale scale) {
  if (scale == Scale::none) return kNoBudget;
  if (scale == Scale::gpu) return kGpuBudgets;
  return kInterpreterBudgets;
}

// Foreign text as part of one line on a terminal: no line ends, no control characters, not too long.
std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return elide_middle(trim(text), kMaxForeignText);
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("signal {} (SIG{})", number, name);
}

Error died(const std::string& path, const bridge::Answer& answer, const bridge::Child& child) {
  switch (answer.end) {
    case bridge::ChildEnd::timed_out:
      return invalid_input(fmt::format("{}: the program did not finish within the time limit (--timeout)", path));
    case bridge::ChildEnd::memory:
      return invalid_input(fmt::format("{}: the program needs more memory than it is given (--memory)", path));
    case bridge::ChildEnd::signalled:
      return invalid_input(fmt::format("{}: the program was killed by {}", path, signal_name(answer.status.signal)));
    case bridge::ChildEnd::garbled:
      return invalid_input(path + ": the program wrote into the channel that carries its results");
    default:
      const std::string said = one_line(child.output_tail());
      return invalid_input(fmt::format("{}: the program ended its own process (exit code {}); it must return{}", path,
                                       answer.status.code, said.empty() ? "" : ". Its last words: " + said));
  }
}

Error load_error(const std::string& path, const Json& answer) {
  const Json error = answer.value("error", Json::object());
  const std::string message = one_line(error.value("message", "its process gave no proper answer; a problem must leave json, socket and "
                                                               "the functions of other modules as they are"));
  const bool has_line = error.contains("line") && error["line"].is_number_integer();
  const std::string where = has_line ? fmt::format("{}:{}", path, error["line"].get<std::int64_t>()) : path;
  const std::string kind = error.value("kind", "");
  if (kind == "internal") return internal_error(where + ": " + message);
  return Error{kind == "cannot_scale" || kind == "not_exportable" ? ErrorKind::unsupported : ErrorKind::invalid_input, where + ": " + message};
}

// The problem's process is foreign: a field of an unexpected type is its doing, not a bug of ours.
Error nonsense(const std::string& path, const Json::exception& error) {
  return invalid_input(fmt::format("{}: the reference process answered nonsense ({})", path, error.what()));
}

Result<Json> ask(bridge::Child& child, const Json& message, std::span<const int> fds, const std::string& path,
                 std::chrono::milliseconds limit, const os::CancelToken& cancel, Json* refusal = nullptr) {
  KA_ASSIGN(bridge::Answer answer, child.ask(message, fds, os::Deadline::in(limit), cancel));
  if (answer.end != bridge::ChildEnd::alive) return died(path, answer, child);
  KA_ASSIGN(Json json, parse_json(answer.text, path));
  if (!json.is_object()) return invalid_input(path + ": the reference process answered nonsense");
  if (!json.value("ok", false)) {
    if (refusal != nullptr) *refusal = json.value("error", Json::object());
    return load_error(path, json);
  }
  return json;
}

std::map<std::string, std::int64_t> sizes_of(const Json& json) {
  std::map<std::string, std::int64_t> sizes;
  if (!json.is_object()) return sizes;
  for (const auto& [name, value] : json.items())
    if (value.is_number_integer()) sizes[name] = value.get<std::int64_t>();
  return sizes;
}

Result<ReferenceFacts> facts_from(const Json& json) {
  FieldReader in(json, "reference");
  ReferenceFacts facts;
  facts.kind = in.required<std::string>("kind");
  facts.structure = in.required<std::string>("structure");
  facts.draws_random = in.required<bool>("draws_random");
  facts.default_tier = in.required<std::string>("default_tier");
  facts.outputs_alias_inputs = in.optional<bool>("outputs_alias_inputs").value_or(false);
  facts.has_contraction = in.optional<bool>("has_contraction").value_or(false);
  facts.updated_buffers = in.optional<std::vector<std::string>>("updates_buffers").value_or(std::vector<std::string>{});
  const Json* inputs = in.required_array("inputs");
  const Json* weights = in.required_array("weights");
  const Json* outputs = in.required_array("outputs");
  const Json* sizes = in.required_object("sizes");
  KA_TRY(in.status());
  for (const Json& item : *inputs) {
    KA_ASSIGN(Argument argument, argument_from_json(item));
    facts.inputs.push_back(std::move(argument));
  }
  for (const Json& item : *weights) {
    facts.weights.push_back({item.value("name", ""), item.value("argument", ""), item.value("kind", "") == "buffer"});
  }
  for (const Json& item : *outputs) {
    KA_ASSIGN(ir::TensorSpec spec, ir::tensor_spec_from_json(item));
    facts.outputs.push_back(std::move(spec));
  }
  facts.init_arguments = json.contains("init_args") ? json["init_args"].dump() : "[]";
  facts.given_sizes = sizes_of(sizes->value("given", Json::object()));
  facts.verified_sizes = sizes_of(sizes->value("verified", Json::object()));
  facts.scaled = sizes->value("scaled", false);
  for (const Json& item : json.value("variants", Json::array())) facts.variants.push_back(item.value("name", ""));
  for (const char* known : kMoreDistributions)
    for (const Json& item : json.value("more_distributions", Json::array()))
      if (item == known) facts.more_distributions.emplace_back(known);
  return facts;
}

// Everything that a draw holds, each descriptor checked against the size of the arena.
Status read_tensors(const Json& answer, Draw& draw) {
  const std::uint64_t size = draw.bytes.bytes().size();
  for (const Json& item : answer.value("inputs", Json::array())) {
    KA_ASSIGN(Argument argument, argument_from_json(item));
    if (argument.tensor) KA_TRY(ir::check_spec(*argument.tensor, size));
    draw.arguments.inputs.push_back(std::move(argument));
  }
  const Json weights = answer.value("weights", Json::object()), buffers = answer.value("buffers_after", Json::object());
  for (const auto& [name, item] : weights.items()) {
    KA_ASSIGN(ir::TensorSpec spec, ir::tensor_spec_from_json(item));
    KA_TRY(ir::check_spec(spec, size));
    draw.arguments.weights[name] = spec;
  }
  for (const auto& [name, item] : buffers.items()) {
    KA_ASSIGN(ir::TensorSpec spec, ir::tensor_spec_from_json(item));
    KA_TRY(ir::check_spec(spec, size, ir::Storage::dense));
    std::string argument = name;  // as a keyword of kernel_function
    std::replace(argument.begin(), argument.end(), '.', '_');
    draw.buffers_after[argument] = spec;
  }
  const auto read_list = [&](const char* name, std::vector<ir::TensorSpec>& into) -> Status {
    if (!answer.contains(name) || answer[name].is_null()) return ok();
    KA_ASSIGN(into, checked_specs(answer[name], size, ir::Storage::dense, std::string("reference ") + name));
    return ok();
  };
  KA_TRY(read_list("outputs", draw.outputs));
  KA_TRY(read_list("outputs64", draw.outputs_wide));
  KA_TRY(read_list("outputs_tier", draw.outputs_tier));
  KA_TRY(read_list("undefined", draw.undefined));
  KA_TRY(read_list("finite64", draw.finite));
  return ok();
}

}  // namespace

ReferenceViews Draw::views(std::size_t output) const {
  ReferenceViews views{view_of(outputs[output], bytes.bytes()), view_of(outputs_wide[output], bytes.bytes()), {}, {}, {}};
  if (output < outputs_tier.size()) views.tier = view_of(outputs_tier[output], bytes.bytes());
  if (output < undefined.size()) views.undefined = view_of(undefined[output], bytes.bytes());
  if (output < finite.size()) views.finite = view_of(finite[output], bytes.bytes());
  return views;
}

ReferenceSide::ReferenceSide(bridge::Child child, ReferenceFacts facts, std::string path,
                             std::chrono::milliseconds limit)
    : child_(std::move(child)), facts_(std::move(facts)), path_(std::move(path)), limit_(limit) {}

Result<ReferenceSide> ReferenceSide::load(const ProblemSource& problem, const ReferenceOptions& options,
                                          bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile source, os::MemoryFile::create("ka_problem"));
  KA_TRY(source.write(problem.text));
  Json message = {{"cmd", "load"},          {"filename", problem.path}, {"mode", problem.mode},
                  {"device", options.device}, {"seed", options.seed},     {"name", nullptr},
                  {"budget", nullptr},      {"single_draw", options.scale == Scale::none || options.exports}};
  if (!problem.object.empty()) message["name"] = problem.object;
  const std::array fds = {source.fd()};
  Budget need{};
  const std::span<const Budget> budgets = budgets_of(options.scale);
  // One process for all of them: what it has found out about a choice of sizes it need not find out again.
  std::optional<bridge::Child> child;
  for (const Budget& budget : budgets) {
    const bool last = &budget == &budgets.back();
    // What was needed at least, as long as the same literals may shrink: smaller budgets need no search.
    if (!last && budget.widths == need.widths && (budget.elements < need.elements || budget.flops < need.flops)) continue;
    message["budget"] = nullptr;
    if (!budget.none)
      message["budget"] = {
          {"elements", budget.elements}, {"flops", budget.flops}, {"widths", budget.widths}, {"single", last}};
    if (!child) {
      KA_ASSIGN(child, interpreter.spawn(options.exports ? "exporter" : "reference", options.sandbox, cancel));
    }
    Json refusal;
    Result<Json> answer = ask(*child, message, fds, problem.path, options.limit, cancel, &refusal);
    if (!answer && !last && answer.error().kind == ErrorKind::unsupported) {
      const auto least = refusal.value("need", std::vector<std::int64_t>{0, 0});
      if (least.size() == 2) need = {least[0], least[1], budget.widths, false};
      continue;
    }
    if (!answer) return answer.error();
    KA_ASSIGN(ReferenceFacts facts, facts_from(*answer));
    return ReferenceSide(std::move(*child), std::move(facts), problem.path, options.limit);
  }
  return internal_error("no budget was tried");
} catch (const Json::exception& error) {
  return nonsense(problem.path, error);
}

Result<GivenDraw> ReferenceSide::draw_given(const DrawRequest& request, const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_given"));
  Json message = {{"cmd", "given_draw"}, {"seed", request.seed}, {"call_seed", request.call_seed}, {"emulate", nullptr}};
  if (request.tier == "tf32" || request.tier == "half") message["emulate"] = request.tier;
  const std::array fds = {file.fd()};
  Result<Json> answer = ask(child_, message, fds, path_, limit_, cancel);
  GivenDraw draw;
  draw.request = request;
  if (!answer) {
    draw.why = draw.unfit = one_line(answer.error().message);
    return draw;
  }
  draw.why = answer->value("why", "");
  if (!draw.why.empty() && answer->value("data", false)) draw.unfit = "its integer inputs could not be drawn: " + draw.why;
  draw.outputs = answer->value("outputs", Json::array()).dump();
  if (draw.why.empty()) {
    KA_TRY(file.seal());
    draw.file = std::move(file);
  }
  for (const char* field : {"ok", "why", "data", "outputs", "rows"}) answer->erase(field);
  draw.arguments = answer->dump();
  return draw;
} catch (const Json::exception& error) {
  return nonsense(path_, error);
}

Result<Draw> ReferenceSide::given_answers(const std::vector<SampledValues>& values, const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile positions, os::MemoryFile::create("ka_positions"));
  KA_ASSIGN(os::MemoryFile arena, os::MemoryFile::create("ka_answers"));
  Json entries = Json::array();
  std::size_t end = 0;
  for (const SampledValues& one : values) {
    entries.push_back({{"output", one.output}, {"count", one.count}, {"positions", end}});
    KA_TRY(positions.write({reinterpret_cast<const char*>(one.positions.data()), one.positions.size()}));
    end += one.positions.size();
  }
  const std::array fds = {positions.fd(), arena.fd()};
  KA_ASSIGN(Json answer, ask(child_, {{"cmd", "given_answers"}, {"values", entries}}, fds, path_, limit_, cancel));
  Draw draw;
  KA_ASSIGN(draw.bytes, arena.map());
  KA_TRY(read_tensors(answer, draw));
  if (draw.outputs.size() != values.size() || draw.outputs_wide.size() != values.size())
    return invalid_input(path_ + ": the reference process returned incomplete outputs");
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const auto* other : {&draw.outputs_wide, &draw.outputs_tier})
      if (i < other->size() && (*other)[i].shape != draw.outputs[i].shape)
        return invalid_input(path_ + ": the reference process returned outputs of different shapes");
  return draw;
} catch (const Json::exception& error) {
  return nonsense(path_, error);
}

Result<std::string> ReferenceSide::source_facts(const os::CancelToken& cancel) {
  KA_ASSIGN(Json answer, ask(child_, {{"cmd", "source"}}, {}, path_, limit_, cancel));
  return answer.dump();
}

Result<std::string> ReferenceSide::syntax_error(const std::string& text, const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_text"));
  KA_TRY(file.write(text));
  const std::array fds = {file.fd()};
  KA_ASSIGN(Json answer, ask(child_, {{"cmd", "parse"}}, fds, path_, limit_, cancel));
  return one_line(answer.value("syntax_error", ""));
} catch (const Json::exception& error) {
  return nonsense(path_, error);
}

Result<std::string> ReferenceSide::compare_refactored(const std::string& text, std::uint64_t seed, std::chrono::milliseconds limit,
                                                      const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_refactored"));
  KA_TRY(file.write(text));
  const std::array fds = {file.fd()};
  KA_ASSIGN(Json answer, ask(child_, {{"cmd", "refactored"}, {"seed", seed}}, fds, path_, std::min(limit, limit_), cancel));
  if (const std::string why = one_line(answer.value("unchecked", "")); !why.empty()) return unsupported(why);
  return one_line(answer.value("difference", ""));
} catch (const Json::exception& error) {
  return nonsense(path_, error);
}

Result<std::string> ReferenceSide::export_graphs(std::span<const std::string> operators, const os::CancelToken& cancel) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_graphs"));
  const std::array fds = {file.fd()};
  const Json message = {{"cmd", "export"}, {"operators", std::vector<std::string>(operators.begin(), operators.end())}};
  KA_TRY(ask(child_, message, fds, path_, limit_, cancel));
  return file.read_all(kMaxGraphBytes);
}

Result<Draw> ReferenceSide::draw(const DrawRequest& request, const os::CancelToken& cancel) try {
  KA_ASSIGN(os::MemoryFile arena, os::MemoryFile::create("ka_reference"));
  Json message = {{"cmd", "draw"},
                  {"seed", request.seed},
                  {"call_seed", request.call_seed},
                  {"distribution", request.distribution},
                  {"variant", nullptr},
                  {"emulate", nullptr}};
  if (!request.variant.empty()) message["variant"] = request.variant;
  if (request.tier != "fp32") message["emulate"] = request.tier;
  const std::array fds = {arena.fd()};
  KA_ASSIGN(Json answer, ask(child_, message, fds, path_, limit_, cancel));

  Draw draw;
  draw.request = request;
  draw.applicable = answer.value("applicable", true);
  draw.why_not = answer.value("why", "");
  if (!draw.applicable) return draw;
  KA_ASSIGN(draw.bytes, arena.map());
  Status read = read_tensors(answer, draw);
  if (!read) return invalid_input(fmt::format("{}: the reference process answered nonsense ({})", path_, read.error().message));
  if (draw.outputs.empty() || draw.outputs.size() != draw.outputs_wide.size())
    return invalid_input(path_ + ": the reference process returned incomplete outputs");
  for (std::size_t i = 0; i < draw.outputs.size(); ++i) {
    for (const auto* other : {&draw.outputs_wide, &draw.outputs_tier, &draw.undefined, &draw.finite})
      if (i < other->size() && (*other)[i].shape != draw.outputs[i].shape)
        return invalid_input(path_ + ": the reference process returned outputs of different shapes");
  }
  return draw;
} catch (const Json::exception& error) {
  return nonsense(path_, error);
}

}  // namespace ka::verify

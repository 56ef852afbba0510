#include "pipeline/generate.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "bridge/captured.h"
#include "graph/operators.h"
#include "ir/misfit.h"
#include "partition/plan.h"
#include "partition/prepare.h"
#include "partition/refactored.h"
#include "pipeline/captured_launches.h"
#include "route/decide.h"

namespace ka::pipeline {
namespace {

// The planned program is executed step by step, every step at full length; a step that looks up elements costs about as much as ten.
constexpr double kMaxExecuted = 5e7, kLookUpCost = 10;
constexpr std::chrono::seconds kExecutionLimit{20};
constexpr std::string_view kInnerEntry = bridge::kCapturedFunction;  // what ModelNew calls; the judge takes kernel_function before ModelNew

// Seconds since the last lap, by name; and events for whoever watches.
class Laps {
 public:
  Laps(std::map<std::string, double>& times, EventLog* log, std::chrono::steady_clock::time_point begin) : times_(times), log_(log), last_(begin) {}
  void start(const char* stage) {
    if (log_ != nullptr) log_->debug(stage, "start");
  }
  void done(const char* stage, const std::string& message) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    times_[stage] += seconds;
    last_ = now;
    if (log_ != nullptr) log_->write({LogLevel::info, stage, "done", message, {{"seconds", seconds}}});
  }

 private:
  std::map<std::string, double>& times_;
  EventLog* log_;
  std::chrono::steady_clock::time_point last_;
};

std::string counted(std::size_t count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

// The constructor part of the problem as the child answers it.
struct Constructor {
  std::vector<std::string> imports, definitions;
  std::string class_text;
};

Result<Constructor> constructor_of(const Json& facts, const std::string& path) {
  if (!facts.contains("constructor"))
    return invalid_input(fmt::format("--emit kernelbench: {}: {}, and ModelNew must be constructed as the problem is", path,
                                     facts.value("no_constructor", "there is no class")));
  const Json& parts = facts["constructor"];
  return Constructor{parts.value("imports", std::vector<std::string>{}), parts.value("definitions", std::vector<std::string>{}),
                     parts.value("class", "")};
}

// The file imports torch and triton itself.
std::vector<std::string> further_imports(const Constructor& constructor) {
  std::vector<std::string> lines;
  for (const std::string& line : constructor.imports) {
    if (line != "import torch" && line != "import triton" && line != "import triton.language as tl") lines.push_back(line);
  }
  return lines;
}

bool is_number(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "layers.0.weight" -> "self.layers[0].weight"
std::string attribute_of(const std::string& name) {
  std::string out = "self";
  for (const std::string& part : split(name, '.')) out += is_number(part) ? fmt::format("[{}]", part) : "." + part;
  return out;
}

// The same, or by name where the constructors assign no such attribute on the way: the keys of a ModuleDict, parts of PyTorch's own layers.
std::string weight_of(const codegen::WeightArgument& weight, const Constructor& constructor) {
  const auto is_assigned = [&](const std::string& part) {
    const std::string text = "self." + part + " =";
    const auto has = [&](const std::string& definition) { return definition.find(text) != std::string::npos; };
    return is_number(part) || has(constructor.class_text) || std::any_of(constructor.definitions.begin(), constructor.definitions.end(), has);
  };
  const std::vector<std::string> parts = split(weight.name, '.');
  if (std::all_of(parts.begin(), parts.end() - 1, is_assigned)) return attribute_of(weight.name);
  return fmt::format("self.get_{}(\"{}\")", weight.is_buffer ? "buffer" : "parameter", weight.name);
}

// `callee`: the function of the file that forward calls.
std::string model_new_text(const Constructor& constructor, const codegen::KernelFile& file, std::string_view callee) {
  std::string out;
  for (const std::string& definition : constructor.definitions) out += "\n\n" + definition + "\n";
  out += "\n\n" + constructor.class_text + "\n";
  std::vector<std::string> given = file.inputs;
  for (const codegen::WeightArgument& weight : file.weights) given.push_back(fmt::format("{}={}", weight.keyword, weight_of(weight, constructor)));
  std::vector<std::string> taken = file.inputs;
  taken.insert(taken.begin(), "self");
  out += fmt::format("\n    def forward({}):\n", fmt::join(taken, ", "));
  const std::string call = fmt::format("        return {}({})", callee, fmt::join(given, ", "));
  constexpr std::size_t kLine = 140;
  if (call.size() <= kLine) return out + call + "\n";
  return out + fmt::format("        return {}(\n            {},\n        )\n", callee, fmt::join(given, ",\n            "));
}

// Elements of all steps at the sizes at which the program is executed here, as far as they can be told.
double cost_of(const graph::Imported& program) {
  std::map<std::string, std::int64_t> sizes = program.scaled;
  for (const ir::SizeSource& size : program.graph.sizes)
    sizes.try_emplace(size.symbol, size.argument < 0 ? ir::evaluate(size.value, sizes).value_or(size.given) : size.given);
  double all = 0;
  for (const ir::Node& node : program.graph.nodes) {
    double one = node.op == "remap" || node.op == "gather" ? kLookUpCost : 1;
    for (const ir::Sym& extent : program.graph.shape(node.outputs[0])) one *= static_cast<double>(ir::evaluate(extent, sizes).value_or(1));
    all += one;
  }
  return all;
}

// Which kernels run side by side, and what that saves.
void explain_launches(Generated& out) {
  for (const std::vector<std::size_t>& launch : out.file.launches) {
    if (launch.size() == 1) continue;
    const double saved = static_cast<double>(launch.size() - 1);
    out.decisions.push_back(fmt::format("kernels {} ({}): side by side in one launch, {} programs each for {} multiprocessors; {} less on the GPU, {} less in Python", fmt::join(launch, ", "),
                                        out.file.kernels[launch[0]], out.file.programs[launch[0]], out.gpu.multiprocessors, partition::time_text(saved * out.gpu.launch_seconds),
                                        partition::time_text(saved * out.gpu.python_launch_seconds)));
  }
  partition::launch_together(out.cost, out.file.launches, out.gpu);
}

// Nothing is built on a plan that computes something else.
Status check_plan(const verify::ProblemSource& problem, ProgramSide& side, std::uint64_t seed, const os::CancelToken& cancel, Generated& out) {
  const Result<partition::Refactored> parts = partition::refactored(out.program.graph, out.plan);
  if (!parts) {
    out.no_refactored = parts.error().message;
    return ok();
  }
  if (cost_of(out.program) > kMaxExecuted) {
    out.no_refactored = "every step of it at full length is too much to be executed";
    return ok();
  }
  const Result<std::string> difference = side.compare_refactored(parts->text, seed, kExecutionLimit, cancel);
  if (!difference && difference.error().kind == ErrorKind::cancelled) return difference.error();
  if (!difference) {  // too slow, too large, a primitive without its text: that is not a difference
    out.no_refactored = difference.error().message;
    return ok();
  }
  if (!difference->empty()) return internal_error(fmt::format("{}: the planned program does not compute what the program computes: {}", problem.path, *difference));
  out.refactored = as_problem(*parts, out, fmt::format("{} as it is planned: one function of plain PyTorch per kernel.", problem.path.substr(problem.path.rfind('/') + 1)));
  return ok();
}

}  // namespace

std::string as_problem(const partition::Refactored& parts, const Generated& made, const std::string& about) {
  std::string out = fmt::format("\"\"\"{}\"\"\"\n\n", about);
  const Json facts = Json::parse(made.facts);
  const Result<Constructor> constructor = constructor_of(facts, "");
  if (!constructor) return out + parts.text;
  for (const std::string& line : constructor->imports) {
    if (line != "import torch" && line != "import torch.nn as nn") out += line + "\n";
  }
  out += parts.text;
  for (const std::string& definition : constructor->definitions) out += "\n\n" + definition + "\n";
  std::string text = constructor->class_text;
  for (std::size_t at = text.find("ModelNew"); at != std::string::npos; at = text.find("ModelNew", at)) text.replace(at, 8, "Model");
  std::vector<std::string> given = parts.inputs, taken = parts.inputs;
  for (const auto& [name, keyword] : parts.weights) given.push_back(fmt::format("{}={}", keyword, attribute_of(name)));
  taken.insert(taken.begin(), "self");
  out += fmt::format("\n\n{}\n\n    def forward({}):\n        return forward({})\n", text, fmt::join(taken, ", "), fmt::join(given, ", "));
  for (const Json& maker : facts["constructor"].value("makers", Json::array())) out += "\n\n" + maker.get<std::string>() + "\n";
  return out;
}

std::string explanation(const Generated& made) {
  std::string out = route::to_text(made.route) + "\n" + ir::to_text(made.program.graph) + "\n" + ir::to_text(made.plan, made.program.graph);
  out += "\n" + partition::to_text(made.cost, made.gpu);
  for (const std::string& decision : made.decisions) out += fmt::format("decided: {}\n", decision);
  for (const std::string& reason : partition::reasons_to_keep(made.program.graph, made.plan, made.cost, made.gpu)) out += reason + "\n";
  for (const ir::FusionRefusal& refusal : made.plan.refusals) {
    const ir::Node& node = made.program.graph.nodes[static_cast<std::size_t>(refusal.node)];
    out += fmt::format("not fused: {} ({}) with kernel {}: {}\n", node.op, node.where, refusal.kernel, refusal.reason);
  }
  for (const partition::AppliedRewrite& applied : made.rewrites)
    out += fmt::format("rewritten{}: {} ({})\n", applied.algebraic ? " (algebraic)" : "", applied.name, applied.where);
  for (const std::string& refusal : made.program.refusals) out += fmt::format("not exported: {}\n", refusal);
  return out;
}

Result<ProgramSide> open_program(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices, bridge::WarmInterpreter& interpreter,
                                 const os::CancelToken& cancel, EventLog* log) {
  if (log != nullptr) log->debug("problem", "start");
  return ProgramSide::open(problem, options, choices.export_cache, interpreter, cancel);
}

Status write_kernels(const graph::Exported& exported, const GenerateChoices& choices, const codegen::GenerateOptions& writing, const Lap& lap, Generated& out) try {
  KA_ASSIGN(out.program, graph::import_program(exported));
  lap("graph", counted(out.program.graph.nodes.size(), "operation"));
  lap("partition", "");
  partition::Simplified simpler = partition::simplified(out.program.graph, choices.algebraic);
  out.rewrites = std::move(simpler.applied);
  out.program.graph = partition::prepared(simpler.graph, writing.precision, choices.gpu, &out.decisions);
  KA_ASSIGN(out.plan, partition::partition(out.program.graph));
  out.gpu = choices.gpu;
  out.cost = partition::cost_of(out.program.graph, out.plan, writing.precision, choices.gpu);
  lap("partition", counted(out.plan.kernels.size(), "kernel"));
  lap("synth", "");
  KA_ASSIGN(out.file, codegen::write_module(out.program.graph, out.plan, writing));
  explain_launches(out);
  lap("synth", fmt::format("{} written: {}", counted(out.file.kernels.size(), "kernel"), join(out.file.kernels, ", ")));
  return ok();
} catch (const ir::Misfit& misfit) {
  return unsupported(fmt::format("no kernels can be written for it: {}", misfit.what()));
}

namespace {

Result<graph::Exported> exported_by(ProgramSide& side, const verify::ProblemSource& problem, const os::CancelToken& cancel) {
  KA_ASSIGN(std::string text, side.export_graphs(graph::operator_spellings(), cancel));
  KA_ASSIGN(Json document, parse_json(text, problem.path));
  return graph::read_exported(document);
}

}  // namespace

Result<graph::Exported> export_program(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices, bridge::WarmInterpreter& interpreter,
                                       const os::CancelToken& cancel, EventLog* log) {
  KA_ASSIGN(ProgramSide side, open_program(problem, options, choices, interpreter, cancel, log));
  return exported_by(side, problem, cancel);
}

Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices,
                           bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log) {
  const auto begin = std::chrono::steady_clock::now();
  KA_ASSIGN(ProgramSide side, open_program(problem, options, choices, interpreter, cancel, log));
  return generate(problem, options, choices, side, begin, cancel, log);
}

Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices,
                           ProgramSide& side, std::chrono::steady_clock::time_point opened, const os::CancelToken& cancel, EventLog* log) try {
  Generated out;
  Laps laps(out.times, log, opened);
  KA_ASSIGN(std::string facts_text, side.source_facts(cancel));
  KA_ASSIGN(Json facts, parse_json(facts_text, problem.path));
  out.facts = facts_text;
  KA_ASSIGN(model::RouteFeatures features, model::route_features_from_json(facts.value("features", Json())));
  codegen::GenerateOptions writing;
  writing.precision = options.precision;
  writing.title = fmt::format("Triton kernels for {}.", problem.path.substr(problem.path.rfind('/') + 1));
  writing.version = KA_VERSION;
  writing.platform = choices.platform;
  writing.gpu = choices.gpu;
  std::optional<Constructor> constructor;
  if (choices.emit == "kernelbench") {
    KA_ASSIGN(constructor, constructor_of(facts, problem.path));
    writing.entry = kInnerEntry;
    writing.imports = further_imports(*constructor);
  }
  laps.done("problem", fmt::format("{} {}", problem.path, side.has_process() ? "loaded" : "known from an earlier run"));

  laps.start("graph");
  const auto begin = std::chrono::steady_clock::now();
  KA_ASSIGN(out.exported, exported_by(side, problem, cancel));
  const auto lap = [&](const std::string& stage, const std::string& message) {
    if (message.empty()) return laps.start(stage.c_str());
    laps.done(stage.c_str(), message);
    if (stage != "partition") return;  // with a plan there is a route
    out.route = route::decide(features, route::PlanFacts{static_cast<std::int64_t>(out.plan.kernels.size()), static_cast<std::int64_t>(out.program.graph.nodes.size())},
                              problem.text);
    laps.done("route", fmt::format("{}: {}", route::word_of(out.route), out.route.rationale));
  };
  KA_TRY(write_kernels(out.exported, choices, writing, lap, out));
  const bool captured = capture_launches(out, choices.platform);
  if (constructor) out.file.text += model_new_text(*constructor, out.file, captured ? bridge::kCapturedName : kInnerEntry);
  KA_ASSIGN(const std::string wrong, side.syntax_error(out.file.text, cancel));
  if (!wrong.empty()) return internal_error(fmt::format("{}: the text that was written for it is not Python: {}", problem.path, wrong));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!choices.checks_plan) return out;
  laps.start("refactored");
  KA_TRY(check_plan(problem, side, options.seed, cancel, out));
  laps.done("refactored", out.no_refactored.empty() ? "the plan computes what the program computes" : "no PyTorch text for the plan: " + out.no_refactored);
  return out;
} catch (const Json::exception& error) {
  return invalid_input(fmt::format("{}: the reference process answered nonsense ({})", problem.path, error.what()));
}

}  // namespace ka::pipeline

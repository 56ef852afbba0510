// `generate` and `auto`: what is written where, and what is said. The work is in generate.cc and in the judge.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/auto.h"
#include "app/cli/generate.h"
#include "app/cli/model_side.h"
#include "app/cli/plain_words.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/verify.h"
#include "app/cli/winners.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "graph/operators.h"
#include "graph/signature.h"
#include "model/run_summary.h"
#include "pipeline/generate.h"
#include "route/decide.h"

namespace ka::app {

using pipeline::Generated;

namespace {

// What was made of the problem: by the generator, or taken out of the store of winners.
struct Kernel {
  std::string text;
  std::optional<pipeline::TakenWinner> taken;  // also one that was refused
  bool from_store() const { return taken && taken->accepted(); }
};

// One spelling per line, with the row that it stands for where that has another.
void list_operators() {
  for (const std::string& spelling : graph::operator_spellings()) {
    const std::string_view row = graph::find_operator(spelling)->spelling;
    fmt::print("{}{}\n", spelling, row == spelling ? "" : fmt::format(" {}", row));
  }
}

model::RunSummary summary_of(const Request& request, const RunOutput& output, const Generated& made, const Kernel& kernel, const std::optional<model::Verdict>& verdict,
                             const std::string& started) {
  model::RunSummary summary;
  summary.run_id = std::filesystem::path(output.folder()).filename().string();
  summary.command = request.command;
  summary.problem_path = request.problem.path;
  summary.problem_sha256 = sha256_hex(request.problem.text);
  summary.route = route::word_of(made.route);
  summary.success = !verdict || verdict->accepted;
  summary.exit_code = summary.success ? 0 : 1;
  summary.message = !verdict ? "the kernel file was written and not verified" : verdict->accepted ? verdict->reason : fmt::format("{}: {}", verdict->rule, verdict->reason);
  summary.started = started;
  summary.finished = utc_timestamp(system_wall_clock()());
  summary.device = request.options.device;
  summary.composition = model::Composition{true, "kernel.py", sha256_hex(kernel.text), verdict && verdict->accepted, {}, summary.message, {}};
  summary.times = made.times;
  summary.dollars = spent_on(request.sentence).usage.dollars;
  if (verdict) {
    summary.times["verify"] = verdict->times.at("total");
    summary.versions = {{"kernelagent", verdict->versions.kernelagent}, {"python", verdict->versions.python}, {"torch", verdict->versions.torch}, {"triton", verdict->versions.triton}};
  }
  return summary;
}

Json rewrites_of(const Generated& made) {
  Json out = Json::array();
  for (const partition::AppliedRewrite& applied : made.rewrites) out.push_back({{"name", applied.name}, {"algebraic", applied.algebraic}, {"where", applied.where}});
  return out;
}

Json cost_of(const partition::KernelCost& cost) {
  return {{"bytes_read", cost.bytes_read},   {"bytes_written", cost.bytes_written}, {"flops", cost.flops()}, {"product_flops", cost.product_flops}, {"grade", cost.grade},
          {"launches", cost.launches},       {"seconds", cost.seconds()},           {"bound", cost.bound()}};
}

Json cost_of(const Generated& made) {
  const partition::PlanCost& cost = made.cost;
  return {{"gpu", made.gpu.name},           {"source", made.gpu.source},           {"bytes", cost.bytes},
          {"flops", cost.flops},            {"launches", cost.launches},           {"seconds", cost.seconds},
          {"host_seconds", cost.host_seconds}, {"floor_bytes", cost.floor_bytes},  {"floor_seconds", cost.floor_seconds},
          {"decisions", made.decisions}};
}

Json result_of(const Request& request, const RunOutput& output, const Generated& made, const Kernel& kernel, const std::optional<model::Verdict>& verdict, const model::RunSummary& summary) {
  Json kernels = Json::array();
  std::map<std::size_t, std::size_t> launch_of;
  for (std::size_t number = 0; number < made.file.launches.size(); ++number) {
    for (const std::size_t k : made.file.launches[number]) launch_of[k] = number;
  }
  for (std::size_t k = 0; k < made.file.kernels.size() && !kernel.from_store(); ++k)
    kernels.push_back({{"name", made.file.kernels[k]}, {"family", ir::to_string(made.plan.kernels[k].kind)}, {"launch", launch_of.at(k)}, {"cost", cost_of(made.cost.kernels[k])}});
  Json out = {{"success", summary.success},
          {"folder", output.folder()},
          {"kernel", output.path("kernel.py")},
          {"kernels", kernels},
          {"rewrites", rewrites_of(made)},
          {"cost", cost_of(made)},
          {"route", model::to_json(made.route)},
          {"verdict", verdict ? model::to_json(*verdict) : Json()},
          {"signature", graph::signature_of(made.exported, request.problem.mode, request.options.precision)},
          {"generation_seconds", made.seconds},
          {"times", summary.times}};
  if (kernel.taken) out["store"] = pipeline::to_json(*kernel.taken);
  add_program(request, out);
  if (const pipeline::Spent spent = spent_on(request.sentence); spent.questions > 0) out["models"] = bill_json(spent);
  return out;
}

// Whether the store knows a program that the generator cannot write.
bool has_winner(const Request& request, const pipeline::WinnerSide& side, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  if (side.path.empty()) return false;
  const Result<graph::Exported> exported = pipeline::export_program(request.problem, request.options, request.choices, interpreter, cancel);
  return exported && pipeline::find_winner(*exported, request.problem.mode, request.options.precision, side, nullptr);
}

}  // namespace

Result<int> run_generate(const Arguments& given, AppContext& context) {
  if (given.has("--list-operators")) {
    list_operators();
    return 0;
  }
  const std::string started = utc_timestamp(system_wall_clock()());
  EventLog unheard;
  KA_ASSIGN(const ModelChoice choice, choose_model(given.settings(), "model", unheard));
  if (!choice.model.empty() && !given.has("--no-verify")) return run_generate_with_models(given, context);
  Arguments arguments = given;
  KA_TRY(settle_problem(arguments));
  KA_ASSIGN(Request request, request_in_words(arguments, "generate"));
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, request.command));
  if (const Status understood = understand_sentence(request, arguments, output, false, context.cancel); !understood) return ended("generate", understood.error());
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  KA_TRY(show_and_keep_program(request, arguments, output));

  bridge::WarmInterpreter interpreter({python});
  Result<Generated> result = pipeline::generate(request.problem, request.options, request.choices, interpreter, context.cancel, &output.log());
  KA_ASSIGN(const pipeline::WinnerSide side, winner_side(arguments, request, interpreter, context.cancel));
  if (!result && result.error().kind == ErrorKind::unsupported) {  // not the user's mistake: the job was not achieved
    output.settle();
    if (!output.is_open() && has_winner(request, side, interpreter, context.cancel)) return run_generate_with_models(given, context);  // which needs no plan
    fmt::print(stderr, "kernelagent: generate: {}\n", result.error().message);
    return 1;
  }
  if (!result) return result.error();
  const Generated& made = *result;
  if (!output.is_open()) KA_TRY(output.open());
  KA_TRY(output.keep("route", {{"route.json", to_pretty_json_text(model::to_json(made.route))}}));
  if (!made.refactored.empty()) KA_TRY(output.keep("partition", {{"refactored.py", made.refactored}}));
  const bool verifies = !arguments.has("--no-verify"), quiet = arguments.has("--json");
  request.options.test = request.test;
  Kernel kernel{made.file.text, {}};
  KA_ASSIGN(kernel.taken, pipeline::try_winner(request.problem, made.exported, output.path("kernel.py"), request.options, verifies, side, {interpreter, context.cancel, &output.log()}));
  std::map<std::string, std::string> files = {{"graph.txt", pipeline::explanation(made)}};
  if (kernel.from_store()) kernel.text = kernel.taken->text;
  if (kernel.taken) files[kTakenFile] = to_pretty_json_text(pipeline::to_json(*kernel.taken));
  files["kernel.py"] = kernel.text;
  KA_TRY(output.keep("synth", files));
  if (arguments.has("--explain") && !quiet) output.print(pipeline::explanation(made) + "\n");
  if (kernel.taken && !quiet) output.print(fmt::format("{}{}\n", kernel.taken->message, kernel.from_store() ? "" : "; the built-in generator's is used instead"));
  if (!quiet && !kernel.from_store())
    output.print(fmt::format("{}: {} kernel{} in {:.2f} s\n", output.path("kernel.py"), made.file.kernels.size(), made.file.kernels.size() == 1 ? "" : "s", made.seconds));

  std::optional<model::Verdict> verdict;
  if (verifies) {
    output.log().debug("verify", "start");
    verify::JudgeContext judge_context{interpreter, context.cancel, &output.log()};
    if (kernel.from_store()) {
      verdict = kernel.taken->verdict;
    } else {
      KA_ASSIGN(verdict, verify::judge(request.problem, {output.path("kernel.py"), kernel.text}, request.options, judge_context));
    }
    KA_TRY(output.keep("verify", {{"verdict.json", to_pretty_json_text(model::to_json(*verdict))}}));
  }
  const model::RunSummary summary = summary_of(request, output, made, kernel, verdict, started);
  KA_TRY(output.keep("summary", {{"summary.json", to_pretty_json_text(model::to_json(summary))}}));
  output.settle();
  if (quiet) fmt::print("{}", to_pretty_json_text(result_of(request, output, made, kernel, verdict, summary)));
  else if (verdict) fmt::print("{}", verify::verdict_text(*verdict));
  if (const pipeline::Spent spent = spent_on(request.sentence); spent.questions > 0 && !quiet) fmt::print("{}\n", bill(spent));
  return summary.exit_code;
}

}  // namespace ka::app

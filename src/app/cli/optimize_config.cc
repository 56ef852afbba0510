#include "app/cli/optimize_config.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/config_keys.h"
#include "app/cli/earlier_run.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/settings.h"
#include "app/cli/verify.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "model/run_summary.h"
#include "pipeline/judging.h"
#include "problem/problem_file.h"

namespace ka::app {
namespace {

constexpr std::string_view kNoop = "noop", kSlot = "platform.";
constexpr std::array<std::string_view, 3> kPlatforms = {"nvidia", "cuda", kNoop};
constexpr const char* kDryStop = "the platform is noop: nothing is profiled or timed, and the given kernel is the result";

// Without these two there is nothing to search with.
bool is_needed(const std::string& key) { return key == "platform.benchmarker" || key == "platform.worker_runner"; }

model::RunSummary summary_of_dry(const verify::ProblemSource& problem, const model::Verdict& verdict, const std::string& kernel, const std::string& folder, const std::string& command, const std::string& started) {
  model::RunSummary out;
  out.run_id = folder.substr(folder.rfind('/') + 1);
  out.command = command;
  out.problem_path = problem.path;
  out.problem_sha256 = sha256_hex(problem.text);
  out.route = "optimize";
  out.success = verdict.accepted;
  out.exit_code = verdict.accepted ? 0 : 1;
  out.message = verdict.accepted ? kDryStop : fmt::format("{}: {}", verdict.rule, verdict.reason);
  out.started = started;
  out.finished = utc_timestamp(system_wall_clock()());
  out.device = verdict.device;
  out.composition = model::Composition{verdict.accepted, "output/best_kernel.py", sha256_hex(kernel), verdict.accepted, {}, out.message, {}};
  out.versions = {{"kernelagent", verdict.versions.kernelagent}, {"python", verdict.versions.python}, {"torch", verdict.versions.torch}, {"triton", verdict.versions.triton}};
  return out;
}

}  // namespace

std::vector<std::string> config_notes(const Arguments& arguments) {
  std::vector<std::string> out;
  for (const ConfigEntry& entry : arguments.settings().config()) {
    const auto row = std::find_if(kConfigKeys.begin(), kConfigKeys.end(), [&](const ConfigKey& one) { return one.key == entry.key; });
    if (row == kConfigKeys.end() || row->note.empty() || entry.null) continue;
    if (entry.key.starts_with(kSlot) && entry.value != kNoop) continue;  // what there is anyway
    out.push_back(fmt::format("{}: {}", entry.key, row->note));
  }
  return out;
}

Result<bool> is_dry_run(const Arguments& arguments) {
  bool out = false;
  const auto look = [&](const std::string& name, const std::string& value) -> Status {
    if (std::find(kPlatforms.begin(), kPlatforms.end(), value) == kPlatforms.end()) return invalid_input(fmt::format("{}: \"{}\" is no platform of a search; accepted: nvidia, noop", name, elide_middle(value, 60)));
    out = out || (value == kNoop && (name == "--platform" || is_needed(name)));
    return ok();
  };
  if (arguments.has("--platform")) KA_TRY(look("--platform", arguments.text("--platform")));
  for (const ConfigEntry& entry : arguments.settings().config()) {
    if (entry.key.starts_with(kSlot) && !entry.null) KA_TRY(look(entry.key, entry.value));
    if (entry.key == "target_platform" && !entry.null && entry.value != "cuda") return invalid_input(fmt::format("target_platform: \"{}\": a search times kernels on NVIDIA GPUs; accepted: cuda", elide_middle(entry.value, 60)));
  }
  return out;
}

Result<int> run_dry(const Arguments& arguments, AppContext& context) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  const std::string started = utc_timestamp(system_wall_clock()());
  KA_ASSIGN(const std::string problem_path, arguments.required("--problem"));
  KA_ASSIGN(const std::string kernel_path, arguments.required("--kernel"));
  KA_ASSIGN(const problem::ProblemFile file, problem::read_problem(problem_path));
  KA_ASSIGN(const std::string kernel, problem::read_source(kernel_path));
  KA_ASSIGN(const std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(const verify::JudgeOptions judge, judge_options(arguments));
  const verify::ProblemSource problem{file.path, file.object, file.text, mode};
  const std::string command = fmt::format("kernelagent optimize --problem {} --kernel {}", quote_shell(problem_path), quote_shell(kernel_path));
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, command, "", ".optimize"));
  if (output.exists()) return invalid_input(fmt::format("--out: {} holds a run already", output.folder()));
  KA_ASSIGN(const std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(judge.device, "optimize", 1, output.log()));
  KA_ASSIGN(const model::Verdict verdict, pipeline::ask_judge(problem, {kernel_path, kernel}, judge, {interpreter, context.cancel, &output.log(), nullptr, gpus.get()}, &output.log()));
  const Json result = {{"success", verdict.accepted}, {"folder", output.folder()}, {"kernel", output.path("output/best_kernel.py")}, {"kernel_code", kernel}, {"kernel_sha256", sha256_hex(kernel)},
                       {"best_time_ms", nullptr}, {"total_rounds", 0}, {"stop", kDryStop}, {"device", judge.device}, {"config_notes", config_notes(arguments)}, {"verdict", model::to_json(verdict)}};
  const std::vector<std::string> words = arguments.words(kOfOneCommand, {"--out"});
  KA_TRY(output.open());
  KA_TRY(output.write({{kRequestFile, to_pretty_json_text({{"words", words}, {"problem_sha256", sha256_hex(problem.text)}})}, {kProblemFile, problem.text}, {"input/kernel.py", kernel}, {"output/best_kernel.py", kernel}}));
  KA_TRY(output.keep("summary", {{"optimize.json", to_pretty_json_text(result)}, {"verdict.json", to_pretty_json_text(model::to_json(verdict))},
                                 {"summary.json", to_pretty_json_text(model::to_json(summary_of_dry(problem, verdict, kernel, output.folder(), command, started)))}}));
  output.settle();
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(result));
  for (const std::string& note : config_notes(arguments)) {
    if (!arguments.has("--json")) fmt::print("{}\n", note);
  }
  if (!arguments.has("--json")) fmt::print("{}\n  {}\n{}", output.path("output/best_kernel.py"), kDryStop, verify::verdict_text(verdict));
  return verdict.accepted ? 0 : 1;
}

}  // namespace ka::app

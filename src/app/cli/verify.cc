#include "app/cli/verify.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/progress.h"
#include "app/cli/settings.h"
#include "base/json_fields.h"
#include "bridge/warm_interpreter.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/gpu.h"
#include "os/machine.h"
#include "problem/problem_file.h"
#include "verify/judge.h"

namespace ka::app {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxDefaultMemory = 16 * kGiB;
constexpr double kMaxMemoryGiB = 65536;
constexpr double kMaxTimeoutSeconds = 86400;

Result<std::string> choose_device(const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> devices = {"auto", "cpu", "cuda"};
  KA_ASSIGN(std::string device, arguments.choice("--device", "auto", devices));
  if (device == "cpu") return device;
  KA_ASSIGN(std::vector<os::Gpu> gpus, os::query_gpus(os::Deadline::in(std::chrono::seconds(10))));
  if (device == "cuda" && gpus.empty()) return environment_error("--device cuda: this machine has no NVIDIA GPU");
  const std::optional<std::vector<int>> visible = os::visible_gpus(gpus, os::get_env("CUDA_VISIBLE_DEVICES"));
  const bool hidden = visible && visible->empty();
  if (device == "cuda" && hidden) return environment_error("--device cuda: CUDA_VISIBLE_DEVICES leaves no GPU of this machine");
  return std::string(gpus.empty() || hidden ? "cpu" : "cuda");
}

Result<std::uint64_t> choose_memory(const Arguments& arguments) {
  KA_ASSIGN(os::Machine machine, os::query_machine("/"));
  const std::uint64_t half = std::min(machine.memory_available / 2, kMaxDefaultMemory);
  KA_ASSIGN(double gib, arguments.number("--memory", static_cast<double>(half) / static_cast<double>(kGiB)));
  if (gib < 0.5) return invalid_input("--memory: at least 0.5 GiB are needed to import PyTorch");
  if (gib > kMaxMemoryGiB) return invalid_input(fmt::format("--memory: at most {:g} GiB", kMaxMemoryGiB));
  return static_cast<std::uint64_t>(gib * static_cast<double>(kGiB));
}

}  // namespace

Result<verify::JudgeOptions> judge_options(const Arguments& arguments) {
  constexpr std::array<std::string_view, 4> tiers = {"default", "fp32", "tf32", "half"};
  constexpr std::array<std::string_view, 4> levels = {"none", "process", "isolated", "full"};
  verify::JudgeOptions options;
  options.entry = arguments.text("--entry");
  if (arguments.has("--entry") && !problem::is_identifier(options.entry))
    return invalid_input(fmt::format("--entry: \"{}\" is no name; accepted: the name of a function or class of the kernel file", options.entry));
  KA_ASSIGN(options.precision, arguments.choice("--precision", "default", tiers));
  KA_ASSIGN(options.device, choose_device(arguments));
  KA_ASSIGN(options.seed, arguments.whole_number("--seed", 0));
  const Settings& settings = arguments.settings();
  const std::optional<double> other = settings.number("test_timeout_s") ? settings.number("test_timeout_s") : settings.number("run_timeout_s");
  KA_ASSIGN(double seconds, arguments.number("--timeout", other.value_or(60)));
  if (seconds < 0.001 || seconds > kMaxTimeoutSeconds)
    return invalid_input(fmt::format("--timeout: at least 0.001 and at most {:g} seconds", kMaxTimeoutSeconds));
  options.limit = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  KA_ASSIGN(options.limits.memory_bytes, choose_memory(arguments));
  options.require_general = arguments.has("--require-general");
  options.require_buffers = arguments.has("--require-buffers");
  KA_ASSIGN(std::string level, arguments.choice("--require-sandbox", "none", levels));
  options.require_sandbox = os::sandbox_level(level).value_or(os::SandboxLevel::full);
  const Result<std::uint64_t> arch = arguments.whole_number("--target-arch", 90);
  if (!arch || *arch < 70 || *arch > 200) return invalid_input("--target-arch: a compute capability without its dot, such as 80 or 90");
  options.target_arch = static_cast<int>(*arch);
  options.check_compile = !arguments.has("--no-compile");
  if (arguments.has("--test")) {
    KA_ASSIGN(std::string path, arguments.required("--test"));
    KA_ASSIGN(std::string text, problem::read_source(path));
    options.test = verify::TestScript{path, text};
  }
  if (options.device == "cuda") options.repeats = 5;
  options.also_interpreted = options.device == "cuda" && arguments.text("--device", "auto") == "auto";
  return options;
}

namespace {

constexpr const char* kVerdictFile = "/verdict.json";
constexpr const char* kEventsFile = "/events.jsonl";

// Where events go: to people on request, and to the folder that --out names. A verdict that lies there is an old one.
Status open_log(const Arguments& arguments, EventLog& log) {
  log.add_sink(make_human_sink(stderr, arguments.has("--verbose") ? LogLevel::info : LogLevel::warning));
  if (!arguments.has("--out")) return ok();
  KA_ASSIGN(std::string folder, arguments.required("--out"));
  if (os::exists(folder) && !os::is_directory(folder)) return invalid_input(fmt::format("--out: {} is a file; accepted: a folder, or a name for a new one", folder));
  if (Status made = os::make_dirs(folder); !made) return invalid_input(fmt::format("--out: {}", made.error().message));
  if (os::exists(folder + kVerdictFile)) KA_TRY(os::remove_tree(folder + kVerdictFile));
  KA_ASSIGN(auto events, open_event_file(folder + kEventsFile));
  log.add_sink(std::move(events));
  return ok();
}

Result<model::Verdict> judged(const Arguments& arguments, AppContext& context, EventLog& log) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  KA_TRY(open_log(arguments, log));
  KA_ASSIGN(std::string problem_argument, arguments.required("--problem"));
  KA_ASSIGN(std::string kernel_path, arguments.required("--kernel"));
  KA_ASSIGN(problem::ProblemFile file, problem::read_problem(problem_argument));
  KA_ASSIGN(std::string kernel_text, problem::read_source(kernel_path));
  KA_ASSIGN(std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(verify::JudgeOptions options, judge_options(arguments));
  KA_ASSIGN(std::string python, bridge::find_interpreter());

  bridge::WarmInterpreter interpreter({python});
  verify::JudgeContext judge_context{interpreter, context.cancel, &log};
  return verify::judge({file.path, file.object, file.text, mode}, {kernel_path, kernel_text}, options, judge_context);
}

}  // namespace

Result<int> run_verify(const Arguments& arguments, AppContext& context) {
  EventLog log;
  prepare_log(log, arguments);
  Result<model::Verdict> verdict_or_error = judged(arguments, context, log);
  if (!verdict_or_error) {
    // Not as an error: the caller prints that sentence.
    log.write({LogLevel::info, "verify", "not_judged", verdict_or_error.error().message, {}});
    return verdict_or_error.error();
  }
  const model::Verdict& verdict = *verdict_or_error;
  if (arguments.has("--out"))
    KA_TRY(os::write_file_atomic(arguments.text("--out") + kVerdictFile, to_pretty_json_text(model::to_json(verdict))));
  if (arguments.has("--json"))
    fmt::print("{}", to_pretty_json_text(model::to_json(verdict)));
  else
    fmt::print("{}", verify::verdict_text(verdict));
  return verdict.accepted ? 0 : 1;
}

}  // namespace ka::app

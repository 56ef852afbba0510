// A kernel that was not accepted is not timed: a wrong kernel has no speed.
#include "app/cli/bench.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/verify.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "bench/attempts.h"
#include "model/timing.h"
#include "os/files.h"
#include "os/gpu.h"
#include "problem/problem_file.h"
#include "verify/judge.h"

namespace ka::app {
namespace {

constexpr std::uint64_t kMaxRounds = 100000;
constexpr double kMaxSeconds = 86400;

struct BenchRequest {
  verify::ProblemSource problem;
  verify::KernelSource kernel;
  verify::JudgeOptions options;
  bench::TimingOptions timing;
  std::string command;
};

Result<BenchRequest> request_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  BenchRequest request;
  KA_ASSIGN(std::string problem, arguments.required("--problem"));
  KA_ASSIGN(problem::ProblemFile file, problem::read_problem(problem));
  KA_ASSIGN(request.kernel.path, arguments.required("--kernel"));
  KA_ASSIGN(request.kernel.text, os::read_file(request.kernel.path, problem::kMaxSourceBytes));
  KA_ASSIGN(std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(request.timing.contenders, contenders_of(arguments.text("--baseline", "eager")));
  KA_ASSIGN(std::uint64_t rounds, arguments.whole_number("--rounds", 100));
  if (rounds < 1 || rounds > kMaxRounds) return invalid_input(fmt::format("--rounds: at least 1 and at most {}", kMaxRounds));
  request.timing.rounds = static_cast<int>(rounds);
  KA_ASSIGN(request.timing.seconds, arguments.number("--seconds", 60));
  if (request.timing.seconds > kMaxSeconds) return invalid_input(fmt::format("--seconds: at most {:g}", kMaxSeconds));
  KA_ASSIGN(request.options, judge_options(arguments));
  if (request.options.device != "cuda" && arguments.text("--device") != "cpu")
    return environment_error("timing needs an NVIDIA GPU, and this machine has none");
  if (arguments.has("--timeout")) request.timing.limit = request.options.limit;
  request.problem = {file.path, file.object, file.text, mode};
  request.timing.device = request.options.device;
  request.timing.seed = request.options.seed;
  request.timing.limits = request.options.limits;
  request.command = fmt::format("kernelagent bench --problem {} --kernel {}", quote_shell(problem), quote_shell(request.kernel.path));
  return request;
}

// A verdict that was made elsewhere counts when it is about these very texts.
Result<model::Verdict> given_verdict(const std::string& path, const BenchRequest& request) {
  KA_ASSIGN(std::string text, os::read_file(path));
  KA_ASSIGN(Json json, parse_json(text, path));
  Result<model::Verdict> verdict = model::verdict_from_json(json);
  if (!verdict) return verdict.error().with("--verdict: " + path);
  if (verdict->kernel.sha256 != sha256_hex(request.kernel.text))
    return invalid_input(fmt::format("--verdict: {} is about another kernel than {} (or about another version of it)", path, request.kernel.path));
  if (verdict->problem.text_sha256 != sha256_hex(request.problem.text))
    return invalid_input(fmt::format("--verdict: {} is about another problem than {} (or about another version of it)", path, request.problem.path));
  if (verdict->problem.mode != request.problem.mode)
    return invalid_input(fmt::format("--verdict: {} is about mode {}, not {}", path, verdict->problem.mode, request.problem.mode));
  return verdict;
}

}  // namespace

Result<std::vector<std::string>> contenders_of(const std::string& baselines) {
  std::vector<std::string> contenders = {"kernel"};
  for (const std::string& word : split(baselines, ',')) {
    const std::string name = bench::contender_of(trim(word));
    if (name.empty())
      return invalid_input(fmt::format("--baseline: unknown baseline \"{}\"; accepted: eager, compile, reduce-overhead, max-autotune", trim(word)));
    if (std::find(contenders.begin(), contenders.end(), name) == contenders.end()) contenders.push_back(name);
  }
  return contenders;
}

std::string lines_of(const std::vector<model::Timing>& timings) {
  std::string out;
  for (const model::Timing& timing : timings) out += to_json_text(model::to_json(timing)) + "\n";
  return out;
}

std::vector<SpeedUp> speed_ups(const bench::Timed& timed) {
  std::vector<SpeedUp> out;
  for (std::size_t i = 1; i < timed.timings.size(); ++i)
    out.push_back({timed.timings[i].contender, ratio_of_medians(timed.timings[i].samples_ms, timed.timings[0].samples_ms)});
  return out;
}

std::string bench_text(const bench::Timed& timed) {
  const model::Timing& kernel = timed.timings[0];
  std::string out = fmt::format("{}, {}, {} rounds{}\n", timed.device, kernel.method, kernel.samples_ms.size(), kernel.cache_flushed ? ", L2 flushed" : "");
  out += fmt::format("  {:<26} {:>10.4f} ms   (best {:.4f})\n", "kernel", kernel.median_ms, kernel.min_ms);
  const std::vector<SpeedUp> ratios = speed_ups(timed);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const Ratio& ratio = ratios[i].ratio;
    out += fmt::format("  {:<26} {:>10.4f} ms   {:.3f} times the kernel's ({:.3f} to {:.3f}{})\n", ratios[i].contender, timed.timings[i + 1].median_ms,
                       ratio.value, ratio.low, ratio.high, ratio.is_certain() ? "" : ", no certain difference");
  }
  for (const auto& [name, why] : timed.failed) out += fmt::format("  {:<26} failed: {}\n", name, why);
  if (const std::string held = bench::in_words(timed.held_back); !held.empty()) out += fmt::format("  {}\n", held);
  return out;
}

Json to_json(const bench::Timed& timed) {
  Json timings = Json::array(), ratios = Json::array();
  for (const model::Timing& timing : timed.timings) timings.push_back(model::to_json(timing));
  for (const SpeedUp& up : speed_ups(timed))
    ratios.push_back({{"baseline", up.contender}, {"ratio", up.ratio.value}, {"low", up.ratio.low}, {"high", up.ratio.high},
                      {"confidence", up.ratio.confidence}, {"certain", up.ratio.is_certain()}});
  return {{"device", timed.device}, {"timings", timings}, {"ratios", ratios}, {"failed", timed.failed}, {"warm_up_seconds", timed.warm_up_seconds}, {"held_back", bench::to_json(timed.held_back)}};
}

Result<int> run_bench(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(BenchRequest request, request_of(arguments));
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, request.command));
  std::optional<model::Verdict> verdict;
  if (arguments.has("--verdict")) {
    KA_ASSIGN(verdict, given_verdict(arguments.text("--verdict"), request));
  }
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  // Nobody else on the GPU: two programs spoil each other's times.
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(request.options.device, "bench", 1, output.log()));
  std::optional<os::GpuPool::Slot> alone;
  if (gpus) {
    KA_ASSIGN(os::GpuPool::Slot slot, gpus->take(context.cancel));
    alone.emplace(std::move(slot));
    request.options.only_gpu = request.timing.only_gpu = alone->gpu();
  }
  if (!verdict) {
    verify::JudgeOptions options = request.options;
    options.limit = std::min(options.limit, arguments.has("--timeout") ? options.limit : verify::JudgeOptions{}.limit);
    output.log().debug("verify", "start");
    verify::JudgeContext judge{interpreter, context.cancel, &output.log()};
    KA_ASSIGN(verdict, verify::judge(request.problem, request.kernel, options, judge));
  }
  if (!verdict->accepted) {
    output.settle();
    fmt::print(stderr, "kernelagent: bench: {} is not timed, because it is not right: {}: {}\n", request.kernel.path, verdict->rule, verdict->reason);
    return 1;
  }
  const bench::Subject subject{request.problem.path, request.problem.object, request.problem.text, request.problem.mode,
                               request.kernel.path,  request.kernel.text,    verdict->kernel.entry, verdict->precision.tier};
  output.log().info("bench", "start", fmt::format("timing {} against {}", request.kernel.path, arguments.text("--baseline", "eager")));
  KA_ASSIGN(bench::Timed timed, bench::time_in_attempts(subject, request.timing, interpreter, context.cancel));
  output.log().debug("bench", "done");
  KA_TRY(output.open());
  Json result = to_json(timed);
  result["verdict"] = model::to_json(*verdict);
  result["folder"] = output.folder();
  KA_TRY(output.keep("bench", {{"timings.jsonl", lines_of(timed.timings)}, {"bench.json", to_pretty_json_text(result)}, {"verdict.json", to_pretty_json_text(model::to_json(*verdict))}}));
  output.settle();
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(result));
  else fmt::print("{}samples in {}\n", bench_text(timed), output.path("timings.jsonl"));
  return 0;
}

}  // namespace ka::app

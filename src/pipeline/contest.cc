#include "pipeline/contest.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "bench/timing_side.h"
#include "graph/problem_facts.h"

namespace ka::pipeline {
namespace {

constexpr double kFasterBy = 1.03;  // less is noise
constexpr double kTimingSeconds = 10;

// Median milliseconds of a call on the GPU.
Result<double> time_of(const ModelWork& work, const std::string& kernel, const model::Verdict& verdict, const Means& means) {
  bench::TimingOptions timing;
  timing.contenders = {"kernel"};
  timing.seed = work.judge.seed;
  timing.seconds = kTimingSeconds;
  timing.limits = work.judge.limits;
  std::optional<os::GpuPool::Slot> slot;
  if (means.gpus != nullptr) {
    KA_ASSIGN(os::GpuPool::Slot taken, means.gpus->take(means.cancel));
    slot.emplace(std::move(taken));
    timing.only_gpu = slot->gpu();
  }
  const verify::ProblemSource& problem = work.problem;
  KA_ASSIGN(const bench::Timed timed, bench::time_contenders({problem.path, problem.object, problem.text, problem.mode, work.folder + "kernel.py", kernel, verdict.kernel.entry, verdict.precision.tier}, timing, means.interpreter, means.cancel));
  if (timed.timings.empty()) return environment_error("the kernel could not be timed");
  return timed.timings[0].median_ms;
}

// Both, twice in turn, the better time of each.
Result<double> speed_up(const ModelWork& work, const Contender& built_in, const ModelKernel& made, const Means& means) {
  double before = 0, after = 0;
  for (int turn = 0; turn < 2; ++turn) {
    KA_ASSIGN(const double one, time_of(work, built_in.kernel, *built_in.verdict, means));
    KA_ASSIGN(const double other, time_of(work, made.kernel, *made.verdict, means));
    before = turn == 0 ? one : std::min(before, one);
    after = turn == 0 ? other : std::min(after, other);
  }
  return after > 0 ? before / after : 0;
}

Contender won(ModelKernel made, const std::string& message = {}) {
  return {std::move(made.kernel), std::move(made.verdict), "model", made.worker, made.rounds, message.empty() ? made.message : message, std::move(made.attempts)};
}

// The built-in kernel, with what the models did.
Contender stays(Contender built_in, ModelKernel made, const std::string& why) {
  built_in.attempts = std::move(made.attempts);
  built_in.message += (built_in.message.empty() ? "" : "; ") + why;
  built_in.rounds = std::max(built_in.rounds, made.rounds);
  return built_in;
}

}  // namespace

Result<prompt::Task> task_of(const verify::ProblemSource& problem, const graph::Exported& exported, const verify::JudgeOptions& judge, const GenerateChoices& choices, const Means& means) {
  KA_ASSIGN(const bridge::InterpreterFacts facts, means.interpreter.start(means.cancel));
  prompt::Task task;
  task.program = problem.text;
  task.problem = graph::problem_facts(exported);
  task.problem.path = problem.path;
  task.problem.sha256 = sha256_hex(problem.text);
  task.problem.mode = problem.mode;
  task.operators = graph::operator_names(exported);
  if (!judge.entry.empty()) task.entry = judge.entry;
  if (judge.precision != "default") task.tier = judge.precision;
  task.machine = {choices.platform, choices.gpu, choices.platform == "cuda" ? fmt::format("sm_{}", judge.target_arch) : "", facts.triton, facts.torch};
  if (judge.test) task.test = judge.test->text;
  task.no_cusolver = means.models->no_cusolver;
  return task;
}

Result<Contender> contest(ModelWork work, Contender built_in, const Means& means) {
  const bool accepted = built_in.verdict && built_in.verdict->accepted;
  if (accepted) work.task.starting_point = built_in.kernel;
  KA_ASSIGN(ModelKernel made, ask_workers(work, *means.models, means));
  if (made.kernel.empty()) return stays(std::move(built_in), made, made.message);
  if (!accepted) return won(std::move(made));
  const std::string whose = fmt::format("the kernel of {} (worker {}, round {})", means.models->model, made.worker, made.rounds);
  made.attempts["model_kernel.py"] = made.kernel;
  if (work.judge.device != "cuda") return stays(std::move(built_in), made, fmt::format("{} is accepted too, and without a GPU nobody can tell which is faster: the built-in one stays", whose));
  const Result<double> times = speed_up(work, built_in, made, means);
  if (!times && times.error().kind == ErrorKind::cancelled) return times.error();
  if (!times) return stays(std::move(built_in), made, fmt::format("{} is accepted too and could not be timed ({}): the built-in one stays", whose, times.error().message));
  if (*times < kFasterBy) return stays(std::move(built_in), made, fmt::format("{} is accepted too and {:.2f} times as fast: the built-in one stays", whose, *times));
  return won(std::move(made), fmt::format("{} is {:.2f} times as fast as the built-in one", whose, *times));
}

}  // namespace ka::pipeline

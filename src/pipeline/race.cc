#include "pipeline/race.h"

#include <algorithm>

#include "bench/timing_side.h"

namespace ka::pipeline {
namespace {

constexpr double kTimingSeconds = 10;

// Median milliseconds of a call.
Result<double> time_of(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const Runner& runner, const Means& means) {
  bench::TimingOptions timing;
  timing.device = judge.device;
  timing.contenders = {"kernel"};
  timing.seed = judge.seed;
  timing.seconds = kTimingSeconds;
  timing.limits = judge.limits;
  std::optional<os::GpuPool::Slot> slot;
  if (means.gpus != nullptr) {
    KA_ASSIGN(os::GpuPool::Slot taken, means.gpus->take(means.cancel));
    slot.emplace(std::move(taken));
    timing.only_gpu = slot->gpu();
  }
  KA_ASSIGN(const bench::Timed timed, bench::time_contenders({problem.path, problem.object, problem.text, problem.mode, runner.path, runner.text, runner.entry, runner.tier}, timing,
                                                             means.interpreter, means.cancel));
  if (timed.timings.empty()) return environment_error("the kernel could not be timed");
  return timed.timings[0].median_ms;
}

}  // namespace

Result<double> speed_up(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const Runner& before, const Runner& after, const Means& means) {
  double first = 0, second = 0;
  for (int turn = 0; turn < 2; ++turn) {
    KA_ASSIGN(const double one, time_of(problem, judge, before, means));
    KA_ASSIGN(const double other, time_of(problem, judge, after, means));
    first = turn == 0 ? one : std::min(first, one);
    second = turn == 0 ? other : std::min(second, other);
  }
  if (second <= 0) return environment_error("the kernel could not be timed");
  return first / second;
}

}  // namespace ka::pipeline

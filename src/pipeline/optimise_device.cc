#include "pipeline/optimise_device.h"

#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "bench/timing_side.h"

namespace ka::pipeline {
namespace {

struct Length {
  int warmup, rounds;
  double seconds;
};
constexpr Length kBrief = {5, 15, 5}, kFull = {20, 100, 30};

}  // namespace

Result<std::vector<optimise::Judged>> MachineDevice::judge(const std::vector<std::string>& texts) {
  std::vector<optimise::Judged> out(texts.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status result = ok();
  const auto work = [&] {
    for (std::size_t i = next++; i < texts.size(); i = next++) {
      Result<model::Verdict> verdict = ask_judge(problem_, {fmt::format("candidate_{}.py", i), texts[i]}, judge_, means_, nullptr);
      const std::lock_guard lock(mutex);
      if (!verdict) {
        if (result) result = verdict.error();
        return;
      }
      out[i] = {verdict->accepted, verdict->accepted ? "" : fmt::format("{}: {}", verdict->rule, verdict->reason), ""};
      if (verdict->accepted) known_[texts[i]] = {verdict->kernel.entry, verdict->precision.tier};
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(jobs_, texts.size()); ++i) threads.emplace_back(work);
    work();
  }
  if (!result) return result.error();
  return out;
}

Result<optimise::Samples> MachineDevice::time(const std::vector<std::string>& texts, optimise::Effort effort) {
  const Length& length = effort == optimise::Effort::brief ? kBrief : kFull;
  bench::TimingOptions options;
  options.device = judge_.device;
  options.contenders = {"kernel"};
  options.seed = judge_.seed;
  options.warmup = length.warmup;
  options.rounds = length.rounds;
  options.seconds = length.seconds * static_cast<double>(texts.size());
  options.limits = judge_.limits;
  for (std::size_t i = 1; i < texts.size(); ++i) options.rivals.push_back({bench::rival_name(i), texts[i], known_.at(texts[i]).entry});
  std::optional<os::GpuPool::Slot> slot;
  if (means_.gpus != nullptr) {
    KA_ASSIGN(os::GpuPool::Slot taken, means_.gpus->take(means_.cancel));
    slot.emplace(std::move(taken));
    options.only_gpu = slot->gpu();
  }
  const Known& first = known_.at(texts[0]);
  KA_ASSIGN(bench::Timed timed, bench::time_contenders({problem_.path, problem_.object, problem_.text, problem_.mode, "kernel.py", texts[0], first.entry, first.tier}, options, means_.interpreter, means_.cancel));
  optimise::Samples out(texts.size());
  for (model::Timing& timing : timed.timings) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (timing.contender == (i == 0 ? "kernel" : bench::rival_name(i))) out[i] = timing.samples_ms;
    }
    timings_.push_back(std::move(timing));
  }
  return out;
}

}  // namespace ka::pipeline

#include "pipeline/optimise_device.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "bench/timing_side.h"
#include "optimise/code_identity.h"
#include "pipeline/linked_cancel.h"

namespace ka::pipeline {
namespace {

struct Length {
  int warmup, rounds;
  double seconds;
};
constexpr std::chrono::seconds kCodeLimit{20};  // a program that takes longer to compile is told apart by its text alone
constexpr Length kBrief = {5, 15, 5}, kFull = {20, 100, 30}, kLast = {20, 200, 30};
constexpr std::chrono::milliseconds kLookEvery{50};

const Length& length_of(optimise::Effort effort) {
  switch (effort) {
    case optimise::Effort::brief: return kBrief;
    case optimise::Effort::full: return kFull;
    case optimise::Effort::last: return kLast;
  }
  return kFull;
}

// Cancels when the limit is reached, for as long as it lives.
class LimitWatch {
 public:
  LimitWatch(const os::CancelToken& outer, const optimise::Limit& limit) : cancel_(outer), watcher_([this, limit](const std::stop_token& stop) { watch(stop, limit); }) {}
  os::CancelToken token() const { return cancel_.token(); }

 private:
  void watch(const std::stop_token& stop, const optimise::Limit& limit) {
    std::unique_lock lock(mutex_);
    while (limit && !stop.stop_requested()) {
      if (!limit().empty()) return cancel_.cancel();
      wake_.wait_for(lock, stop, kLookEvery, [] { return false; });
    }
  }
  LinkedCancel cancel_;
  std::mutex mutex_;  // of nothing but the waiting
  std::condition_variable_any wake_;
  std::jthread watcher_;  // the last member: it uses the others
};

}  // namespace

Result<std::string> MachineDevice::code_of(const std::string& text, const os::CancelToken& cancel) const {
  optimise::CodeOptions options;
  options.arch = arch_;
  options.limit = kCodeLimit;
  options.limits = judge_.limits;
  const optimise::CodeSubject subject{problem_.path, problem_.object, problem_.text, problem_.mode, "kernel.py", text, judge_.entry};
  Result<std::string> code = optimise::code_identity(subject, options, means_.interpreter, cancel);
  if (!code && code.error().kind != ErrorKind::cancelled) return std::string();
  return code;
}

Result<optimise::Judged> MachineDevice::judge_one(const std::string& text, std::size_t number, const Means& means) {
  KA_ASSIGN(const std::string code, code_of(text, means.cancel));
  if (!code.empty()) {
    const std::lock_guard lock(mutex_);
    if (const auto same = codes_.find(code); same != codes_.end()) {
      if (same->second.first.accepted) known_.emplace(text, same->second.second);
      return same->second.first;
    }
  }
  KA_ASSIGN(const model::Verdict verdict, ask_judge(problem_, {fmt::format("candidate_{}.py", number), text}, judge_, means, nullptr));
  optimise::Judged out{verdict.accepted, verdict.accepted ? "" : fmt::format("{}: {}", verdict.rule, verdict.reason), code};
  const std::lock_guard lock(mutex_);
  const Known known{verdict.kernel.entry, verdict.precision.tier};
  if (verdict.accepted) known_[text] = known;
  if (!code.empty()) codes_.emplace(code, std::pair(out, known));
  return out;
}

Result<std::vector<optimise::Judged>> MachineDevice::judge(const std::vector<std::string>& texts, const optimise::Limit& limit) {
  const LimitWatch watch(means_.cancel, limit);
  const os::CancelToken cancel = watch.token();
  const Means means{means_.interpreter, cancel, means_.log, means_.budget, means_.gpus, means_.models};
  std::vector<optimise::Judged> out(texts.size(), {false, "the limit came first", "", false});
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status result = ok();
  const auto work = [&] {
    for (std::size_t i = next++; i < texts.size(); i = next++) {
      Result<optimise::Judged> judged = judge_one(texts[i], i, means);
      const std::lock_guard lock(mutex);
      if (!judged && judged.error().kind == ErrorKind::cancelled && !means_.cancel.cancelled()) return;
      if (!judged) {
        if (result) result = judged.error();
        return;
      }
      out[i] = std::move(*judged);
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
  const Length& length = length_of(effort);
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

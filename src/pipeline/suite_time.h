// Times a verified row of a suite against PyTorch, with samples that are taken alone on a GPU, with baselines of earlier runs where these are kept.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/baseline_cache.h"
#include "bench/timing_side.h"
#include "os/gpu_pool.h"
#include "pipeline/suite_task.h"

namespace ka::pipeline {

struct SuiteTiming {
  std::vector<std::string> contenders;  // the kernel first, eager second; empty: nothing is timed
  int rounds = 50;
  double seconds = 3;                              // for all rounds of a task
  std::chrono::milliseconds step_limit{180'000};   // to open a problem, to compile and warm up a contender, to take all samples: each
  os::SandboxLimits limits;
  std::optional<std::string> cache = {};  // the folder of kept baselines; nothing: refused
  std::size_t jobs = 1;                   // tasks at a time on one GPU: all but their samples are taken side by side
};

// The least time that the row's program can take on the GPU that the suite knows of, as `floor` of the row; nothing is added where either is not known.
void tell_floor(Json& row, const SuiteOptions& suite);

// Whether there is something to time, or to time again: a verified row without the times of all these contenders, or of the kernel that a search has found, on this device.
bool wants_timing(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing);

// What the tasks of a suite share while they are timed; by GPU, -1 where none takes part.
class SharedTiming {
 public:
  explicit SharedTiming(std::size_t jobs) : jobs_(jobs) {}
  Result<bench::SharedGpu*> gpu(int number);
  // To ask for it takes a while.
  Result<bench::Fingerprint> machine(int number, const std::function<Result<bench::Fingerprint>()>& ask);

 private:
  const std::size_t jobs_;
  std::mutex mutex_;  // guards what follows
  std::map<int, std::unique_ptr<bench::SharedGpu>> gpus_;
  std::map<int, bench::Fingerprint> machines_;
};

struct TimingMeans {
  bridge::WarmInterpreter& interpreter;
  os::CancelToken cancel;
  os::GpuPool* gpus = nullptr;  // with `timing.jobs` places for each; null: no GPU takes part, or nobody knows which
  SharedTiming& shared;
};

// The row with `bench`. A kernel that cannot be timed is verified all the same; the row says both. Errors: cancellation, and that nothing can be written.
Result<Json> time_task(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing, const TimingMeans& means);

}  // namespace ka::pipeline

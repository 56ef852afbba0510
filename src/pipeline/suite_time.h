// Times a verified row of a suite against PyTorch, alone on a GPU, with baselines of earlier runs where these are kept.
#pragma once

#include <chrono>
#include <map>
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
};

// The least time that the row's program can take on the GPU that the suite knows of, as `floor` of the row; nothing is added where either is not known.
void tell_floor(Json& row, const SuiteOptions& suite);

// Whether there is something to time, or to time again: a verified row without the times of all these contenders, or of the kernel that a search has found, on this device.
bool wants_timing(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing);

struct TimingMeans {
  bridge::WarmInterpreter& interpreter;
  os::CancelToken cancel;
  os::GpuPool* gpus = nullptr;  // a place of it is a GPU of one's own; null: no GPU takes part, or nobody knows which
  std::map<int, bench::Fingerprint>* machines = nullptr;  // by GPU, for the tasks that follow: to ask for it takes a while
};

// The row with `bench`. A kernel that cannot be timed is verified all the same; the row says both. Errors: cancellation, and that nothing can be written.
Result<Json> time_task(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing, const TimingMeans& means);

}  // namespace ka::pipeline

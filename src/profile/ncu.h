// Nsight Compute: finding it, and running a kernel file below it in the sandbox. What it wrote is read by ncu_csv.h.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "model/profile.h"
#include "profile/static_facts.h"

namespace ka::profile {

// KERNELAGENT_NCU, the PATH, CUDA_HOME and CUDA_PATH, and where NVIDIA's packages put it. Environment error that says how to get it; a
// KERNELAGENT_NCU that is no program is invalid_input.
Result<std::string> find_ncu();
// The same with these variables and files, for tests.
Result<std::string> find_ncu(const std::function<std::optional<std::string>(const std::string&)>& variable, const std::function<bool(const std::string&)>& is_program);

// The command line up to the program that is watched; metrics of kMetrics but for those that are left out.
std::vector<std::string> ncu_command(const std::string& ncu, const std::vector<std::string>& without = {});

struct CounterOptions {
  std::string ncu;
  std::chrono::milliseconds limit{300'000};  // for each of at most two runs
  os::SandboxLimits limits;
  std::optional<int> only_gpu = {};
};

// Kernels with their counters. Any error is a reason why there are none, fit to stand behind "no hardware counters: ".
Result<std::vector<model::KernelProfile>> counted_kernels(const Subject& subject, const CounterOptions& options, bridge::WarmInterpreter& interpreter,
                                                          const os::CancelToken& cancel);

// The static profile with the counters: kernels as they were counted, each with what the compiler said about it. The name must agree; of several compiled
// forms the one with as many warps, and then as many registers, is taken.
model::Profile with_counters(model::Profile profile, std::vector<model::KernelProfile> counted);

}  // namespace ka::profile

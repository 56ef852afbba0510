// What can be known about a kernel file without running it on a GPU: which kernels it launches at the given sizes, and what the compiler made
// of each of them for one GPU.
#pragma once

#include <chrono>
#include <string>

#include "base/event_log.h"
#include "base/json.h"
#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "ir/gpu.h"
#include "model/profile.h"

namespace ka::profile {

struct Subject {
  std::string problem_path, problem_object, problem_text, mode;
  std::string kernel_path, kernel_text, entry;  // entry empty: kernel_function, else ModelNew
};

struct StaticOptions {
  ir::Gpu gpu;  // an NVIDIA one
  std::chrono::milliseconds limit{60'000};  // for finding the launches, and for compiling each of them
  os::SandboxLimits limits;
};

// A Profile whose source is "static". Kernels that do not compile are named in `limits` with the reason; where none does, that is
// invalid_input, as are a problem or a kernel file that cannot be used.
Result<model::Profile> static_profile(const Subject& subject, const StaticOptions& options, bridge::WarmInterpreter& interpreter,
                                      const os::CancelToken& cancel, EventLog* log = nullptr);

// One kernel from a recorded launch and the compiler's answer about it (python/bridge/profile_code.py), both untrusted.
model::KernelProfile kernel_from(const Json& launch, const Json& compiled, const ir::Gpu& gpu);

}  // namespace ka::profile

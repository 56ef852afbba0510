// The judge: decides whether a kernel computes what a program computes. Original and suspect run in different sandboxed
// processes; what they return is compared here. Every refusal names one row of rules.cc.
//
// Deterministic: the same problem, kernel, options and machine give the same verdict, byte for byte but for its times.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/event_log.h"
#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "model/verdict.h"
#include "verify/candidate_side.h"
#include "verify/reference_side.h"
#include "verify/test_script.h"

namespace ka::verify {

struct JudgeOptions {
  std::string entry;                  // empty = kernel_function, else ModelNew
  std::string precision = "default";  // default, fp32, tf32, half
  std::string device = "cpu";         // cpu (Triton's interpreter) or cuda
  bool also_interpreted = false;      // what a GPU accepts is run in the interpreter too, which sees every access
  std::uint64_t seed = 0;
  bool require_general = false;
  bool require_buffers = false;
  bool sample_given = true;   // where sizes were scaled: some programs of every launch at the given ones (interpreter), or one draw (GPU)
  bool check_compile = true;  // also compile for target_arch when the kernel runs in the interpreter
  int target_arch = 90;
  std::optional<TestScript> test;  // must pass as well
  int repeats = 2;            // calls with the same inputs that must agree bit for bit
  std::chrono::milliseconds limit{60'000};
  os::SandboxLimits limits;
  std::optional<int> only_gpu = {};  // that either program sees
  os::SandboxLevel require_sandbox = os::SandboxLevel::none;
};

struct JudgeContext {
  bridge::WarmInterpreter& interpreter;
  os::CancelToken cancel;
  EventLog* log = nullptr;  // told of every step; may be absent
};

// A refused kernel is a Verdict. Errors: the problem is unusable (the user's), the machine cannot judge (the world's).
Result<model::Verdict> judge(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options,
                             JudgeContext& context);

// What people read on the terminal.
std::string verdict_text(const model::Verdict& verdict);

}  // namespace ka::verify

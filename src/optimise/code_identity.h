// Which kernel files do the same: the same code of all kernels, launched in the same order with the same grids and arguments by the same host code. No GPU is needed.
#pragma once

#include <chrono>
#include <string>

#include "bridge/warm_interpreter.h"
#include "os/sandbox.h"

namespace ka::optimise {

struct CodeSubject {
  std::string problem_path, problem_object, problem_text, mode;
  std::string kernel_path, kernel_text, entry;
};

struct CodeOptions {
  int arch = 90;  // compute capability that is compiled for
  std::chrono::milliseconds limit{60'000};
  os::SandboxLimits limits;
};

// A hash; files with the same one need not be timed twice. Empty where it is not known: tuned kernels, host code that needs values, a file that cannot be compiled. The error is
// a cancellation, or a dead interpreter.
Result<std::string> code_identity(const CodeSubject& subject, const CodeOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

}  // namespace ka::optimise

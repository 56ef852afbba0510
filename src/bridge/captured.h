// Kernel files whose launches are captured once per signature of their arguments and replayed: the text of the class that does it, which lies in
// python/bridge/captured.py and which the judge knows word for word, and a file with its entry behind that class.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::bridge {

// From `class Captured:` to the end.
std::string_view captured_class();

// What other functions of such a file call to have the launches of `run_kernels` replayed.
inline constexpr std::string_view kCapturedName = "captured_launches";
inline constexpr std::string_view kCapturedFunction = "run_kernels";

// The file `text`, whose function kernel_function becomes run_kernels, with a kernel_function of the same signature that replays it; where the file has no
// kernel_function and run_kernels already, only the name kCapturedName is added. `unsupported`: there is no such function, its signature holds more than names,
// or one of the new names is taken.
Result<std::string> with_captured_launches(const std::string& text);

}  // namespace ka::bridge

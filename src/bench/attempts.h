// Times what can be timed: a baseline or a rival that hangs, crashes or leaves the GPU unusable costs its time limit, and the kernel and the others are timed without it.
#pragma once

#include <functional>

#include "bench/timing_side.h"

namespace ka::bench {

// time_contenders() with these options: an error names the guilty one.
using TimeOnce = std::function<Result<Timed>(const TimingOptions& options, std::string& guilty)>;

// Errors: cancellation, and that the kernel itself cannot be timed. Baselines and rivals that were left out are among `failed`.
Result<Timed> time_in_attempts(TimingOptions options, const TimeOnce& once);

Result<Timed> time_in_attempts(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

}  // namespace ka::bench

// Recordings of optimize: --record FILE writes one, --device recorded:FILE answers from one.
#pragma once

#include <optional>

#include "app/cli/command.h"
#include "optimise/recorded_device.h"
#include "pipeline/machine_gpu.h"
#include "verify/judge.h"

namespace ka::app {

// The recording that --device names, or nothing. One of another problem is invalid_input.
Result<std::optional<optimise::Recording>> recording_of(const Arguments& arguments, const verify::ProblemSource& problem);

// What a new recording says about itself; the floor is the caller's.
Result<optimise::RecordingHead> recording_head(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const std::optional<pipeline::MachineGpu>& gpu,
                                               bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

// What the judge said when it was recorded: nothing is judged anew.
Result<model::Verdict> recorded_verdict(const optimise::Recording& recording, const verify::ProblemSource& problem, const verify::KernelSource& kernel);

}  // namespace ka::app

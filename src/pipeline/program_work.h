// What a program cannot do without: bytes and operations, as its graph tells them.
#pragma once

#include "ir/gpu.h"
#include "optimise/roofline.h"
#include "pipeline/generate.h"

namespace ka::pipeline {

// Without rewrites that change the amount of work. `unsupported`: the built-in generator cannot read the program.
Result<optimise::Work> program_work(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const ir::Gpu& gpu, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log);
// The same, of a program that is exported.
Result<optimise::Work> program_work(const graph::Exported& exported, const std::string& precision, const ir::Gpu& gpu);

}  // namespace ka::pipeline

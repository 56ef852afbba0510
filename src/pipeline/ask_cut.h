// A language model's word about where the program is cut. Its cut is executed beside the original, composed and judged like that of the rules, and taken only where it is
// faster: on the GPU where there is one, otherwise by what it costs in bytes, operations and launches.
#pragma once

#include "pipeline/run_options.h"
#include "pipeline/workers.h"

namespace ka::pipeline {

struct OpenProgram;

// What was asked and what came of it, below the run directory.
inline constexpr const char* kCutFile = "orchestrator/cut.json";

// Puts the better cut into `program`; the rest is told as the text of kCutFile. The cut of the rules stands where the model has none that can be used. Errors: cancelled, the end of
// the budget. `means.models` is the cutter.
Result<std::string> ask_cut(const RunOptions& options, OpenProgram& program, const Means& means);

}  // namespace ka::pipeline

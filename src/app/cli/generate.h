// kernelagent generate --problem P.py
#pragma once

#include <array>

#include "app/cli/command.h"
#include "bridge/warm_interpreter.h"
#include "graph/import.h"
#include "ir/plan.h"
#include "synth/codegen/module.h"
#include "verify/judge.h"

namespace ka::app {

inline constexpr auto kGenerateFlags = std::to_array<Flag>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--out", "DIR", "where kernel.py, graph.txt and verdict.json go (default: a folder of its own below .fuse)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "auto, cpu (Triton's interpreter) or cuda: where the kernel is verified"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--verify", "", "verify the kernel with the judge: the default, for the sake of being said"},
    {"--no-verify", "", "write the kernel only"},
    {"--explain", "", "print the graph, the kernels it became, and why nothing more was fused"},
    {"--json", "", "print the verdict as one JSON object"},
    {"--list-operators", "", "print the PyTorch operators that are known, and do nothing else"},
});

struct Generated {
  graph::Imported program;
  ir::Plan plan;
  codegen::KernelFile file;
  double seconds = 0;  // from the export to the text
};

// The kernel file for a problem, not yet verified. `unsupported`: an operator that has no row or no family, named with its place.
Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options,
                           bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

Result<int> run_generate(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

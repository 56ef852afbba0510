// kernelagent generate --problem P.py
#pragma once

#include <array>

#include "app/cli/command.h"
#include "base/event_log.h"
#include "bridge/warm_interpreter.h"
#include "graph/import.h"
#include "ir/plan.h"
#include "model/route.h"
#include "partition/cost.h"
#include "partition/rewrites.h"
#include "synth/codegen/module.h"
#include "verify/judge.h"

namespace ka::app {

inline constexpr auto kGenerateFlags = std::to_array<Flag>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--out", "DIR", "the run directory: new, empty, or of an earlier run (default: a folder of its own below .fuse)"},
    {"--platform", "NAME", "cuda or xpu: the device that the file names where its arguments do not tell (default cuda)"},
    {"--gpu", "NAME", "the GPU whose facts decide tiles and ways of computing: h200 (the default), h100, b200, a100, l40s, rtx4090, max1550"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--emit", "FORM", "kernel (kernel_function, the default) or kernelbench (the class ModelNew)"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "where the kernel is verified: cpu (Triton's interpreter), cuda, or auto: cuda where there is a GPU and then the interpreter too"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work, such as a sum through a matrix product"},
    {"--verify", "", "verify the kernel with the judge: the default, for the sake of being said"},
    {"--no-verify", "", "write the kernel only"},
    {"--explain", "", "print the route, the graph, the kernels it became, what they cost, and why it was decided so"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: verdict, route, kernels, files and times"},
    {"--list-operators", "", "print the PyTorch operators that are known, and do nothing else"},
});

struct GenerateChoices {
  std::string platform = "cuda";
  std::string emit = "kernel";  // kernel, kernelbench
  bool algebraic = true;        // rewrites that change the amount of work
  ir::Gpu gpu = ir::default_gpu();  // whose facts decide
};

struct Generated {
  graph::Imported program;
  std::vector<partition::AppliedRewrite> rewrites;
  std::vector<std::string> decisions;  // by what they cost
  ir::Plan plan;
  ir::Gpu gpu;
  partition::PlanCost cost;
  model::Route route;
  codegen::KernelFile file;
  std::string refactored;      // the planned program as PyTorch functions, found to compute what the program computes
  std::string no_refactored;   // or why there is none
  double seconds = 0;                   // from the export to the text
  std::map<std::string, double> times;  // seconds by step
};

// The kernel file for a problem, not yet verified. `unsupported`: operators that have no row or no family, each with its place,
// and the kernels that the rest of the program would become. `log` may be null.
Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices,
                           bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log = nullptr);

// Route, graph, plan, and every reason for a "no".
std::string explanation(const Generated& made);

Result<int> run_generate(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

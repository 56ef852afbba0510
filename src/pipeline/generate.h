// From a problem to the text of its kernels, by the built-in generator: route, graph, partition, synth.
#pragma once

#include <chrono>
#include <functional>

#include "base/event_log.h"
#include "bridge/warm_interpreter.h"
#include "graph/import.h"
#include "ir/plan.h"
#include "model/route.h"
#include "partition/cost.h"
#include "partition/refactored.h"
#include "partition/rewrites.h"
#include "pipeline/program_side.h"
#include "synth/codegen/module.h"
#include "verify/judge.h"

namespace ka::pipeline {

struct GenerateChoices {
  std::string platform = "cuda";
  std::string emit = "kernel";  // kernel, kernelbench
  bool algebraic = true;        // rewrites that change the amount of work
  ir::Gpu gpu = ir::default_gpu();  // whose facts decide
  bool checks_plan = true;          // executes the planned program beside the original
  std::string export_cache = {};    // a folder for what PyTorch says about programs; empty: nothing is kept
};

struct Generated {
  std::string facts;           // what the text of the problem tells, as JSON (ReferenceSide::source_facts)
  graph::Exported exported;
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

// The process in which the program is exported, and the same with one that is there already (`opened`: when that was begun).
Result<ProgramSide> open_program(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices, bridge::WarmInterpreter& interpreter,
                                 const os::CancelToken& cancel, EventLog* log = nullptr);
Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices,
                           ProgramSide& side, std::chrono::steady_clock::time_point opened, const os::CancelToken& cancel, EventLog* log = nullptr);

// The program as PyTorch exports it, for those who write its kernels themselves.
Result<graph::Exported> export_program(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const GenerateChoices& choices, bridge::WarmInterpreter& interpreter,
                                       const os::CancelToken& cancel, EventLog* log = nullptr);

// From the program as it was exported to the text of its kernels: no process takes part.
// A stage begins (no message) or has ended.
using Lap = std::function<void(const char* stage, const std::string& message)>;
Status write_kernels(const graph::Exported& exported, const GenerateChoices& choices, const codegen::GenerateOptions& writing, const Lap& lap, Generated& out);

// A program in plain PyTorch as a problem of KernelBench's form, where the original can be constructed again.
std::string as_problem(const partition::Refactored& parts, const Generated& made, const std::string& about);

// Route, graph, plan, and every reason for a "no".
std::string explanation(const Generated& made);

}  // namespace ka::pipeline

#include "pipeline/program_work.h"

namespace ka::pipeline {

optimise::Work work_of(const Generated& made) {
  optimise::Work out;
  out.bytes = made.cost.floor_bytes;
  for (const partition::KernelCost& kernel : made.cost.kernels) {
    out.product_flops += kernel.product_flops;
    out.other_flops += kernel.other_flops;
  }
  return out;
}

Result<optimise::Work> program_work(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const ir::Gpu& gpu, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log) {
  GenerateChoices choices;
  choices.gpu = gpu;
  choices.algebraic = false;
  choices.checks_plan = false;
  KA_ASSIGN(const Generated made, generate(problem, judge, choices, interpreter, cancel, log));
  return work_of(made);
}

Result<optimise::Work> program_work(const graph::Exported& exported, const std::string& precision, const ir::Gpu& gpu) {
  GenerateChoices choices;
  choices.gpu = gpu;
  choices.algebraic = false;
  codegen::GenerateOptions writing;
  writing.precision = precision;
  writing.gpu = gpu;
  Generated out;
  KA_TRY(write_kernels(exported, choices, writing, [](const char*, const std::string&) {}, out));
  return work_of(out);
}

}  // namespace ka::pipeline

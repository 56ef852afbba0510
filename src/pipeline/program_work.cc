#include "pipeline/program_work.h"

namespace ka::pipeline {

Result<optimise::Work> program_work(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const ir::Gpu& gpu, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log) {
  GenerateChoices choices;
  choices.gpu = gpu;
  choices.algebraic = false;
  choices.checks_plan = false;
  KA_ASSIGN(const Generated made, generate(problem, judge, choices, interpreter, cancel, log));
  optimise::Work out;
  out.bytes = made.cost.floor_bytes;
  for (const partition::KernelCost& kernel : made.cost.kernels) {
    out.product_flops += kernel.product_flops;
    out.other_flops += kernel.other_flops;
  }
  return out;
}

}  // namespace ka::pipeline

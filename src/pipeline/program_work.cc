#include "pipeline/program_work.h"

namespace ka::pipeline {

Result<optimise::Work> program_work(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const ir::Gpu& gpu, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log) {
  GenerateChoices choices;
  choices.gpu = gpu;
  KA_ASSIGN(const graph::Exported exported, export_program(problem, judge, choices, interpreter, cancel, log));
  return program_work(exported, judge.precision, gpu);
}

Result<optimise::Work> program_work(const graph::Exported& exported, const std::string& precision, const ir::Gpu& gpu) {
  GenerateChoices choices;
  choices.gpu = gpu;
  choices.algebraic = false;
  codegen::GenerateOptions writing;
  writing.precision = precision;
  writing.gpu = gpu;
  Generated made;
  KA_TRY(write_kernels(exported, choices, writing, [](const char*, const std::string&) {}, made));
  optimise::Work out;
  out.bytes = made.cost.floor_bytes;
  for (const partition::KernelCost& kernel : made.cost.kernels) {
    (kernel.grade.starts_with("float32") || kernel.grade.starts_with("float64") ? out.product_flops : out.half_flops) += kernel.product_flops;
    out.other_flops += kernel.other_flops;
  }
  return out;
}

}  // namespace ka::pipeline

// kernelagent doctor --measure-ceilings: what the GPUs of this machine reach at best, beside their data sheets.
#pragma once

#include <string>

#include "app/cli/command.h"
#include "bench/ceilings.h"

namespace ka::app {

// Measures every kind of GPU that programs here may use, alone on it, and keeps the result for `optimize` and `profile`. `environment` where there is no GPU.
Result<int> measure_ceilings(const Arguments& arguments, AppContext& context);

// A table against the peaks of `known` (null: the GPU is not in data/gpus.json).
std::string ceilings_text(const bench::Ceilings& ceilings, const ir::Gpu* known);
// One line: "4.21 TB/s, float16 760 TFLOP/s, measured 2026-11-16".
std::string ceilings_line(const bench::Ceilings& ceilings);

}  // namespace ka::app

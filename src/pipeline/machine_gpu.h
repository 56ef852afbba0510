// The GPU that programs of this machine use: what is known about it, and what it can do.
#pragma once

#include <optional>
#include <string>

#include "bench/ceilings.h"
#include "ir/gpu.h"
#include "optimise/roofline.h"
#include "os/gpu.h"

namespace ka::pipeline {

struct MachineGpu {
  os::Gpu device;
  ir::Gpu facts;          // of the table; the default row where that does not have it
  bool is_known = false;  // the table has it
  std::optional<optimise::Peaks> sheet, measured;

  // What an efficiency is a share of: measured ceilings, else the data sheet; nothing where neither is known.
  const std::optional<optimise::Peaks>& peaks() const { return measured ? measured : sheet; }
};

// The first that CUDA shows to programs; nothing where there is none.
std::optional<MachineGpu> machine_gpu();
MachineGpu machine_gpu(const os::Gpu& device, const std::optional<bench::Ceilings>& ceilings);

// The best of the measured rates of each kind: memory that is only read may be faster than a copy.
optimise::Peaks measured_peaks(const bench::Ceilings& ceilings);

}  // namespace ka::pipeline

// Work over peak: how long a program must take at least on a GPU, and what share of that a measured time is. The work is that of the program, not of
// the kernels: each input read once, each result written once, the products of the program once.
#pragma once

#include <string>
#include <string_view>

#include "ir/gpu.h"
#include "model/diagnosis.h"

namespace ka::optimise {

struct Work {
  double bytes = 0;
  double product_flops = 0;  // of matrix products that have float32's accuracy
  double other_flops = 0;
  double half_flops = 0;     // of matrix products that have TF32's or less: what PyTorch does by default with convolutions, and with numbers of 16 bits
};

// What a GPU can do, per second.
struct Peaks {
  double bytes = 0, float32 = 0, half = 0;
  std::string basis;  // "by measured ceilings", "by the data sheet": for whoever prints what came of it
};
Peaks data_sheet_peaks(const ir::Gpu& gpu);

struct Floor {
  double memory_seconds = 0, compute_seconds = 0;
  std::string basis = {};
  double seconds() const { return memory_seconds > compute_seconds ? memory_seconds : compute_seconds; }
};

// Products at the best rate that the tier ("fp32", "tf32", "half"; empty: fp32) can have: float32's accuracy by three float16 products,
// TF32's by one.
Floor floor_of(const Work& work, const Peaks& peaks, std::string_view tier);

// Above 100 % is a bug or a cheat: a warning says so.
model::Roofline roofline(const Floor& floor, double measured_seconds, bool uses_tensor_cores);

}  // namespace ka::optimise

// What a plan costs, in bytes, operations and launches, at the sizes of the given program; and the least that any plan could cost.
//
// A kernel reads every element of memory that it looks at once (what several programs read again comes from a cache), and writes what it keeps.
// Its time is that of its memory or of its arithmetic, whichever is longer, and its launches. This is a model to compare ways by, not a promise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ir/gpu.h"
#include "ir/plan.h"

namespace ka::partition {

struct KernelCost {
  double bytes_read = 0, bytes_written = 0;
  double product_flops = 0;   // of matrix products, at the rate of their grade
  double other_flops = 0;
  std::string grade;          // of the products: "float32", "float16", "float32-grade: three float16", ...
  double launches = 1;
  double memory_seconds = 0, arithmetic_seconds = 0, launch_seconds = 0;

  double bytes() const { return bytes_read + bytes_written; }
  double flops() const { return product_flops + other_flops; }
  double seconds() const { return std::max(memory_seconds, arithmetic_seconds) + launch_seconds; }
  const char* bound() const;  // memory, arithmetic, launch
};

struct PlanCost {
  std::vector<KernelCost> kernels;  // by kernel of the plan
  double bytes = 0, flops = 0, launches = 0, seconds = 0;
  double host_seconds = 0;          // that Python takes to launch all of it
  double floor_bytes = 0;           // each argument that is read, read once, each result written once
  double floor_seconds = 0;
};

// `tier` as for `prepared`.
PlanCost cost_of(const ir::Graph& graph, const ir::Plan& plan, const std::string& tier, const ir::Gpu& gpu);

// Kernels side by side in one launch: the launch is the first one's. `launches`: for each launch the kernels that it runs.
void launch_together(PlanCost& cost, const std::vector<std::vector<std::size_t>>& launches, const ir::Gpu& gpu);

// One line per kernel, the totals, and why values are kept rather than computed again.
std::string to_text(const PlanCost& cost, const ir::Gpu& gpu);
std::vector<std::string> reasons_to_keep(const ir::Graph& graph, const ir::Plan& plan, const PlanCost& cost, const ir::Gpu& gpu);

}  // namespace ka::partition

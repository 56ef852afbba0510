// Launches side by side. Kernels that have the same text, the same sizes and the same types, none of which waits for another, become one launch
// when each of them alone would leave multiprocessors idle: the projections of queries, keys and values, the towers of a block. A second grid
// dimension says which member a program belongs to; what it is handed is chosen by it:
//
//   def linear_kernel_x2(x_ptr, weight_ptr, out_ptr, weight_ptr_1, out_ptr_1, ...):
//       member = tl.program_id(1)
//       if member == 1:
//           weight_ptr, out_ptr = weight_ptr_1, out_ptr_1
//       linear_kernel(x_ptr, weight_ptr, out_ptr, ...)
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/gpu.h"
#include "ir/plan.h"
#include "synth/codegen/family.h"

namespace ka::codegen {

// The kernels that one launch runs: one, or several side by side.
using Launch = std::vector<std::size_t>;

// All launches in an order in which they can run. `same`: for each kernel the first one that has its text; `types`: of the buffers, by name.
std::vector<Launch> group_launches(const std::vector<EmittedKernel>& kernels, const std::vector<std::size_t>& same, const ir::Plan& plan,
                                   const std::map<std::string, ir::DType>& types, const ir::Gpu& gpu);

// Which pointers are the same for all members.
std::vector<bool> shared_pointers(const std::vector<EmittedKernel>& kernels, const Launch& launch);
// The function that chooses between members, and how it is launched.
std::string group_text(const EmittedKernel& kernel, const std::string& name, const std::vector<bool>& shared, std::size_t members);
EmittedKernel group_launch(const std::vector<EmittedKernel>& kernels, const Launch& launch, const std::string& name);

}  // namespace ka::codegen

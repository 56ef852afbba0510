// Where a program of PyTorch's operators is cut into parts, following the plan of its kernels: at values that the plan keeps in memory and
// that are values of the program as well. What lies between two cuts (padded images, halves of operands, partial sums) is a part's own
// business. So the parts together need no more launches and move no more bytes than the plan for the whole.
#pragma once

#include <vector>

#include "ir/plan.h"
#include "ir/program.h"

namespace ka::partition {

// The parts in an order in which they can be called, and draw in the program's order. `launches`: kernels of the plan that run side by side
// stay together.
std::vector<ir::Part> cut(const ir::Graph& graph, const ir::Plan& plan, const std::vector<std::vector<std::size_t>>& launches, const ir::Program& program);

}  // namespace ka::partition

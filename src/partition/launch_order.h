// What has to be computed, and the order in which the kernels of a plan are launched.
#pragma once

#include "base/result.h"
#include "ir/plan.h"

namespace ka::partition {

// By node: whether anything that is returned, kept or drawn comes of it.
std::vector<bool> needed_nodes(const ir::Graph& graph);
// Whether a kernel needs another one, directly or not.
bool reaches(const ir::Plan& plan, int from, int to);
// Each kernel after those that it needs; kernels that keep nothing leave the plan.
Status order_launches(ir::Plan& plan);

}  // namespace ka::partition

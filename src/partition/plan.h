// Decides which kernels compute a graph (ir/plan.h says what a plan is).
#pragma once

#include "base/result.h"
#include "ir/plan.h"

namespace ka::partition {

Result<ir::Plan> partition(const ir::Graph& graph);

}  // namespace ka::partition

// The order in which the kernels of a plan are launched.
#pragma once

#include "base/result.h"
#include "ir/plan.h"

namespace ka::partition {

// Each kernel after those that it needs; kernels that keep nothing leave the plan.
Status order_launches(ir::Plan& plan);

}  // namespace ka::partition

// Parts from a grouping of a program's operators that somebody proposes: whatever is no cut of the program is refused with a sentence.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/program.h"

namespace ka::partition {

// For people: the name of an operator.
using OperatorName = std::function<std::string(int op)>;

// `wanted`: the operators that the parts must have together, each exactly once. The parts are in an order in which they can be called and draw in the program's order.
Result<std::vector<ir::Part>> parts_of_groups(const ir::Program& program, const std::vector<int>& wanted, const std::vector<std::vector<int>>& groups, const OperatorName& name);

}  // namespace ka::partition

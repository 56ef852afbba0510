// PyTorch's operators as terms, one row each: the single place that says what an operator means.
#pragma once

#include <span>
#include <string_view>

namespace ka::graph {

struct Operator {
  std::string_view spelling;  // "aten.gelu.default"
  std::string_view term;      // over the operands of the operator's schema
};

std::span<const Operator> pointwise_operators();
std::span<const Operator> view_operators();
std::span<const Operator> reduce_operators();
std::span<const Operator> contraction_operators();
std::span<const Operator> network_operators();  // norms, pools, losses, attention

std::span<const Operator> recurrent_operators();
std::span<const Operator> resample_operators();  // interpolation, grids, fold
std::span<const Operator> scatter_operators();
std::span<const Operator> sort_operators();

// All of the above.
std::span<const std::span<const Operator>> operator_groups();
const Operator* find_operator(std::string_view spelling);

}  // namespace ka::graph

// PyTorch's operators as terms, one row each: the single place that says what an operator means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ka::graph {

struct Operator {
  std::string_view spelling;  // "aten.gelu.default"
  // over the operands of the operator's schema, `results`, the number of its results, and `result_dtype`, of the first
  std::string_view term;
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

// All rows, group by group.
std::vector<std::span<const Operator>> operator_groups();

// Another name of the same operator, all its overloads alike: "aten.absolute" is "aten.abs".
struct OperatorAlias {
  std::string_view name, same_as;
};
std::span<const OperatorAlias> operator_aliases();

// Also by an alias.
const Operator* find_operator(std::string_view spelling);
// Every spelling that find_operator knows, sorted.
std::vector<std::string> operator_spellings();

}  // namespace ka::graph

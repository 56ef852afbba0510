#include "graph/operators.h"

namespace ka::graph {

std::span<const std::span<const Operator>> operator_groups() {
  static const std::span<const Operator> groups[] = {pointwise_operators(), view_operators(),    reduce_operators(),
                                                     contraction_operators(), network_operators(), recurrent_operators(),
                                                     resample_operators(), scatter_operators(), sort_operators()};
  return groups;
}

const Operator* find_operator(std::string_view spelling) {
  for (const std::span<const Operator> group : operator_groups()) {
    for (const Operator& row : group) {
      if (row.spelling == spelling) return &row;
    }
  }
  return nullptr;
}

}  // namespace ka::graph

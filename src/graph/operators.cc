#include "graph/operators.h"

namespace ka::graph {

const Operator* find_operator(std::string_view spelling) {
  for (const std::span<const Operator> group :
       {pointwise_operators(), view_operators(), reduce_operators(), contraction_operators(), network_operators()}) {
    for (const Operator& row : group) {
      if (row.spelling == spelling) return &row;
    }
  }
  return nullptr;
}

}  // namespace ka::graph

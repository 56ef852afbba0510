// Attention, found by its structure: softmax(f(q k^T)) v, where f is anything that is computed element by element from the
// products and from values at the same place: a scale, a mask, a bias, a cap. One kernel computes it without keeping the products.
#pragma once

#include <map>
#include <set>

#include "ir/graph.h"

namespace ka::partition {

struct Attention {
  int first = -1;             // the node that multiplies q and k
  int last = -1;              // the node that multiplies with v
  std::set<int> inside;       // the nodes before it that only it needs; they get no kernel of their own
  ir::ValueId query = -1, key = -1, value = -1;  // [b, m, d], [b, d, n], [b, n, e]
  ir::ValueId product = -1;   // q k^T, [b, m, n]
  ir::ValueId scores = -1;    // what the softmax is of
  ir::ValueId sum = -1;       // of the exponentials, for each row
  ir::ValueId divisor = -1;   // the sum, or what stands for it where it is 0
  ir::ValueId softmax = -1;   // exponentials / divisor
  ir::ValueId weights = -1;   // what is multiplied with v: the softmax, perhaps scaled or with some left out
};

// By the number of the last node. Heads that are too wide for one tile in the given program are left alone.
std::map<int, Attention> find_attention(const ir::Graph& graph);

}  // namespace ka::partition

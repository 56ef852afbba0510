#include "partition/prepare.h"

#include "partition/attention.h"
#include "partition/long_reductions.h"
#include "partition/products.h"

namespace ka::partition {

ir::Graph prepared(const ir::Graph& graph) {
  const std::map<int, Attention> attention = find_attention(graph);
  std::set<int> inside;
  for (const auto& [last, found] : attention) inside.insert(found.inside.begin(), found.inside.end());
  return rewritten(graph, [&](Rewriting& here) {
    if (inside.contains(here.number) || attention.contains(here.number)) return narrow_product(here);
    if (const std::optional<ir::ValueId> product = arranged_product(here)) return product;
    return split_reduction(here);
  });
}

}  // namespace ka::partition

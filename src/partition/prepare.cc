#include "partition/prepare.h"

#include "partition/attention.h"
#include "partition/half_products.h"
#include "partition/long_reductions.h"
#include "partition/products.h"

namespace ka::partition {

namespace {

// The division of scores is exact: what it is off by, the exponential makes larger.
std::optional<ir::ValueId> exact_scores(Rewriting& here) {
  ir::Builder& b = here.builder;
  if (here.node.op != "div" || b.rank(here.inputs[1]) != 0 || here.old.type(here.node.outputs[0]).dtype != ir::DType::float32) return std::nullopt;
  return b.elementwise("div_rn", here.inputs);
}

}  // namespace

ir::Graph prepared(const ir::Graph& graph, const std::string& tier) {
  const std::map<int, Attention> attention = find_attention(graph);
  std::set<int> inside;
  for (const auto& [last, found] : attention) inside.insert(found.inside.begin(), found.inside.end());
  return rewritten(graph, [&](Rewriting& here) {
    if (inside.contains(here.number) || attention.contains(here.number)) {
      const std::optional<ir::ValueId> scores = exact_scores(here);
      return scores ? scores : narrow_product(here);
    }
    if (const std::optional<ir::ValueId> product = half_product(here, tier)) return product;
    if (const std::optional<ir::ValueId> product = arranged_product(here)) return product;
    if (const std::optional<ir::ValueId> squares = split_squares(here)) return squares;
    return split_reduction(here);
  });
}

}  // namespace ka::partition

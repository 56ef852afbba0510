#include "partition/joins.h"

#include <algorithm>

namespace ka::partition {
namespace {

// The pieces of a join, of joins along the same dimension all the way down.
void add_pieces(const ir::Graph& graph, ir::ValueId value, const ir::Sym& dim, std::vector<ir::ValueId>& out) {
  const ir::Node* node = graph.maker(value);
  if (node == nullptr || node->op != "cat" || !(ir::int_attribute(*node, "dim") == dim)) {
    out.push_back(value);
    return;
  }
  for (const ir::ValueId input : node->inputs) add_pieces(graph, input, dim, out);
}

}  // namespace

std::optional<ir::ValueId> joined_onto(Rewriting& here) {
  if (here.node.op != "cat" || here.inputs.size() <= kMostPieces) return std::nullopt;
  const ir::Graph& graph = here.builder.graph();
  const ir::Sym& dim = ir::int_attribute(here.node, "dim");
  std::optional<ir::ValueId> longest;
  std::size_t length = 1;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != "cat" || !(ir::int_attribute(node, "dim") == dim)) continue;
    std::vector<ir::ValueId> pieces;
    add_pieces(graph, node.outputs[0], dim, pieces);
    if (pieces.size() <= length || pieces.size() >= here.inputs.size() || !std::equal(pieces.begin(), pieces.end(), here.inputs.begin())) continue;
    longest = node.outputs[0];
    length = pieces.size();
  }
  if (!longest) return std::nullopt;
  std::vector<ir::ValueId> parts{*longest};
  parts.insert(parts.end(), here.inputs.begin() + static_cast<std::ptrdiff_t>(length), here.inputs.end());
  return here.builder.cat(std::move(parts), static_cast<int>(dim.constant().value_or(0)));
}

}  // namespace ka::partition

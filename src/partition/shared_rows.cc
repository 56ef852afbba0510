#include "partition/shared_rows.h"

#include <algorithm>
#include <map>

#include "ir/primitives.h"
#include "ir/shared_rows.h"

namespace ka::partition {
namespace {

using ir::Node;
using ir::ValueId;

// Whether something of the operand's shape is computed, element by element, from what a reduction gives.
bool is_looked_at_again(const ir::Graph& graph, const std::vector<std::vector<int>>& users, const Node& reduction) {
  std::set<ValueId> seen;
  std::vector<ValueId> waiting{reduction.outputs[0]};
  while (!waiting.empty()) {
    const ValueId value = waiting.back();
    waiting.pop_back();
    if (!seen.insert(value).second) continue;
    if (graph.shape(value) == graph.shape(reduction.inputs[0])) return true;
    for (const int user : users[static_cast<std::size_t>(value)]) {
      const Node& node = graph.nodes[static_cast<std::size_t>(user)];
      if (ir::find_primitive(node.op)->fusion == ir::Fusion::elementwise) waiting.push_back(node.outputs[0]);
    }
  }
  return false;
}

struct Rows {
  std::set<int> reductions;
  bool again = false, known = true;  // looked at again; all of them are kinds that programs can put together
};

}  // namespace

std::set<int> reductions_of_shared_rows(const ir::Graph& graph, const ir::Gpu& gpu) {
  std::set<int> out;
  if (!gpu.writes(ir::Form::shared_rows)) return out;
  std::map<std::string, std::int64_t> given;
  for (const ir::SizeSource& size : graph.sizes) given[size.symbol] = size.given;
  const std::vector<std::vector<int>> users = ir::users(graph);
  std::map<std::string, Rows> groups;  // by shape and dimensions
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op != "reduce") continue;
    const ir::Shape& shape = graph.shape(node.inputs[0]);
    ir::Sym rows = 1, columns = 1;
    std::string key;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::vector<ir::Sym>& dims = ir::ints_attribute(node, "dims");
      const bool reduced = std::any_of(dims.begin(), dims.end(), [&](const ir::Sym& dim) { return dim.is(static_cast<std::int64_t>(d)); });
      (reduced ? columns : rows) = (reduced ? columns : rows) * shape[d];
      key += (reduced ? "|" : ",") + shape[d].text();
    }
    const auto value = [&](const ir::Sym& sym) { return ir::evaluate(sym, given).value_or(1); };
    if (!ir::shared_rows(gpu, value(rows), value(columns))) continue;
    Rows& group = groups[key];
    group.reductions.insert(static_cast<int>(i));
    group.known = group.known && ir::can_be_shared(graph, node);
    group.again = group.again || is_looked_at_again(graph, users, node);
  }
  for (const auto& [key, group] : groups) {
    if (group.again && group.known) out.insert(group.reductions.begin(), group.reductions.end());
  }
  return out;
}

}  // namespace ka::partition

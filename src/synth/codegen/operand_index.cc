#include "synth/codegen/operand_index.h"

#include <fmt/format.h>

#include "ir/builder.h"

namespace ka::codegen {

using ir::Node;
using ir::Sym;
using ir::ValueId;
using Index = std::vector<Sym>;

std::map<std::string, Sym> places_of(const Index& index) {
  std::map<std::string, Sym> out;
  for (std::size_t d = 0; d < index.size(); ++d) out[fmt::format("i{}", d)] = index[d];
  return out;
}

Index at_operand(const ir::Graph& graph, ValueId operand, const Index& index) {
  const ir::Shape& shape = graph.shape(operand);
  Index inner(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d].is(1)) inner[d] = 0;
  }
  return inner;
}

std::optional<double> number_of(const ir::Graph& graph, ValueId value) {
  const Node* node = graph.maker(value);
  if (node == nullptr) return std::nullopt;
  if (node->op == "constant") return ir::float_attribute(*node, "value");
  const bool same = node->op == "reshape" || node->op == "permute" || node->op == "cast" || (node->op == "remap" && !node->attributes.contains("valid"));
  return same ? number_of(graph, node->inputs[0]) : std::nullopt;
}

std::optional<Index> through_view(const ir::Graph& graph, ValueId value, const Index& index) {
  const Node* node = graph.maker(value);
  if (node == nullptr || node->attributes.contains("valid")) return std::nullopt;
  if (node->op == "reshape") return ir::delinearize(ir::linearize(index, graph.shape(value)), graph.shape(node->inputs[0]));
  Index inner;
  if (node->op == "permute") {
    inner.resize(index.size());
    const std::vector<Sym>& dims = ir::ints_attribute(*node, "dims");
    for (std::size_t d = 0; d < dims.size(); ++d) inner[static_cast<std::size_t>(*dims[d].constant())] = index[d];
    return inner;
  }
  if (node->op != "remap") return std::nullopt;
  const std::map<std::string, Sym> places = places_of(index);
  for (const Sym& i : ir::ints_attribute(*node, "index")) inner.push_back(ir::substitute(i, places));
  return inner;
}

}  // namespace ka::codegen

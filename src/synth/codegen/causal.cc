// A mask is where(condition, score, -inf) or where(condition, -inf, score). Its condition is followed through views,
// comparisons and negations down to index expressions and becomes "c >= 0"; c = s + row - column is a causal mask.
#include "synth/codegen/causal.h"

#include <cmath>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

using ir::Node;
using ir::Sym;
using ir::ValueId;
using Index = std::vector<Sym>;

class Masks {
 public:
  Masks(const ir::Graph& graph, const Sym& row, const Sym& column) : graph_(graph), difference_(row - column), row_(row), column_(column) {}

  std::optional<Sym> span(ValueId value, const Index& index) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (const auto moved = through_view(value, *node, index)) return span(node->inputs[0], *moved);
    if (node->op == "cast") return span(node->inputs[0], index);
    if (node->op != "where") return std::nullopt;
    const bool first = number(node->inputs[1]) == -INFINITY, second = number(node->inputs[2]) == -INFINITY;
    if (first == second) return std::nullopt;
    if (const std::optional<Sym> shown = condition(node->inputs[0], at_operand(node->inputs[0], index), first)) {
      const Sym rest = *shown - difference_;
      if (!depends(rest)) return rest;
    }
    const ValueId score = node->inputs[first ? 2 : 1];
    return span(score, at_operand(score, index));
  }

 private:
  bool depends(const Sym& sym) const {
    for (const Sym& symbol : {row_, column_}) {
      if (symbol.atom() != nullptr && ir::depends_on(sym, symbol.atom()->name)) return true;
    }
    return false;
  }

  Index at_operand(ValueId operand, const Index& index) const {
    const ir::Shape& shape = graph_.shape(operand);
    Index inner(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d].is(1)) inner[d] = 0;
    }
    return inner;
  }

  // The index in the operand of a view that shows all of its elements as they are.
  std::optional<Index> through_view(ValueId value, const Node& node, const Index& index) const {
    if (node.op == "reshape") return ir::delinearize(ir::linearize(index, graph_.shape(value)), graph_.shape(node.inputs[0]));
    if (node.op == "permute") {
      Index inner(index.size());
      const std::vector<Sym>& dims = ir::ints_attribute(node, "dims");
      for (std::size_t d = 0; d < dims.size(); ++d) inner[static_cast<std::size_t>(*dims[d].constant())] = index[d];
      return inner;
    }
    if (node.op != "remap" || node.attributes.contains("valid")) return std::nullopt;
    std::map<std::string, Sym> places;
    for (std::size_t d = 0; d < index.size(); ++d) places[fmt::format("i{}", d)] = index[d];
    Index inner;
    for (const Sym& i : ir::ints_attribute(node, "index")) inner.push_back(ir::substitute(i, places));
    return inner;
  }

  // The one number that a value is, everywhere.
  std::optional<double> number(ValueId value) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (node->op == "constant") return ir::float_attribute(*node, "value");
    const bool same = node->op == "reshape" || node->op == "permute" || node->op == "cast" || (node->op == "remap" && !node->attributes.contains("valid"));
    return same ? number(node->inputs[0]) : std::nullopt;
  }

  std::optional<Sym> integer(ValueId value, const Index& index) const {
    if (ir::is_float(graph_.type(value).dtype)) return std::nullopt;
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (node->op == "constant") return Sym(static_cast<std::int64_t>(ir::float_attribute(*node, "value")));
    if (node->op == "index") {
      std::map<std::string, Sym> places;
      for (std::size_t d = 0; d < index.size(); ++d) places[fmt::format("i{}", d)] = index[d];
      return ir::substitute(ir::int_attribute(*node, "expression"), places);
    }
    if (const auto moved = through_view(value, *node, index)) return integer(node->inputs[0], *moved);
    if (node->op == "cast") return integer(node->inputs[0], index);
    if (node->op != "add" && node->op != "sub") return std::nullopt;
    const std::optional<Sym> a = integer(node->inputs[0], at_operand(node->inputs[0], index));
    const std::optional<Sym> b = integer(node->inputs[1], at_operand(node->inputs[1], index));
    if (!a || !b) return std::nullopt;
    return node->op == "add" ? *a + *b : *a - *b;
  }

  // c such that the truth value (its opposite when negated) is c >= 0
  std::optional<Sym> condition(ValueId value, const Index& index, bool negated) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (const auto moved = through_view(value, *node, index)) return condition(node->inputs[0], *moved, negated);
    if (node->op == "cast") return condition(node->inputs[0], index, negated);
    if (node->op == "not") return condition(node->inputs[0], index, !negated);
    if (node->op == "where") {
      const std::optional<double> yes = number(node->inputs[1]), no = number(node->inputs[2]);
      if (!yes || !no || (*yes != 0) == (*no != 0)) return std::nullopt;
      return condition(node->inputs[0], at_operand(node->inputs[0], index), negated != (*yes == 0));
    }
    const bool less = node->op == "le" || node->op == "lt", more = node->op == "ge" || node->op == "gt";
    if (!less && !more) return std::nullopt;
    const std::optional<Sym> a = integer(node->inputs[0], at_operand(node->inputs[0], index));
    const std::optional<Sym> b = integer(node->inputs[1], at_operand(node->inputs[1], index));
    if (!a || !b) return std::nullopt;
    const Sym strict = node->op == "lt" || node->op == "gt" ? 1 : 0;
    const Sym c = (less ? *b - *a : *a - *b) - strict;
    return negated ? Sym(0) - c - 1 : c;
  }

  const ir::Graph& graph_;
  const Sym difference_, row_, column_;
};

}  // namespace

std::optional<Sym> visible_span(const ir::Graph& graph, ValueId scores, const std::vector<Sym>& index, const Sym& row, const Sym& column) {
  return Masks(graph, row, column).span(scores, index);
}

}  // namespace ka::codegen

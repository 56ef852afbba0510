// A mask is where(condition, score, -inf) or where(condition, -inf, score). Its condition is followed through views,
// comparisons and negations down to index expressions and becomes "c >= 0"; c = s + row - column is a causal mask.
#include "synth/codegen/causal.h"

#include <cmath>

#include "synth/codegen/operand_index.h"

namespace ka::codegen {
namespace {

using ir::Node;
using ir::Sym;
using ir::ValueId;
using Index = std::vector<Sym>;

class Masks {
 public:
  Masks(const ir::Graph& graph, const Sym& row, const Sym& column) : graph_(graph), difference_(row - column), row_(row), column_(column) {}

  std::optional<CausalMask> find(ValueId value, const Index& index) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (const auto moved = through_view(graph_, value, index)) return find(node->inputs[0], *moved);
    if (node->op == "cast") return find(node->inputs[0], index);
    if (node->op != "where") return std::nullopt;
    const bool first = number_of(graph_, node->inputs[1]) == -INFINITY, second = number_of(graph_, node->inputs[2]) == -INFINITY;
    if (first == second) return std::nullopt;
    const ValueId shown = node->inputs[first ? 2 : 1];
    const Index inner = at_operand(graph_, shown, index);
    if (const std::optional<Sym> seen = condition(node->inputs[0], at_operand(graph_, node->inputs[0], index), first)) {
      const Sym rest = *seen - difference_;
      if (!depends(rest)) return CausalMask{rest, value, shown, index, inner};
    }
    return find(shown, inner);
  }

 private:
  bool depends(const Sym& sym) const {
    for (const Sym& symbol : {row_, column_}) {
      if (symbol.atom() != nullptr && ir::depends_on(sym, symbol.atom()->name)) return true;
    }
    return false;
  }

  std::optional<Sym> integer(ValueId value, const Index& index) const {
    if (ir::is_float(graph_.type(value).dtype)) return std::nullopt;
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (node->op == "constant") return Sym(static_cast<std::int64_t>(ir::float_attribute(*node, "value")));
    if (node->op == "index") return ir::substitute(ir::int_attribute(*node, "expression"), places_of(index));
    if (const auto moved = through_view(graph_, value, index)) return integer(node->inputs[0], *moved);
    if (node->op == "cast") return integer(node->inputs[0], index);
    if (node->op != "add" && node->op != "sub") return std::nullopt;
    const std::optional<Sym> a = integer(node->inputs[0], at_operand(graph_, node->inputs[0], index));
    const std::optional<Sym> b = integer(node->inputs[1], at_operand(graph_, node->inputs[1], index));
    if (!a || !b) return std::nullopt;
    return node->op == "add" ? *a + *b : *a - *b;
  }

  // c such that the truth value (its opposite when negated) is c >= 0
  std::optional<Sym> condition(ValueId value, const Index& index, bool negated) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (const auto moved = through_view(graph_, value, index)) return condition(node->inputs[0], *moved, negated);
    if (node->op == "cast") return condition(node->inputs[0], index, negated);
    if (node->op == "not") return condition(node->inputs[0], index, !negated);
    if (node->op == "where") {
      const std::optional<double> yes = number_of(graph_, node->inputs[1]), no = number_of(graph_, node->inputs[2]);
      if (!yes || !no || (*yes != 0) == (*no != 0)) return std::nullopt;
      return condition(node->inputs[0], at_operand(graph_, node->inputs[0], index), negated != (*yes == 0));
    }
    const bool less = node->op == "le" || node->op == "lt", more = node->op == "ge" || node->op == "gt";
    if (!less && !more) return std::nullopt;
    const std::optional<Sym> a = integer(node->inputs[0], at_operand(graph_, node->inputs[0], index));
    const std::optional<Sym> b = integer(node->inputs[1], at_operand(graph_, node->inputs[1], index));
    if (!a || !b) return std::nullopt;
    const Sym strict = node->op == "lt" || node->op == "gt" ? 1 : 0;
    const Sym c = (less ? *b - *a : *a - *b) - strict;
    return negated ? Sym(0) - c - 1 : c;
  }

  const ir::Graph& graph_;
  const Sym difference_, row_, column_;
};

}  // namespace

std::optional<CausalMask> causal_mask(const ir::Graph& graph, ValueId scores, const std::vector<ir::Sym>& index, const Sym& row, const Sym& column) {
  return Masks(graph, row, column).find(scores, index);
}

}  // namespace ka::codegen

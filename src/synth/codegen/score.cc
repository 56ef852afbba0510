#include "synth/codegen/score.h"

#include <algorithm>
#include <cmath>

#include "ir/primitives.h"
#include "synth/codegen/operand_index.h"

namespace ka::codegen {
namespace {

using ir::Node;
using ir::Sym;
using ir::ValueId;
using Index = std::vector<Sym>;

bool is_elementwise(const Node& node) { return ir::find_primitive(node.op)->fusion == ir::Fusion::elementwise; }

// Follows values down to a product, with the index at which each is read.
class Walk {
 public:
  Walk(const KernelContext& context, ValueId end, const Sym& column) : context_(context), graph_(*context.graph), end_(end), column_(column) {}

  // Whether it is another number for another column.
  bool varies(const ValueAt& at) const {
    const auto& [value, index] = at;
    if (value == end_) return true;
    if (const Buffer* memory = context_.loadable(value)) return depends(ir::linearize(index, memory->shape));
    const Node* node = graph_.maker(value);
    if (node == nullptr) return true;
    if (node->op == "constant") return false;
    if (node->op == "index") return depends(ir::substitute(ir::int_attribute(*node, "expression"), places_of(index)));
    if (const auto moved = through_view(graph_, value, index)) return varies({node->inputs[0], *moved});
    if (!is_elementwise(*node)) return std::any_of(index.begin(), index.end(), [&](const Sym& i) { return depends(i); });
    return std::any_of(node->inputs.begin(), node->inputs.end(), [&](ValueId x) { return varies({x, at_operand(graph_, x, index)}); });
  }

  // Calls `fixed` for the largest parts that do not vary, and counts what is left.
  int look(const ValueAt& at, const CausalMask* mask, std::vector<ValueAt>& fixed) {
    const auto& [value, index] = at;
    if (value == end_ || !seen_.insert(at).second) return 0;
    const Node* node = graph_.maker(value);
    if (!varies(at)) {
      if (node == nullptr || node->op != "constant") fixed.push_back(at);
      return 0;
    }
    if (context_.loadable(value) != nullptr || node == nullptr) return 1;
    if (mask != nullptr && value == mask->masked) return look({mask->shown, mask->shown_at}, mask, fixed);
    if (const auto moved = through_view(graph_, value, index)) return look({node->inputs[0], *moved}, mask, fixed);
    if (!is_elementwise(*node)) return 1;
    int out = static_cast<int>(ir::find_primitive(node->op)->flops);
    for (const ValueId x : node->inputs) out += look({x, at_operand(graph_, x, index)}, mask, fixed);
    return out;
  }

  // Shown from how it is computed: -inf times it is -inf.
  bool is_positive(ValueId value) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return false;
    if (node->op == "constant") return ir::float_attribute(*node, "value") > 0;
    if (node->op == "index") return ir::is_nonnegative(ir::int_attribute(*node, "expression") - 1);
    if (node->attributes.contains("positive") || node->op == "rsqrt") return true;
    const bool same = node->op == "cast" || node->op == "sqrt" || node->op == "sqrt_rn" || node->op == "mul" || node->op == "div" || node->op == "div_rn" ||
                      (ir::find_primitive(node->op)->fusion == ir::Fusion::view && !node->attributes.contains("valid"));
    return same && std::all_of(node->inputs.begin(), node->inputs.end(), [&](ValueId x) { return is_positive(x); });
  }

 private:
  bool depends(const Sym& sym) const { return column_.atom() != nullptr && ir::depends_on(sym, column_.atom()->name); }

  struct Before {
    bool operator()(const ValueAt& a, const ValueAt& b) const { return key(a) < key(b); }
    static std::string key(const ValueAt& at) {
      std::string out = std::to_string(at.first);
      for (const Sym& i : at.second) out += "," + i.text();
      return out;
    }
  };

  const KernelContext& context_;
  const ir::Graph& graph_;
  const ValueId end_;
  const Sym column_;
  std::set<ValueAt, Before> seen_;
};

// Float types of which the kernel computes with the same numbers.
bool computes_alike(ir::DType a, ir::DType b) { return ir::is_float(a) && ir::is_float(b) && compute_type(a) == compute_type(b); }

// For where(c, -inf, x) true, for where(c, x, -inf) false.
std::optional<bool> hides_where(const ir::Graph& graph, const Node& node) {
  if (node.op != "where") return std::nullopt;
  const bool first = number_of(graph, node.inputs[1]) == -INFINITY, second = number_of(graph, node.inputs[2]) == -INFINITY;
  return first != second ? std::optional(first) : std::nullopt;
}

}  // namespace

ScorePlan plan_scores(const KernelContext& context, ValueId product, const ValueAt& scores, const Sym& row, const Sym& column) {
  const ir::Graph& graph = *context.graph;
  Walk walk(context, product, column);
  ScorePlan out;
  out.inner = scores;
  out.mask = causal_mask(graph, scores.first, scores.second, row, column);
  for (;;) {
    const auto& [value, index] = out.inner;
    const Node* node = graph.maker(value);
    if (value == product || node == nullptr) break;
    if (out.mask && value == out.mask->masked) {
      out.mask_is_last = true;
      out.inner = {out.mask->shown, out.mask->shown_at};
    } else if (const auto moved = through_view(graph, value, index)) {
      out.inner = {node->inputs[0], *moved};
    } else if (node->op == "cast" && !node->attributes.contains("exact") && computes_alike(graph.type(value).dtype, graph.type(node->inputs[0]).dtype)) {
      out.inner = {node->inputs[0], index};
    } else if (const std::optional<bool> hides = hides_where(graph, *node)) {
      out.hidden.push_back({{node->inputs[0], at_operand(graph, node->inputs[0], index)}, *hides});
      const ValueId shown = node->inputs[*hides ? 2 : 1];
      out.inner = {shown, at_operand(graph, shown, index)};
    } else if (node->op == "mul" || node->op == "div" || node->op == "div_rn") {
      const bool divides = node->op != "mul";
      const auto operand = [&](std::size_t k) { return ValueAt{node->inputs[k], at_operand(graph, node->inputs[k], index)}; };
      const auto is_factor = [&](std::size_t k) { return walk.is_positive(node->inputs[k]) && !walk.varies(operand(k)); };
      const std::size_t k = is_factor(1) || divides ? 1 : 0;
      if (!is_factor(k)) break;
      out.factors.push_back({operand(k), divides});
      out.inner = operand(1 - k);
    } else {
      break;
    }
  }
  const CausalMask* const mask = out.mask ? &*out.mask : nullptr;
  out.operations = walk.look(out.inner, mask, out.fixed);
  for (const Hidden& one : out.hidden) out.operations += 1 + walk.look(one.condition, mask, out.fixed);
  return out;
}

std::vector<ValueAt> fixed_along(const KernelContext& context, ValueId end, const ValueAt& value, const Sym& column) {
  std::vector<ValueAt> out;
  Walk(context, end, column).look(value, nullptr, out);
  return out;
}

}  // namespace ka::codegen

#include "partition/rewrites.h"

#include <algorithm>

#include "ir/legality.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Node;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

constexpr int kMaxRounds = 8;  // each round makes the graph smaller

std::vector<int> dims_of(const Node& node) {
  std::vector<int> dims;
  for (const Sym& dim : ir::ints_attribute(node, "dims")) dims.push_back(static_cast<int>(*dim.constant()));
  return dims;
}

bool is_arithmetic(const std::string& kind) { return kind == "sum" || kind == "prod" || kind == "max" || kind == "min"; }

// A copy, for the builder may move its nodes.
std::optional<Node> maker(ir::Builder& b, ValueId value) {
  const Node* const found = b.graph().maker(value);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

const ir::Type& result_type(const Rewriting& here) { return here.old.type(here.node.outputs[0]); }

// ---- reductions of one element

std::optional<ValueId> reduction_of_one(Rewriting& here) {
  if (here.node.op != "reduce" || !is_arithmetic(ir::text_attribute(here.node, "kind"))) return std::nullopt;
  const Shape& shape = here.builder.shape(here.inputs[0]);
  const std::vector<int> dims = dims_of(here.node);
  if (!std::all_of(dims.begin(), dims.end(), [&](int d) { return shape[static_cast<std::size_t>(d)].is(1); })) return std::nullopt;
  return here.builder.type(here.inputs[0]) == result_type(here) ? std::optional(here.inputs[0]) : std::nullopt;
}

// ---- reductions of reductions

std::optional<ValueId> reduction_of_reduction(Rewriting& here) {
  if (here.node.op != "reduce" || !is_arithmetic(ir::text_attribute(here.node, "kind"))) return std::nullopt;
  ir::Builder& b = here.builder;
  const std::optional<Node> inner = maker(b, here.inputs[0]);
  if (!inner || inner->op != "reduce" || here.readers[static_cast<std::size_t>(here.node.inputs[0])] > 1) return std::nullopt;
  const std::string kind = ir::text_attribute(here.node, "kind");
  if (ir::text_attribute(*inner, "kind") != kind || b.type(inner->inputs[0]).dtype != result_type(here).dtype) return std::nullopt;
  std::vector<int> dims = dims_of(here.node);
  for (const int d : dims_of(*inner)) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) dims.push_back(d);
  }
  std::sort(dims.begin(), dims.end());
  return b.reduce(kind, inner->inputs[0], dims);
}

// ---- what is done twice

std::optional<ValueId> twice_is_once(Rewriting& here) {
  constexpr std::string_view settled[] = {"abs", "ceil", "floor", "round", "trunc"};
  if (std::find(std::begin(settled), std::end(settled), here.node.op) == std::end(settled)) return std::nullopt;
  const std::optional<Node> inner = maker(here.builder, here.inputs[0]);
  return inner && inner->op == here.node.op ? std::optional(here.inputs[0]) : std::nullopt;
}

std::optional<ValueId> negated_twice(Rewriting& here) {
  if (here.node.op != "neg") return std::nullopt;
  const std::optional<Node> inner = maker(here.builder, here.inputs[0]);
  if (!inner || inner->op != "neg" || here.builder.type(inner->inputs[0]) != result_type(here)) return std::nullopt;
  return inner->inputs[0];
}

// ---- sums through products

Shape kept_shape(Shape shape, const std::vector<int>& dims) {
  for (const int d : dims) shape[static_cast<std::size_t>(d)] = 1;
  return shape;
}

// The sum over some dimensions of an operand as it is broadcast to `shape`. In float64: every element of the result shares this one
// rounding error, which PyTorch, adding up other terms between, does not make.
ValueId sum_of_broadcast(ir::Builder& b, ValueId x, const Shape& shape, const std::vector<int>& dims) {
  const int lead = static_cast<int>(shape.size()) - b.rank(x);
  std::vector<int> own;
  Sym times = 1;
  for (const int d : dims) {
    const bool broadcast = d < lead || (b.shape(x)[static_cast<std::size_t>(d - lead)].is(1) && !shape[static_cast<std::size_t>(d)].is(1));
    if (broadcast) times = times * shape[static_cast<std::size_t>(d)];
    else own.push_back(d - lead);
  }
  const DType dtype = b.type(x).dtype;
  if (!own.empty()) x = b.cast(b.reduce("sum", b.cast(x, DType::float64), own), dtype);
  if (times.is(1)) return x;
  return b.elementwise("mul", {x, b.cast(b.index({}, times), b.type(x).dtype)});
}

std::optional<ValueId> sum_of_product(ir::Builder& b, const Node& product, const std::vector<int>& dims) {
  ValueId x = product.inputs[0], y = product.inputs[1];
  if (b.type(x).dtype != DType::float32 || b.type(y).dtype != DType::float32) return std::nullopt;
  for (const int d : dims) {
    if (d == 0) return std::nullopt;
    if (d == 1) x = b.reduce("sum", x, {1});
    if (d == 2) y = b.reduce("sum", y, {2});
  }
  return b.matmul(x, y);
}

// The sum of a value over some dimensions, which stay with extent 1, without the product that it is made from; nothing where
// there is no such product.
std::optional<ValueId> cheap_sum(ir::Builder& b, ValueId value, const std::vector<int>& dims) {
  const std::optional<Node> node = maker(b, value);
  if (!node || b.type(value).dtype != DType::float32) return std::nullopt;
  const Shape shape = b.shape(value);
  if (node->op == "matmul") return sum_of_product(b, *node, dims);
  if (node->op == "reshape") {  // leading extents of 1 come or go
    const Shape inner = b.shape(node->inputs[0]);
    const int lead = static_cast<int>(inner.size()) - static_cast<int>(shape.size());
    if (lead < 0 || !std::equal(shape.begin(), shape.end(), inner.begin() + lead)) return std::nullopt;
    std::vector<int> moved;
    for (const int d : dims) moved.push_back(d + lead);
    const std::optional<ValueId> sum = cheap_sum(b, node->inputs[0], moved);
    return sum ? std::optional(b.reshape(*sum, kept_shape(shape, dims))) : std::nullopt;
  }
  if (node->inputs.size() != 2 || b.type(node->inputs[0]).dtype != DType::float32 || b.type(node->inputs[1]).dtype != DType::float32) return std::nullopt;
  const ValueId x = node->inputs[0], y = node->inputs[1];
  if ((node->op == "mul" || node->op == "div") && b.rank(y) == 0) {
    const std::optional<ValueId> sum = cheap_sum(b, x, dims);
    return sum ? std::optional(b.elementwise(node->op, {*sum, y})) : std::nullopt;
  }
  if (node->op != "add" && node->op != "sub") return std::nullopt;
  constexpr ValueId kNone = -1;
  const auto cheaply = [&](ValueId operand) { return b.shape(operand) == shape ? cheap_sum(b, operand, dims).value_or(kNone) : kNone; };
  ValueId left = cheaply(x), right = cheaply(y);
  // an operand of the full shape that is no product would have to be read twice
  if ((left == kNone && right == kNone) || (left == kNone && b.shape(x) == shape) || (right == kNone && b.shape(y) == shape)) return std::nullopt;
  if (left == kNone) left = sum_of_broadcast(b, x, shape, dims);
  if (right == kNone) right = sum_of_broadcast(b, y, shape, dims);
  return b.elementwise(node->op, {left, right});
}

// Whether nobody else reads what lies between a value and the products that it is made from: otherwise they are made anyway.
bool is_read_once(const Rewriting& here, ValueId value) {
  const Node* const node = here.old.maker(value);
  if (node == nullptr || here.old.shape(value).empty()) return true;
  if (here.readers[static_cast<std::size_t>(value)] > 1) return false;
  return node->op == "matmul" || std::all_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) { return is_read_once(here, input); });
}

std::optional<ValueId> sum_through_product(Rewriting& here) {
  if (here.node.op != "reduce" || ir::text_attribute(here.node, "kind") != "sum" || result_type(here).dtype != DType::float32) return std::nullopt;
  if (!is_read_once(here, here.node.inputs[0])) return std::nullopt;
  const std::optional<ValueId> sum = cheap_sum(here.builder, here.inputs[0], dims_of(here.node));
  return sum && here.builder.type(*sum) == result_type(here) ? sum : std::nullopt;
}

constexpr Rewrite kRewrites[] = {
    {"reduction_of_one", "the sum, product, largest or least of one element is the element", false, reduction_of_one},
    {"reduction_of_reduction", "a reduction of reductions of its kind is one over all their dimensions", false, reduction_of_reduction},
    {"twice_is_once", "abs, ceil, floor, round and trunc change nothing the second time", false, twice_is_once},
    {"negated_twice", "the negation of a negation is the value", false, negated_twice},
    {"sum_through_product", "the sum over the rows or columns of a matrix product is the product with an operand's sums", true, sum_through_product},
};

}  // namespace

std::span<const Rewrite> all_rewrites() { return kRewrites; }

Simplified simplified(const ir::Graph& graph, bool algebraic) {
  Simplified out{graph, {}};
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::size_t before = out.applied.size();
    out.graph = rewritten(out.graph, [&](Rewriting& here) -> std::optional<ValueId> {
      for (const Rewrite& rewrite : kRewrites) {
        if (rewrite.algebraic && !algebraic) continue;
        if (const std::optional<ValueId> other = checked(rewrite.name, here, rewrite.apply(here))) {
          out.applied.push_back({std::string(rewrite.name), rewrite.algebraic, here.node.where});
          return other;
        }
      }
      return std::nullopt;
    });
    ir::after_pass("rewrites", out.graph);
    if (out.applied.size() == before) break;
  }
  return out;
}

}  // namespace ka::partition

// Matched from the end: v's product, through what scales the softmax, the softmax itself, and down to the one product that its
// operand is computed from. The softmax is
//
//   e = exp(x - m);  e / s      m = max(x) or a number where that is infinite;  s = sum(e) or a number where that is 0
//
// Every value in between must be needed here only: nothing of it will be in memory.
#include "partition/attention.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/primitives.h"

namespace ka::partition {
namespace {

using ir::Fusion;
using ir::Node;
using ir::Shape;
using ir::ValueId;

constexpr std::int64_t kWidestHead = 256;

class Matcher {
 public:
  explicit Matcher(const ir::Graph& graph) : graph_(graph), users_(ir::users(graph)) {
    for (const ir::SizeSource& size : graph.sizes) given_[size.symbol] = size.given;
    for (const ValueId output : graph.outputs) wanted_.insert(output);
    for (const ir::Update& update : graph.updates) wanted_.insert(update.value);
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
      const std::vector<ValueId>& outputs = graph.nodes[i].outputs;
      const bool is_needed = std::any_of(outputs.begin(), outputs.end(), [&](ValueId v) {
        const std::vector<int>& readers = users_[at(v)];
        return wanted_.contains(v) || std::any_of(readers.begin(), readers.end(), [&](int user) { return needed_.contains(user); });
      });
      if (is_needed) needed_.insert(static_cast<int>(i));
    }
  }

  std::optional<Attention> match(int last) {
    found_ = {};
    found_.last = last;
    const Node& node = graph_.nodes[at(last)];
    if (node.op != "matmul") return std::nullopt;
    found_.weights = node.inputs[0];
    found_.value = node.inputs[1];
    if (!find_softmax() || !match_softmax() || !find_product() || !fits() || !take_rest(node)) return std::nullopt;
    return is_closed() ? std::optional(found_) : std::nullopt;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Node* maker(ValueId value, const char* op) const {
    const Node* node = graph_.maker(value);
    return node != nullptr && node->op == op ? node : nullptr;
  }
  void take(ValueId value) { found_.inside.insert(graph_.values[at(value)].node); }

  // The last two extents: rows and columns of the scores.
  bool same_matrix(ValueId a, ValueId b) const {
    const Shape &x = graph_.shape(a), &y = graph_.shape(b);
    return x.size() >= 2 && y.size() >= 2 && std::equal(x.end() - 2, x.end(), y.end() - 2);
  }

  // Whether a value is computed from another, element by element or by views.
  bool depends(ValueId value, ValueId on) const {
    if (value == on) return true;
    const Node* node = graph_.maker(value);
    return value > on && node != nullptr && std::any_of(node->inputs.begin(), node->inputs.end(), [&](ValueId i) { return depends(i, on); });
  }

  // Weights in two parts (half_products.h): the second is computed from what the first is.
  bool take_rest(const Node& node) {
    if (node.inputs.size() == 2) return true;
    const Node* high = maker(node.inputs[0], "cast");
    return high != nullptr && take_between(node.inputs[2], high->inputs[0]);
  }

  // weights = softmax, reshaped, cast, multiplied or divided by what does not depend on it
  bool find_softmax() {
    ValueId value = found_.weights;
    while (true) {
      const Node* node = graph_.maker(value);
      if (node == nullptr) return false;
      if (node->op == "div" && maker(node->inputs[0], "exp") != nullptr) break;
      const bool through = node->op == "reshape" || node->op == "cast" || node->op == "mul" || node->op == "div";
      if (!through) return false;
      const std::size_t k = node->op == "mul" && holds_softmax(node->inputs[1]) ? 1 : 0;
      if (node->op == "mul" && holds_softmax(node->inputs[1 - k])) return false;
      if (!same_matrix(node->inputs[k], value)) return false;
      take(value);
      value = node->inputs[k];
    }
    found_.softmax = value;
    return true;
  }

  bool holds_softmax(ValueId value) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return false;
    if (node->op == "div" && maker(node->inputs[0], "exp") != nullptr) return true;
    const bool through = node->op == "reshape" || node->op == "cast" || node->op == "mul" || node->op == "div";
    return through && std::any_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) { return holds_softmax(input); });
  }

  // reduce(kind) over the last dimension, or where(condition on it, number, it)
  std::optional<ValueId> row_statistic(ValueId value, const char* kind) {
    if (const Node* choice = maker(value, "where")) {
      const ValueId other = choice->inputs[2];
      if (maker(choice->inputs[1], "constant") == nullptr && maker(choice->inputs[1], "cast") == nullptr) return std::nullopt;
      if (!graph_.shape(choice->inputs[1]).empty() || !depends(choice->inputs[0], other)) return std::nullopt;
      const std::optional<ValueId> inner = row_statistic(other, kind);
      if (!inner) return std::nullopt;
      take(value);
      if (!take_between(choice->inputs[0], other)) return std::nullopt;
      return inner;
    }
    const Node* node = maker(value, "reduce");
    if (node == nullptr || ir::text_attribute(*node, "kind") != kind) return std::nullopt;
    const std::vector<ir::Sym>& dims = ir::ints_attribute(*node, "dims");
    const int last = static_cast<int>(graph_.shape(node->inputs[0]).size()) - 1;
    if (dims.size() != 1 || !dims[0].is(last)) return std::nullopt;
    take(value);
    return value;
  }

  // Takes everything between a value and one that it is computed from, when it is all elementwise.
  bool take_between(ValueId value, ValueId from) {
    if (value == from || !depends(value, from)) return true;
    const Node* node = graph_.maker(value);
    if (ir::find_primitive(node->op)->fusion != Fusion::elementwise) return false;
    take(value);
    return std::all_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) { return take_between(input, from); });
  }

  bool match_softmax() {
    const Node& quotient = *graph_.maker(found_.softmax);
    take(found_.softmax);
    const ValueId e = quotient.inputs[0];
    found_.divisor = quotient.inputs[1];
    const std::optional<ValueId> sum = row_statistic(found_.divisor, "sum");
    if (!sum || graph_.maker(*sum)->inputs[0] != e) return false;
    found_.sum = *sum;
    take(e);
    const Node* difference = maker(graph_.maker(e)->inputs[0], "sub");
    if (difference == nullptr) return false;
    take(difference->outputs[0]);
    found_.scores = difference->inputs[0];
    const std::optional<ValueId> largest = row_statistic(difference->inputs[1], "max");
    return largest && graph_.maker(*largest)->inputs[0] == found_.scores;
  }

  // The one product behind the scores, at the same row and column.
  bool find_product() {
    std::set<ValueId> seen;
    return walk(found_.scores, seen) && found_.product >= 0;
  }

  bool holds_product(ValueId value, std::map<ValueId, bool>& known) const {
    if (const auto found = known.find(value); found != known.end()) return found->second;
    const Node* node = graph_.maker(value);
    bool holds = false;
    if (node != nullptr) {
      const Fusion fusion = ir::find_primitive(node->op)->fusion;
      holds = node->op == "matmul";
      if (fusion == Fusion::elementwise || fusion == Fusion::view)
        holds = std::any_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) { return holds_product(input, known); });
    }
    return known[value] = holds;
  }

  bool walk(ValueId value, std::set<ValueId>& seen) {
    if (!seen.insert(value).second) return true;
    std::map<ValueId, bool> known;
    if (!holds_product(value, known)) return true;  // a mask, a bias: computed or loaded where it is needed
    if (!same_matrix(value, found_.scores)) return true;  // another product, with a kernel of its own
    const Node* node = graph_.maker(value);
    if (node->op == "matmul") {
      if (found_.product >= 0 && found_.product != value) return false;
      found_.product = value;
      found_.first = graph_.values[at(value)].node;
      found_.query = node->inputs[0];
      found_.key = node->inputs[1];
      take(value);
      return true;
    }
    if (ir::find_primitive(node->op)->fusion != Fusion::elementwise && node->op != "reshape") return false;
    take(value);
    return std::all_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) { return walk(input, seen); });
  }

  bool fits() const {
    const Shape &q = graph_.shape(found_.query), &v = graph_.shape(found_.value), &p = graph_.shape(found_.product);
    const auto given = [&](const ir::Sym& extent) { return ir::evaluate(extent, given_).value_or(1); };
    if (p[0] != v[0] || p[2] != v[1] || !same_matrix(found_.weights, found_.scores)) return false;
    return given(q[2]) <= kWidestHead && given(v[2]) <= kWidestHead;
  }

  bool is_closed() const {
    for (const int number : found_.inside) {
      for (const ValueId output : graph_.nodes[at(number)].outputs) {
        if (wanted_.contains(output)) return false;
        for (const int user : users_[at(output)]) {
          if (needed_.contains(user) && user != found_.last && !found_.inside.contains(user)) return false;
        }
      }
    }
    return !found_.inside.contains(graph_.values[at(found_.value)].node);
  }

  const ir::Graph& graph_;
  std::map<std::string, std::int64_t> given_;
  std::vector<std::vector<int>> users_;
  std::set<ValueId> wanted_;
  std::set<int> needed_;  // nodes that the results need
  Attention found_;
};

}  // namespace

std::map<int, Attention> find_attention(const ir::Graph& graph) {
  Matcher matcher(graph);
  std::map<int, Attention> out;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    if (std::optional<Attention> found = matcher.match(i)) out.emplace(i, std::move(*found));
  }
  return out;
}

}  // namespace ka::partition

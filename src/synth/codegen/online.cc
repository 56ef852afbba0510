#include "synth/codegen/online.h"

#include <algorithm>

namespace ka::codegen {
namespace {

using ir::Node;
using ir::ValueId;

const Node* made_by(const ir::Graph& graph, ValueId value, const char* op) {
  const Node* node = graph.maker(value);
  return node != nullptr && node->op == op ? node : nullptr;
}

// Whether a value is one number for each row of a tensor that is reduced over `dims`.
bool is_one_per_row(const ir::Shape& shape, const ir::Shape& of, const std::vector<ir::Sym>& dims) {
  return std::all_of(dims.begin(), dims.end(), [&](const ir::Sym& d) {
    const std::int64_t from_end = static_cast<std::int64_t>(of.size()) - *d.constant();
    const std::int64_t at = static_cast<std::int64_t>(shape.size()) - from_end;
    return at < 0 || shape[static_cast<std::size_t>(at)].is(1);
  });
}

}  // namespace

std::optional<OnlineSum> online_sum(const ir::Graph& graph, const Node& reduction) {
  if (reduction.op != "reduce" || ir::text_attribute(reduction, "kind") != "sum") return std::nullopt;
  const Node* exponential = made_by(graph, reduction.inputs[0], "exp");
  const Node* square = made_by(graph, reduction.inputs[0], "mul");
  if (square != nullptr && square->inputs[0] != square->inputs[1]) return std::nullopt;
  const Node* outer = exponential != nullptr ? exponential : square;
  const Node* distance = outer == nullptr ? nullptr : made_by(graph, outer->inputs[0], "sub");
  if (distance == nullptr || !ir::is_float(graph.type(outer->outputs[0]).dtype)) return std::nullopt;
  const ValueId x = distance->inputs[0], centre = distance->inputs[1];
  const ir::Shape& shape = graph.shape(reduction.inputs[0]);
  if (graph.shape(x) != shape || !is_one_per_row(graph.shape(centre), shape, ir::ints_attribute(reduction, "dims"))) return std::nullopt;
  return OnlineSum{exponential != nullptr ? OnlineSum::Kind::exponentials : OnlineSum::Kind::squares, x, centre};
}

RowStages::RowStages(const KernelContext& context, const ir::PlannedKernel& kernel, bool at_once) : context_(context), kernel_(kernel), at_once_(at_once) {
  for (const int number : kernel.nodes) {
    const Node& node = context.graph->nodes[static_cast<std::size_t>(number)];
    if (node.op == "reduce") last_ = std::max(last_, stage_of(node.outputs[0]));
  }
}

int RowStages::stage_of(ValueId value) {
  if (const auto found = stages_.find(value); found != stages_.end()) return found->second;
  int stage = 0;
  const Node* node = context_.graph->maker(value);
  if (node != nullptr && context_.loadable(value) == nullptr) {
    if (const std::optional<OnlineSum> online = found_online(*node)) {
      stage = stage_of(online->x) + 1;
      online_.emplace(value, *online);
    } else {
      for (const ValueId input : node->inputs) stage = std::max(stage, stage_of(input));
      if (node->op == "reduce") ++stage;
    }
  }
  return stages_[value] = stage;
}

std::optional<OnlineSum> RowStages::found_online(const Node& node) {
  const std::optional<OnlineSum> sum = at_once_ ? online_sum(*context_.graph, node) : std::nullopt;
  if (!sum || stage_of(sum->centre) != stage_of(sum->x) + 1) return std::nullopt;
  return sum->kind == OnlineSum::Kind::squares || takes_maximum_of(sum->x) ? sum : std::nullopt;
}

bool RowStages::takes_maximum_of(ValueId x) const {
  return std::any_of(kernel_.nodes.begin(), kernel_.nodes.end(), [&](int number) {
    const Node& node = context_.graph->nodes[static_cast<std::size_t>(number)];
    return node.op == "reduce" && ir::text_attribute(node, "kind") == "max" && node.inputs[0] == x;
  });
}

std::vector<const Node*> RowStages::reductions(int stage) const {
  std::vector<const Node*> out;
  for (const int number : kernel_.nodes) {
    const Node& node = context_.graph->nodes[static_cast<std::size_t>(number)];
    if (node.op == "reduce" && stages_.at(node.outputs[0]) == stage) out.push_back(&node);
  }
  return out;
}

std::optional<OnlineSum> RowStages::online(const Node& reduction) const {
  const auto found = online_.find(reduction.outputs[0]);
  return found == online_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ka::codegen

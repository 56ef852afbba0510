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

}  // namespace ka::codegen

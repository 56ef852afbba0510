#include "partition/steps.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ir/primitives.h"

namespace ka::partition {
namespace {

using ir::DType;

constexpr std::array<std::string_view, 4> kRoundings = {"ceil", "floor", "round", "trunc"};
constexpr std::array<std::string_view, 9> kFunctions = {"exp", "exp2", "expm1", "log", "log1p", "log2", "pow", "rsqrt", "tanh"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_step(const ir::Graph& graph, const ir::Node& node) {
  const bool floating = !node.inputs.empty() && ir::is_float(graph.type(node.inputs[0]).dtype);
  if (!floating) return false;
  const DType to = graph.type(node.outputs[0]).dtype;
  return is_one_of(kRoundings, node.op) || (node.op == "cast" && !ir::is_float(to) && to != DType::bool_);
}

bool is_elementwise(const ir::Node& node) {
  const ir::Fusion fusion = ir::find_primitive(node.op)->fusion;
  return fusion == ir::Fusion::elementwise || fusion == ir::Fusion::view;
}

}  // namespace

std::set<int> before_steps(const ir::Graph& graph) {
  std::set<int> out;
  std::vector<bool> decides(graph.values.size(), false);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes[i];
    const bool read = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) { return decides[static_cast<std::size_t>(v)]; });
    if (read) out.insert(static_cast<int>(i));
    if (!is_step(graph, node) && !(read && is_elementwise(node))) continue;
    for (const ir::ValueId input : node.inputs) decides[static_cast<std::size_t>(input)] = ir::is_float(graph.type(input).dtype) || decides[static_cast<std::size_t>(input)];
  }
  return out;
}

std::optional<ir::ValueId> exact_before_step(Rewriting& here) {
  ir::Builder& b = here.builder;
  const auto is_float32 = [&](ir::ValueId id) { return b.type(id).dtype == DType::float32; };
  if (!std::all_of(here.inputs.begin(), here.inputs.end(), is_float32)) return std::nullopt;
  if (here.node.op == "div") return b.elementwise("div_rn", here.inputs);
  if (!is_one_of(kFunctions, here.node.op)) return std::nullopt;
  std::vector<ir::ValueId> wide;
  for (const ir::ValueId input : here.inputs) wide.push_back(b.cast(input, DType::float64));
  return b.cast(b.elementwise(here.node.op, wide), DType::float32);
}

}  // namespace ka::partition

#include "ir/graph.h"

#include <fmt/format.h>

namespace ka::ir {
namespace {

template <typename T>
const T& attribute(const Node& node, const std::string& name) {
  const auto found = node.attributes.find(name);
  KA_CHECK(found != node.attributes.end());
  const T* value = std::get_if<T>(&found->second);
  KA_CHECK(value != nullptr);
  return *value;
}

std::string joined(const std::vector<Sym>& list) {
  std::string out;
  for (const Sym& item : list) out += (out.empty() ? "" : ", ") + item.text();
  return out;
}

std::string line_of(const Graph& graph, const Node& node) {
  std::string results, operands;
  for (const ValueId value : node.outputs)
    results += fmt::format("{}%{}: {}", results.empty() ? "" : ", ", value, to_text(graph.type(value)));
  for (const ValueId value : node.inputs) operands += fmt::format("{}%{}", operands.empty() ? "" : ", ", value);
  for (const auto& [name, value] : node.attributes)
    operands += fmt::format("{}{}={}", operands.empty() ? "" : ", ", name, to_text(value));
  std::string from = node.origin;
  if (!node.where.empty()) from += (from.empty() ? "" : ", ") + node.where;
  return fmt::format("{} = {}({}){}\n", results, node.op, operands, from.empty() ? "" : "  # " + from);
}

}  // namespace

const Sym& int_attribute(const Node& node, const std::string& name) { return attribute<Sym>(node, name); }
const std::vector<Sym>& ints_attribute(const Node& node, const std::string& name) {
  return attribute<std::vector<Sym>>(node, name);
}
double float_attribute(const Node& node, const std::string& name) { return attribute<double>(node, name); }
bool bool_attribute(const Node& node, const std::string& name) { return attribute<bool>(node, name); }
const std::string& text_attribute(const Node& node, const std::string& name) { return attribute<std::string>(node, name); }
DType dtype_attribute(const Node& node, const std::string& name) { return attribute<DType>(node, name); }

std::string to_text(const Type& type) { return fmt::format("{}[{}]", to_string(type.dtype), joined(type.shape)); }

std::string to_text(const Attribute& attribute) {
  struct Printer {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const Sym& value) const { return value.text(); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(DType value) const { return to_string(value); }
    std::string operator()(const std::vector<Sym>& value) const { return "[" + joined(value) + "]"; }
  };
  return std::visit(Printer{}, attribute);
}

std::string to_text(const Graph& graph) {
  std::string out;
  for (const Argument& argument : graph.arguments) {
    if (argument.value < 0) {
      out += fmt::format("scalar {}\n", argument.name);
      continue;
    }
    constexpr const char* kinds[] = {"input", "parameter", "buffer", "constant"};
    out += fmt::format("%{}: {} = {} {}\n", argument.value, to_text(graph.type(argument.value)),
                       kinds[static_cast<int>(argument.kind)], argument.name);
  }
  for (const Node& node : graph.nodes) out += line_of(graph, node);
  std::string results;
  for (const ValueId value : graph.outputs) results += fmt::format("{}%{}", results.empty() ? "" : ", ", value);
  out += fmt::format("return {} ({})\n", results, graph.structure);
  for (const Update& update : graph.updates) out += fmt::format("update %{} <- %{}\n", update.buffer, update.value);
  return out;
}

std::vector<std::vector<int>> users(const Graph& graph) {
  std::vector<std::vector<int>> out(graph.values.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId input : graph.nodes[i].inputs) {
      std::vector<int>& list = out[static_cast<std::size_t>(input)];
      if (list.empty() || list.back() != static_cast<int>(i)) list.push_back(static_cast<int>(i));
    }
  }
  return out;
}

}  // namespace ka::ir

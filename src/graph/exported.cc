#include "graph/exported.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "ir/python_text.h"

namespace ka::graph {
namespace {

constexpr std::size_t kMaxNodes = 100'000;
constexpr int kMaxNesting = 4;
constexpr std::int64_t kMaxOutputs = 100'000;
constexpr std::size_t kMaxRank = 64;                         // PyTorch's own
constexpr std::int64_t kMaxElements = std::int64_t{1} << 50;  // no machine holds a tensor of so many; what is computed with sizes stays a number

// The library would convert what does not fit.
Result<std::int64_t> integer(const Json& json) {
  if (!json.is_number_integer()) return invalid_input("an integer is none");
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) return invalid_input("an integer is too large");
  return json.get<std::int64_t>();
}

Result<std::vector<std::int64_t>> sizes_of(const Json& list) {
  std::vector<std::int64_t> out;
  if (!list.is_array()) return invalid_input("a list of integers is missing");
  for (const Json& item : list) {
    KA_ASSIGN(std::int64_t size, integer(item));
    if (size < 0) return invalid_input("a size is negative");
    if (size > kMaxElements) return invalid_input(fmt::format("a size of {} is too large", size));
    out.push_back(size);
  }
  return out;
}

Result<TensorFacts> tensor_facts(const Json& json) {
  TensorFacts facts;
  KA_ASSIGN(facts.dtype, ir::parse_dtype(json.value("dtype", "")));
  KA_ASSIGN(facts.shape, sizes_of(json.value("shape", Json())));
  KA_ASSIGN(facts.strides, sizes_of(json.value("strides", Json())));
  if (facts.strides.size() != facts.shape.size()) return invalid_input("a tensor has not one stride per dimension");
  if (facts.shape.size() > kMaxRank) return invalid_input(fmt::format("a tensor has more than {} dimensions", kMaxRank));
  std::int64_t elements = 1;
  for (const std::int64_t extent : facts.shape) {
    if (extent > 0 && elements > kMaxElements / extent) return invalid_input(fmt::format("a tensor of the shape [{}] is too large", fmt::join(facts.shape, ", ")));
    elements *= std::max<std::int64_t>(extent, 1);
  }
  return facts;
}

Result<double> special_float(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return invalid_input("a float is none: " + text);
}

Result<TensorRef> tensor_ref(const Json& json) {
  KA_ASSIGN(std::int64_t output, integer(json.value("i", Json(0))));
  if (output < 0 || output > kMaxOutputs) return invalid_input("an operand is an output that no operator has");
  return TensorRef{json.value("t", ""), static_cast<int>(output)};
}

Result<Operand> operand(const Json& json, int depth = 0) {
  if (depth > kMaxNesting) return invalid_input("an operand is nested too deeply");
  if (json.is_null()) return Operand{};
  if (json.is_boolean()) return Operand{json.get<bool>()};
  if (json.is_number_integer()) {
    KA_ASSIGN(std::int64_t value, integer(json));
    return Operand{value};
  }
  if (json.is_number()) return Operand{json.get<double>()};
  if (json.is_string()) return Operand{json.get<std::string>()};
  if (json.is_object() && json.contains("t")) {
    KA_ASSIGN(TensorRef ref, tensor_ref(json));
    return Operand{std::move(ref)};
  }
  if (json.is_object() && json.contains("f")) {
    KA_ASSIGN(double value, special_float(json.value("f", "")));
    return Operand{value};
  }
  if (json.is_object() && json.contains("dtype")) {
    KA_ASSIGN(ir::DType dtype, ir::parse_dtype(json.value("dtype", "")));
    return Operand{dtype};
  }
  if (json.is_object() && json.contains("other")) return Operand{json.value("other", "")};
  const Json& list = json.is_object() && json.contains("ts") ? json["ts"] : json;
  if (!list.is_array()) return invalid_input("an operand has an unknown form");
  OperandList items;
  for (const Json& item : list) {
    KA_ASSIGN(Operand value, operand(item, depth + 1));
    items.push_back(std::move(value));
  }
  return Operand{std::move(items)};
}

Result<ExportedArgument> argument(const Json& json) {
  ExportedArgument out;
  out.node = json.value("node", "");
  out.kind = json.value("kind", "");
  out.name = json.value("name", "");
  out.keyword = json.value("argument", ir::python_name(out.name));  // a constant is named by its place in the module
  if (json.contains("tied_to") && json["tied_to"].is_string()) out.tied_to = json["tied_to"].get<std::string>();
  if (json.contains("scalar")) {
    KA_ASSIGN(out.scalar, operand(json["scalar"]));
    return out;
  }
  KA_ASSIGN(out.tensor, tensor_facts(json));
  if (json.contains("data") && json["data"].is_array()) {
    out.has_data = true;
    for (const Json& item : json["data"]) {
      if (item.is_object()) {
        KA_ASSIGN(double value, special_float(item.value("f", "")));
        out.data.push_back(value);
      } else {
        out.data.push_back(item.is_boolean() ? (item.get<bool>() ? 1.0 : 0.0) : item.get<double>());
      }
    }
    std::size_t elements = 1;
    for (const std::int64_t extent : out.tensor->shape) elements *= static_cast<std::size_t>(extent);
    if (out.data.size() != elements) return invalid_input(fmt::format("the tensor {} has {} elements and values for {}", out.name, elements, out.data.size()));
  }
  return out;
}

std::string place_of(const std::string& where, const std::string& op) { return where.empty() ? op : where + ": " + op; }

Result<ExportedNode> node(const Json& json) {
  ExportedNode out;
  out.name = json.value("name", "");
  out.op = json.value("op", "");
  out.where = json.value("where", "");
  const Json operands = json.value("args", Json::object());
  for (const auto& [name, value] : operands.items()) {
    Result<Operand> read = operand(value);
    if (!read) return read.error().with(fmt::format("{}: {}", place_of(out.where, out.op), name));
    out.operands[name] = std::move(*read);
  }
  for (const Json& item : json.value("outs", Json::array())) {
    if (item.is_null()) {
      out.outputs.push_back(std::nullopt);
      continue;
    }
    Result<TensorFacts> facts = tensor_facts(item);
    if (!facts) return facts.error().with(place_of(out.where, out.op));
    out.outputs.push_back(std::move(*facts));
  }
  return out;
}

Result<ExportedGraph> graph_from(const Json& sample) {
  ExportedGraph out;
  const Json sizes = sample.value("sizes", Json::object()), json = sample.value("graph", Json::object());
  for (const auto& [name, value] : sizes.items()) {
    if (!value.is_number_integer()) continue;
    KA_ASSIGN(out.sizes[name], integer(value));
  }
  for (const Json& item : json.value("arguments", Json::array())) {
    Result<ExportedArgument> read = argument(item);
    if (!read) return item.is_object() ? read.error().with(item.value("name", "")) : read.error();
    out.arguments.push_back(std::move(*read));
  }
  const Json nodes = json.value("nodes", Json::array());
  if (nodes.size() > kMaxNodes) return unsupported(fmt::format("the program has more than {} operators", kMaxNodes));
  for (const Json& item : nodes) {
    KA_ASSIGN(ExportedNode read, node(item));
    out.nodes.push_back(std::move(read));
  }
  for (const Json& item : json.value("outputs", Json::array())) {
    if (!item.contains("t")) return unsupported("the program returns a plain value, not a tensor");
    KA_ASSIGN(TensorRef ref, tensor_ref(item));
    out.outputs.push_back(std::move(ref));
  }
  for (const Json& item : json.value("updates", Json::array())) {
    KA_ASSIGN(TensorRef ref, tensor_ref(item.value("value", Json::object())));
    out.updates.push_back({item.value("target", ""), std::move(ref)});
  }
  out.structure = json.value("structure", "tensor");
  return out;
}

bool same_kind(const std::optional<TensorFacts>& a, const std::optional<TensorFacts>& b) {
  return a.has_value() == b.has_value() && (!a || a->shape.size() == b->shape.size());
}

// What is imported relies on it: only numbers differ between samples. (That an operator has more results at other sizes is told by name.)
bool same_structure(const ExportedGraph& a, const ExportedGraph& b) {
  const auto same_argument = [](const ExportedArgument& x, const ExportedArgument& y) { return x.node == y.node && x.kind == y.kind && same_kind(x.tensor, y.tensor); };
  const auto same_node = [](const ExportedNode& x, const ExportedNode& y) {
    return x.name == y.name && x.op == y.op && (x.outputs.size() != y.outputs.size() || std::equal(x.outputs.begin(), x.outputs.end(), y.outputs.begin(), same_kind));
  };
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), same_argument) &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node);
}

}  // namespace

Result<Exported> read_exported(const Json& document) try {
  Exported out;
  out.way = document.value("way", "");
  for (const Json& item : document.value("refusals", Json::array())) out.refusals.push_back(item.get<std::string>());
  for (const Json& item : document.value("samples", Json::array())) {
    KA_ASSIGN(ExportedGraph read, graph_from(item));
    if (!out.samples.empty() && !same_structure(read, out.samples[0])) continue;
    out.samples.push_back(std::move(read));
  }
  if (out.samples.empty()) return invalid_input("the export has no graph");
  return out;
} catch (const Json::exception& error) {
  return invalid_input(fmt::format("an operator or a tensor of the program has an unknown form ({})", error.what()));
}

}  // namespace ka::graph

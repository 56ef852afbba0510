#include "graph/exported.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "ir/python_text.h"

namespace ka::graph {
namespace {

constexpr std::size_t kMaxNodes = 100'000;
constexpr int kMaxNesting = 4;

Result<std::vector<std::int64_t>> integers(const Json& list) {
  std::vector<std::int64_t> out;
  if (!list.is_array()) return invalid_input("a list of integers is missing");
  for (const Json& item : list) {
    if (!item.is_number_integer()) return invalid_input("a size is not an integer");
    out.push_back(item.get<std::int64_t>());
  }
  return out;
}

Result<TensorFacts> tensor_facts(const Json& json) {
  TensorFacts facts;
  KA_ASSIGN(facts.dtype, ir::parse_dtype(json.value("dtype", "")));
  KA_ASSIGN(facts.shape, integers(json.value("shape", Json())));
  KA_ASSIGN(facts.strides, integers(json.value("strides", Json())));
  return facts;
}

Result<double> special_float(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return invalid_input("a float is none: " + text);
}

TensorRef tensor_ref(const Json& json) {
  return {json.value("t", ""), json.value("i", 0)};
}

Result<Operand> operand(const Json& json, int depth = 0) {
  if (depth > kMaxNesting) return invalid_input("an operand is nested too deeply");
  if (json.is_null()) return Operand{};
  if (json.is_boolean()) return Operand{json.get<bool>()};
  if (json.is_number_integer()) return Operand{json.get<std::int64_t>()};
  if (json.is_number()) return Operand{json.get<double>()};
  if (json.is_string()) return Operand{json.get<std::string>()};
  if (json.is_object() && json.contains("t")) return Operand{tensor_ref(json)};
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
  }
  return out;
}

Result<ExportedNode> node(const Json& json) {
  ExportedNode out;
  out.name = json.value("name", "");
  out.op = json.value("op", "");
  out.where = json.value("where", "");
  const Json operands = json.value("args", Json::object());
  for (const auto& [name, value] : operands.items()) {
    KA_ASSIGN(Operand read, operand(value));
    out.operands[name] = std::move(read);
  }
  for (const Json& item : json.value("outs", Json::array())) {
    if (item.is_null()) {
      out.outputs.push_back(std::nullopt);
      continue;
    }
    Result<TensorFacts> facts = tensor_facts(item);
    if (!facts) return facts.error().with(fmt::format("{} {}", out.where, out.op));
    out.outputs.push_back(std::move(*facts));
  }
  return out;
}

Result<ExportedGraph> graph_from(const Json& sample) {
  ExportedGraph out;
  const Json sizes = sample.value("sizes", Json::object()), json = sample.value("graph", Json::object());
  for (const auto& [name, value] : sizes.items()) {
    if (value.is_number_integer()) out.sizes[name] = value.get<std::int64_t>();
  }
  for (const Json& item : json.value("arguments", Json::array())) {
    KA_ASSIGN(ExportedArgument read, argument(item));
    out.arguments.push_back(std::move(read));
  }
  const Json nodes = json.value("nodes", Json::array());
  if (nodes.size() > kMaxNodes) return unsupported(fmt::format("the program has more than {} operators", kMaxNodes));
  for (const Json& item : nodes) {
    KA_ASSIGN(ExportedNode read, node(item));
    out.nodes.push_back(std::move(read));
  }
  for (const Json& item : json.value("outputs", Json::array())) {
    if (!item.contains("t")) return unsupported("the program returns a plain value, not a tensor");
    out.outputs.push_back(tensor_ref(item));
  }
  for (const Json& item : json.value("updates", Json::array()))
    out.updates.push_back({item.value("target", ""), tensor_ref(item.value("value", Json::object()))});
  out.structure = json.value("structure", "tensor");
  return out;
}

}  // namespace

Result<Exported> read_exported(const Json& document) try {
  Exported out;
  out.way = document.value("way", "");
  for (const Json& item : document.value("refusals", Json::array())) out.refusals.push_back(item.get<std::string>());
  for (const Json& item : document.value("samples", Json::array())) {
    KA_ASSIGN(ExportedGraph read, graph_from(item));
    if (!out.samples.empty() && read.nodes.size() != out.samples[0].nodes.size()) continue;
    out.samples.push_back(std::move(read));
  }
  if (out.samples.empty()) return invalid_input("the export has no graph");
  return out;
} catch (const Json::exception& error) {
  return invalid_input(fmt::format("the export process answered nonsense ({})", error.what()));
}

}  // namespace ka::graph

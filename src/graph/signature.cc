#include "graph/signature.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"

namespace ka::graph {
namespace {

constexpr int kForm = 1;  // of the text that is hashed
constexpr const char* kInputKind = "input";

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

Json facts_json(const std::optional<TensorFacts>& facts) {
  if (!facts) return nullptr;
  return {ir::to_string(facts->dtype), facts->shape, facts->strides};
}

// One graph with every name replaced by its place: inputs by their position, weights in the order in which they are first read (so that neither the order of a module's definitions nor
// a weight that nobody reads counts), results by the operator that makes them.
class Essence {
 public:
  explicit Essence(const ExportedGraph& graph) : graph_(graph) {
    std::size_t inputs = 0;
    for (const ExportedArgument& one : graph.arguments) {
      arguments_[one.node] = &one;
      if (one.kind == kInputKind) places_[one.node] = fmt::format("i{}", inputs++);
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) places_[graph.nodes[i].name] = fmt::format("n{}", i);
    for (const ExportedNode& node : graph.nodes) {
      for (const auto& [name, operand] : node.operands) find_weights(operand);
    }
    for (const TensorRef& one : graph.outputs) find_weight(one);
    for (const ExportedUpdate& one : graph.updates) {
      find_weight({one.target, 0});
      find_weight(one.value);
    }
  }

  const std::vector<const ExportedArgument*>& weights() const { return weights_; }

  Json json() const {
    Json arguments = Json::array(), nodes = Json::array(), outputs = Json::array(), updates = Json::array();
    for (const ExportedArgument& one : graph_.arguments) {
      if (one.kind == kInputKind) arguments.push_back(argument(one));
    }
    for (const ExportedArgument* const one : weights_) arguments.push_back(argument(*one));
    for (const ExportedNode& one : graph_.nodes) {
      Json operands = Json::object(), results = Json::array();
      for (const auto& [name, operand] : one.operands) operands[name] = value(operand);
      for (const std::optional<TensorFacts>& facts : one.outputs) results.push_back(facts_json(facts));
      nodes.push_back({one.op, operands, results});
    }
    for (const TensorRef& one : graph_.outputs) outputs.push_back(place(one));
    for (const ExportedUpdate& one : graph_.updates) updates.push_back({place({one.target, 0}), place(one.value)});
    return {{"arguments", arguments}, {"nodes", nodes}, {"outputs", outputs}, {"updates", updates}, {"structure", graph_.structure}};
  }

 private:
  void find_weights(const Operand& operand) {
    if (const TensorRef* ref = std::get_if<TensorRef>(&operand.value)) find_weight(*ref);
    if (const OperandList* list = std::get_if<OperandList>(&operand.value)) {
      for (const Operand& item : *list) find_weights(item);
    }
  }

  void find_weight(const TensorRef& ref) {
    const auto found = arguments_.find(ref.node);
    if (found != arguments_.end() && places_.try_emplace(ref.node, fmt::format("w{}", weights_.size())).second) weights_.push_back(found->second);
  }

  std::string place(const TensorRef& ref) const {
    const auto found = places_.find(ref.node);
    return fmt::format("{}:{}", found == places_.end() ? "?" + ref.node : found->second, ref.output);
  }

  Json argument(const ExportedArgument& one) const {
    Json out = {{"kind", one.kind}, {"tensor", facts_json(one.tensor)}};
    if (!one.tensor) out["scalar"] = value(one.scalar);
    if (!one.tied_to.empty()) out["tied"] = true;
    if (one.has_data) {
      Json data = Json::array();
      for (const double number : one.data) data.push_back(number_json(number));
      out["data"] = data;
    }
    return out;
  }

  Json value(const Operand& operand) const {
    if (const TensorRef* ref = std::get_if<TensorRef>(&operand.value)) return {{"t", place(*ref)}};
    if (const OperandList* list = std::get_if<OperandList>(&operand.value)) {
      Json out = Json::array();
      for (const Operand& item : *list) out.push_back(value(item));
      return out;
    }
    if (const bool* flag = std::get_if<bool>(&operand.value)) return *flag;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&operand.value)) return *number;
    if (const double* number = std::get_if<double>(&operand.value)) return {{"f", number_json(*number)}};
    if (const std::string* text = std::get_if<std::string>(&operand.value)) return *text;
    if (const ir::DType* dtype = std::get_if<ir::DType>(&operand.value)) return {{"dtype", ir::to_string(*dtype)}};
    return nullptr;
  }

  const ExportedGraph& graph_;
  std::map<std::string, const ExportedArgument*> arguments_;
  std::map<std::string, std::string> places_;
  std::vector<const ExportedArgument*> weights_;  // in the order of their first use
};

}  // namespace

std::string signature_of(const Exported& exported, std::string_view mode, std::string_view tier) {
  Json all = {{"form", kForm}, {"mode", mode}, {"tier", tier}};
  if (!exported.samples.empty()) all["graph"] = Essence(exported.samples[0]).json();
  return sha256_hex(to_json_text(all));
}

std::vector<std::string> weight_keywords(const Exported& exported) {
  std::vector<std::string> out;
  if (exported.samples.empty()) return out;
  const Essence essence(exported.samples[0]);
  for (const ExportedArgument* const one : essence.weights()) out.push_back(one->keyword);
  return out;
}

std::size_t input_count(const Exported& exported) {
  if (exported.samples.empty()) return 0;
  const std::vector<ExportedArgument>& arguments = exported.samples[0].arguments;
  return static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), [](const ExportedArgument& one) { return one.kind == kInputKind; }));
}

}  // namespace ka::graph

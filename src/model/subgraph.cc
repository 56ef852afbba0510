#include "model/subgraph.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "model/codec.h"
#include "model/tensor_type_fields.h"

namespace ka::model {

void fields(auto& f, Of<SubgraphOp> auto& x) {
  f("op", x.op);
  f("name", x.name);
  f("where", x.where);
  f("operands", x.operands);
  f("parameters", x.parameters);
  f("results", x.results);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SubgraphUpdate> auto& x) {
  f("weight", x.weight);
  f("value", x.value);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SubgraphCall> auto& x) {
  f("order", x.order);
  f("inputs", x.inputs);
  f("weights", x.weights);
  f("outputs", x.outputs);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SubgraphSample> auto& x) {
  f("sizes", x.sizes);
  f("numbers", x.numbers);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SubgraphSource> auto& x) {
  f("module", x.module);
  f("code", x.code);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Subgraph> auto& x) {
  f("schema", x.schema);
  f("id", x.id);
  f("type", x.type);
  f("layout", x.layout);
  f("dtype", x.dtype);
  f("sizes", x.sizes);
  f("ops", x.ops);
  f("inputs", x.inputs);
  f("outputs", x.outputs);
  f("weights", x.weights);
  f("updates", x.updates);
  f("calls", x.calls);
  f("samples", x.samples);
  f("where", x.where);
  f("source", x.source);
  f("count", x.count);
  f("signature", x.signature);
  f.keep(x.unknown);
}

Json to_json(const Subgraph& subgraph) {
  Json json;
  encode(json, subgraph);
  return json;
}

Result<Subgraph> subgraph_from_json(const Json& json) { return read_value<Subgraph>(json, "subgraph"); }

namespace {

// "max_pool:1" -> "max_pool"
std::string maker_of(const std::string& value) { return value.substr(0, value.find(':')); }

// Gives every tensor a name that tells its position only, and uses it wherever the old name stood.
class PositionNames {
 public:
  void rename(std::vector<TensorType>& tensors, const std::string& prefix) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].name = define(tensors[i].name, prefix + std::to_string(i));
      tensors[i].unknown.clear();
    }
  }
  void rename(std::vector<SubgraphOp>& ops) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (auto& [argument, operand] : ops[i].operands) {
        Json json = Json::parse(operand.text);
        if (json.is_string()) json = use(json.get<std::string>());
        if (json.is_array()) {
          for (Json& item : json) item = item.is_string() ? Json(use(item.get<std::string>())) : item;
        }
        operand.text = to_json_text(json);
      }
      ops[i].name = define(ops[i].name, "result" + std::to_string(i));
      ops[i].where.clear();
      ops[i].unknown.clear();
    }
  }
  void apply(std::vector<TensorType>& tensors) const {
    for (TensorType& tensor : tensors) {
      tensor.name = use(tensor.name);
      tensor.unknown.clear();
    }
  }
  void apply(std::vector<SubgraphUpdate>& updates) const {
    for (SubgraphUpdate& update : updates) update = {use(update.weight), use(update.value), {}};
  }

 private:
  std::string define(const std::string& name, std::string position) { return positions_[name] = std::move(position); }
  // A name that was never defined stays as it is: then it is part of the signature.
  std::string use(const std::string& name) const {
    const std::string maker = maker_of(name);
    const auto found = positions_.find(maker);
    return found == positions_.end() ? name : found->second + name.substr(maker.size());
  }
  std::map<std::string, std::string> positions_;
};

}  // namespace

std::string signature_of(const Subgraph& subgraph) {
  Subgraph essence;
  essence.layout = subgraph.layout;
  essence.dtype = subgraph.dtype;
  essence.ops = subgraph.ops;
  essence.inputs = subgraph.inputs;
  essence.outputs = subgraph.outputs;
  essence.weights = subgraph.weights;
  essence.updates = subgraph.updates;
  for (const SubgraphSample& sample : subgraph.samples) essence.samples.push_back({{}, sample.numbers, {}});
  PositionNames names;
  names.rename(essence.inputs, "input");
  names.rename(essence.weights, "weight");
  names.rename(essence.ops);
  names.apply(essence.outputs);
  names.apply(essence.updates);
  return sha256_hex(to_json_text(to_json(essence)));
}

std::vector<std::string> values_of(const SubgraphOp& op) {
  std::vector<std::string> out;
  for (const auto& [argument, operand] : op.operands) {
    const Json json = Json::parse(operand.text);
    if (json.is_string()) out.push_back(json.get<std::string>());
    if (!json.is_array()) continue;
    for (const Json& item : json) {
      if (item.is_string()) out.push_back(item.get<std::string>());
    }
  }
  return out;
}

}  // namespace ka::model

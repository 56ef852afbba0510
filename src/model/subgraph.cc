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
  f("operands", x.operands);
  f("parameters", x.parameters);
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
  f("ops", x.ops);
  f("inputs", x.inputs);
  f("outputs", x.outputs);
  f("weights", x.weights);
  f("weights_original", x.weights_original);
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
      for (std::string& operand : ops[i].operands) operand = use(operand);
      ops[i].name = define(ops[i].name, "result" + std::to_string(i));
      ops[i].unknown.clear();
    }
  }
  void apply(std::vector<TensorType>& tensors) const {
    for (TensorType& tensor : tensors) {
      tensor.name = use(tensor.name);
      tensor.unknown.clear();
    }
  }

 private:
  std::string define(const std::string& name, std::string position) { return positions_[name] = std::move(position); }
  // A name that was never defined stays as it is: then it is part of the signature.
  std::string use(const std::string& name) const {
    const auto found = positions_.find(name);
    return found == positions_.end() ? name : found->second;
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
  essence.weights_original = subgraph.weights_original;
  PositionNames names;
  names.rename(essence.inputs, "input");
  names.rename(essence.weights, "weight");
  names.rename(essence.ops);
  names.apply(essence.outputs);
  PositionNames().rename(essence.weights_original, "original");
  return sha256_hex(to_json_text(to_json(essence)));
}

}  // namespace ka::model

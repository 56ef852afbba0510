// Subgraph: a part of the program that becomes one kernel. Equal ones (same signature) are listed once and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ir/dtype.h"
#include "model/attribute.h"
#include "model/tensor_type.h"
#include "model/unknown_fields.h"

namespace ka::model {

// One operation. Its operands are names: inputs and weights of the subgraph, or results of earlier operations.
struct SubgraphOp {
  std::string op;    // canonical name: "linear", "relu"
  std::string name;  // of its result
  std::vector<std::string> operands;
  Attributes parameters;
  UnknownFields unknown;
  bool operator==(const SubgraphOp&) const = default;
};

// The piece of PyTorch that it stands for.
struct SubgraphSource {
  std::string module;
  std::string code;
  UnknownFields unknown;
  bool operator==(const SubgraphSource&) const = default;
};

struct Subgraph {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string id;                        // names its folder below kernels_out/
  std::string type;                      // "conv_bias_relu": for people
  std::string layout;                    // "NCHW", "NHWC" or empty
  ir::DType dtype = ir::DType::float32;  // of its main computation
  std::vector<SubgraphOp> ops;           // in order of execution
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  std::vector<TensorType> weights;           // as its kernel takes them
  std::vector<TensorType> weights_original;  // as the module has them, when they were fused or re-laid out
  std::string where;                         // where in the program: "blocks.0, blocks.1"
  SubgraphSource source;
  std::int64_t count = 0;  // how often it occurs
  std::string signature;   // signature_of() when it was made
  UnknownFields unknown;
  bool operator==(const Subgraph&) const = default;
};

Json to_json(const Subgraph& subgraph);
Result<Subgraph> subgraph_from_json(const Json& json);

// Equal for subgraphs that one kernel can serve: SHA-256 over operations, shapes, dtypes and layout, with the names of
// tensors replaced by their positions. Id, type, count, source, place and unknown fields do not count.
std::string signature_of(const Subgraph& subgraph);

}  // namespace ka::model

// Subgraph: a part of the program that becomes one kernel. Equal ones (same signature) are listed once and counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ir/dtype.h"
#include "model/json_text.h"
#include "model/tensor_type.h"
#include "model/unknown_fields.h"

namespace ka::model {

// One operator of PyTorch. Its operands are values: inputs and weights of the subgraph, or results of earlier operators ("name", and
// "name:1" for another result than the first).
struct SubgraphOp {
  std::string op;     // "aten.conv2d.default"
  std::string name;   // of its result
  std::string where;  // file:line of the program
  std::map<std::string, JsonText> operands;    // by the operator's argument: a value's name, or a list of names and null
  std::map<std::string, JsonText> parameters;  // its other arguments
  std::vector<JsonText> results;               // {"dtype", "shape", "strides"}, or null for one that is no tensor
  UnknownFields unknown;
  bool operator==(const SubgraphOp&) const = default;
};

// A buffer that it changes, and the value that the buffer gets.
struct SubgraphUpdate {
  std::string weight, value;
  UnknownFields unknown;
  bool operator==(const SubgraphUpdate&) const = default;
};

// One occurrence in the program: the program's values in the order of the subgraph's own.
struct SubgraphCall {
  std::int64_t order = 0;  // among all calls of the program
  std::vector<std::string> inputs, weights, outputs;
  UnknownFields unknown;
  bool operator==(const SubgraphCall&) const = default;
};

// The numbers of operators, inputs, weights and outputs, in the order of the JSON form, at other sizes than the given ones: what a kernel
// that is to work for these too needs to know.
struct SubgraphSample {
  std::map<std::string, std::int64_t> sizes;
  JsonText numbers;
  UnknownFields unknown;
  bool operator==(const SubgraphSample&) const = default;
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
  std::map<std::string, std::int64_t> sizes;  // the program's constants
  std::vector<SubgraphOp> ops;           // in order of execution
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  std::vector<TensorType> weights;           // as its kernel takes them
  std::vector<SubgraphUpdate> updates;
  std::vector<SubgraphCall> calls;
  std::vector<SubgraphSample> samples;
  std::string where;                         // where in the program: "p.py:12, p.py:14"
  SubgraphSource source;
  std::int64_t count = 0;  // how often it occurs
  std::string signature;   // signature_of() when it was made
  UnknownFields unknown;
  bool operator==(const Subgraph&) const = default;
};

Json to_json(const Subgraph& subgraph);
Result<Subgraph> subgraph_from_json(const Json& json);

// Equal for subgraphs that one kernel can serve: SHA-256 over operators, shapes (at all sizes), dtypes and layout, with the names of
// tensors replaced by their positions. Id, type, count, calls, source, place and unknown fields do not count.
std::string signature_of(const Subgraph& subgraph);

// Whether it can be worked with: an id that may name a folder and a function, values that are made before they are read, calls that fit.
Status check_subgraph(const Subgraph& subgraph);

// subgraphs.json: a list, each entry checked, no id twice, calls in an order of their own. Errors name the file and the entry.
Result<std::vector<Subgraph>> read_subgraphs(std::string_view text, const std::string& path);
std::string to_text(const std::vector<Subgraph>& subgraphs);

// The values that an operator reads, in the order of its arguments' names.
std::vector<std::string> values_of(const SubgraphOp& op);

}  // namespace ka::model

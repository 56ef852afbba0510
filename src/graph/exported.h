// What the export child answers: one graph of PyTorch operators per choice of sizes, all of the same structure. Read once,
// here, with limits; everything behind this border is plain structs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ir/dtype.h"

namespace ka::graph {

struct TensorFacts {
  ir::DType dtype = ir::DType::float32;
  std::vector<std::int64_t> shape, strides;
};

struct TensorRef {
  std::string node;
  int output = 0;
};

struct Operand;
using OperandList = std::vector<Operand>;

// An operand of a PyTorch operator.
struct Operand {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ir::DType, TensorRef, OperandList> value;
};

struct ExportedArgument {
  std::string node, kind, name, keyword;
  std::optional<TensorFacts> tensor;  // nothing: a scalar
  Operand scalar;
  std::string tied_to;
  std::vector<double> data;
  bool has_data = false;
};

struct ExportedNode {
  std::string name, op, where;
  std::map<std::string, Operand> operands;
  std::vector<std::optional<TensorFacts>> outputs;
};

struct ExportedUpdate {
  std::string target;  // the node of the argument that is changed
  TensorRef value;
};

struct ExportedGraph {
  std::map<std::string, std::int64_t> sizes;  // the problem's constants in this sample
  std::vector<ExportedArgument> arguments;
  std::vector<ExportedNode> nodes;
  std::vector<TensorRef> outputs;
  std::vector<ExportedUpdate> updates;
  std::string structure;
};

// The way of a program that a file holds. PyTorch has not seen it: what is wrong with it is the file's fault.
inline constexpr const char* kFromFile = "subgraph";

struct Exported {
  std::string way;
  std::vector<std::string> refusals;
  std::vector<ExportedGraph> samples;  // the given sizes first
};

// The child is foreign: ill-formed answers are errors of the problem, with a sentence.
Result<Exported> read_exported(const Json& document);

}  // namespace ka::graph

// The program as a graph of primitive operations on tensors, sizes symbolic. Values are numbered; a node's operands were
// made before it. There are few primitives (ir/primitives.h lists them): what PyTorch calls slice, pad, flip or window is
// one of them, `remap`, which says for each element of the result which element of the operand it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ir/dtype.h"
#include "ir/sym.h"

namespace ka::ir {

using Shape = std::vector<Sym>;

struct Type {
  DType dtype = DType::float32;
  Shape shape;
  bool operator==(const Type&) const = default;
};

using Attribute = std::variant<std::monostate, bool, Sym, double, std::string, DType, std::vector<Sym>>;
using Attributes = std::map<std::string, Attribute>;

using ValueId = int;

struct Node {
  std::string op;  // a primitive
  std::vector<ValueId> inputs;
  Attributes attributes;
  std::vector<ValueId> outputs;
  std::string origin;  // the operator of the program that it came from: "aten.softmax.int"
  std::string where;   // file:line of the program
};

struct Value {
  std::string name;
  Type type;
  int node = -1;  // which node made it; -1 for an argument
};

enum class ArgumentKind { input, parameter, buffer, constant };

// A tensor that the kernel file is handed (input, weight) or holds itself (constant).
struct Argument {
  ArgumentKind kind = ArgumentKind::input;
  std::string name;          // of forward's argument, or of the weight in state_dict
  std::string keyword;       // as an argument of kernel_function
  ValueId value = -1;        // -1: a number that the graph holds as a constant
  std::vector<double> data;  // of a constant
};

struct Update {
  ValueId buffer = -1, value = -1;
};

// A size symbol and where a running program finds its value: extent `dim` of an argument, or computed from earlier symbols.
struct SizeSource {
  std::string symbol;
  ValueId argument = -1;   // -1: computed
  int dim = 0;
  std::int64_t given = 0;  // its value in the given program
  std::int64_t per_square = 0;  // 0: the extent itself; k: the extent is k times the square of the symbol
  Sym value = {};  // of a computed one
};

// What an operator of the program gave: output `output` of its operator number `op`. Passes keep track of it.
struct ProgramValue {
  int op = 0, output = 0;
  ValueId value = -1;
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<Argument> arguments;
  std::vector<ValueId> outputs;
  std::string structure = "tensor";  // what the program returns: tensor, tuple, list, or as Python writes it with `_` for a tensor
  std::vector<Update> updates;       // buffers that the program changes
  std::vector<SizeSource> sizes;
  std::vector<ProgramValue> program;  // where the program's own values are now

  const Type& type(ValueId value) const { return values[static_cast<std::size_t>(value)].type; }
  const Shape& shape(ValueId value) const { return type(value).shape; }
  const Node* maker(ValueId value) const {
    const int node = values[static_cast<std::size_t>(value)].node;
    return node < 0 ? nullptr : &nodes[static_cast<std::size_t>(node)];
  }
};

// Reading attributes; a missing or ill-typed one is a bug of whoever made the node.
const Sym& int_attribute(const Node& node, const std::string& name);
const std::vector<Sym>& ints_attribute(const Node& node, const std::string& name);
double float_attribute(const Node& node, const std::string& name);
bool bool_attribute(const Node& node, const std::string& name);
const std::string& text_attribute(const Node& node, const std::string& name);
DType dtype_attribute(const Node& node, const std::string& name);

// A stable text, one line per node:
//   %3: float32[batch, 16] = add(%1, %2)  # aten.add.Tensor, problem.py:12
std::string to_text(const Graph& graph);
std::string to_text(const Type& type);
std::string to_text(const Attribute& attribute);

// The values that each node reads, by user: uses[v] = indices of nodes, in order, each once.
std::vector<std::vector<int>> users(const Graph& graph);

}  // namespace ka::ir

#include "graph/reference_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "ir/python_text.h"

namespace ka::graph {
namespace {

// Said of random draws for our own sake; the operators do not take them.
constexpr std::array<std::string_view, 3> kNotOfTheOperator = {"order", "gaps", "inplace"};
// What people name first.
constexpr std::array<std::string_view, 5> kFirst = {"self", "input", "tensors", "query", "indices"};
// Functions that have no value for numbers below zero.
constexpr std::array<std::string_view, 8> kOfPositives = {"log", "log2", "log10", "log1p", "sqrt", "rsqrt", "pow", "logit"};

// Arguments of bucketize and searchsorted.
constexpr std::array<std::string_view, 2> kInOrder = {"boundaries", "sorted_sequence"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "aten.max_pool2d.default" is called torch.ops.aten.max_pool2d.default.
std::string call_text(const OperatorText& op, const std::string& device) {
  std::vector<std::string> given;
  const auto add = [&](bool first) {
    for (const auto& [name, text] : op.operands) {
      if (is_one_of(kNotOfTheOperator, name) || is_one_of(kFirst, name) != first) continue;
      given.push_back(fmt::format("{}={}", name, name == "device" ? device : text));
    }
  };
  add(true);
  add(false);
  return fmt::format("torch.ops.{}({})", op.op, fmt::join(given, ", "));
}

std::string value_text(const model::Subgraph& subgraph, const std::string& value) {
  const std::size_t colon = value.find(':');
  const std::string name = value.substr(0, colon);
  const auto op = std::find_if(subgraph.ops.begin(), subgraph.ops.end(), [&](const model::SubgraphOp& one) { return one.name == name; });
  if (op == subgraph.ops.end() || op->results.size() == 1) return name;
  return fmt::format("{}[{}]", name, colon == std::string::npos ? "0" : value.substr(colon + 1));
}

bool is_constant(const model::TensorType& weight) { return weight.role == "constant"; }

std::string body_text(const model::Subgraph& subgraph, const Imported& imported) {
  const std::string first = !subgraph.inputs.empty() ? subgraph.inputs[0].name : !subgraph.weights.empty() ? subgraph.weights[0].name : "";
  const std::string device = first.empty() ? "None" : first + ".device";
  std::string out;
  for (const OperatorText& op : imported.operators) {
    const bool is_check = op.op.find("._assert") != std::string::npos;
    if (!is_check) out += fmt::format("        {} = {}\n", op.name, call_text(op, device));
  }
  for (const model::SubgraphUpdate& update : subgraph.updates) out += fmt::format("        {}.copy_({})\n", update.weight, value_text(subgraph, update.value));
  std::vector<std::string> results;
  for (const model::TensorType& output : subgraph.outputs) results.push_back(value_text(subgraph, output.name));
  if (results.empty()) return out + "        return ()\n";
  return out + fmt::format("        return {}\n", fmt::join(results, ", "));
}

std::string constant_text(const model::TensorType& weight) {
  std::vector<std::string> numbers;
  for (const double number : weight.data.value_or(std::vector<double>{}))
    numbers.push_back(std::isfinite(number) ? fmt::format("{}", number) : fmt::format("float('{}')", number));
  return fmt::format("torch.tensor([{}], dtype={}).reshape([{}])", fmt::join(numbers, ", "), ir::torch_type(weight.dtype), fmt::join(weight.shape, ", "));
}

// Whole numbers below this are meant by an input of indices.
std::string bound_of(const model::Subgraph& subgraph, const std::string& input) {
  for (const model::SubgraphOp& op : subgraph.ops) {
    const auto reads = [&](const char* argument) {
      const auto found = op.operands.find(argument);
      return found != op.operands.end() && found->second.text.find(fmt::format("\"{}\"", input)) != std::string::npos;
    };
    const auto extent = [&](const char* argument, std::int64_t dim) -> std::string {
      const auto found = op.operands.find(argument);
      if (found == op.operands.end()) return "2";
      const std::string name = found->second.text.substr(1, found->second.text.size() - 2);
      for (const std::vector<model::TensorType>* list : {&subgraph.inputs, &subgraph.weights}) {
        for (const model::TensorType& tensor : *list) {
          const std::int64_t at = dim < 0 ? dim + static_cast<std::int64_t>(tensor.shape.size()) : dim;
          if (tensor.name == name && at >= 0 && at < static_cast<std::int64_t>(tensor.shape.size())) return fmt::format("{}", tensor.shape[static_cast<std::size_t>(at)]);
        }
      }
      return "2";
    };
    const auto dim = [&] {
      const auto found = op.parameters.find("dim");
      const Json json = found == op.parameters.end() ? Json(0) : Json::parse(found->second.text);
      return json.is_number_integer() ? json.get<std::int64_t>() : 0;
    };
    if (reads("indices")) return extent(op.operands.contains("weight") ? "weight" : "self", 0);
    if (reads("index")) return extent("self", dim());
    if (reads("target")) return extent("self", 1);
  }
  return "2";
}

// What is looked up in is in order.
bool is_sorted(const model::Subgraph& subgraph, const std::string& tensor) {
  return std::any_of(subgraph.ops.begin(), subgraph.ops.end(), [&](const model::SubgraphOp& op) {
    return std::any_of(kInOrder.begin(), kInOrder.end(), [&](std::string_view argument) {
      const auto found = op.operands.find(std::string(argument));
      return found != op.operands.end() && found->second.text == fmt::format("\"{}\"", tensor);
    });
  });
}

// Numbers of the kind that the part is made for.
std::string input_text(const model::Subgraph& subgraph, const model::TensorType& input, const ir::Shape& shape) {
  const std::string extents = ir::tuple_text(shape);
  if (input.dtype == ir::DType::bool_) return fmt::format("torch.rand({}) > 0.5", extents);
  if (!ir::is_float(input.dtype)) return fmt::format("torch.randint(0, {}, {}, dtype={})", bound_of(subgraph, input.name), extents, ir::torch_type(input.dtype));
  const bool positive = std::any_of(subgraph.ops.begin(), subgraph.ops.end(), [](const model::SubgraphOp& op) { return is_one_of(kOfPositives, ir::short_name(op.op)); });
  const char* order = is_sorted(subgraph, input.name) ? ".sort(-1).values" : "";
  return fmt::format("torch.{}({}, dtype={}){}", positive ? "rand" : "randn", extents, ir::torch_type(input.dtype), order);
}

std::string weight_text(const model::Subgraph& subgraph, const model::TensorType& weight, const ir::Shape& shape) {
  const std::string extents = ir::tuple_text(shape), dtype = ir::torch_type(weight.dtype);
  if (!ir::is_float(weight.dtype)) return fmt::format("torch.zeros({}, dtype={})", extents, dtype);
  if (weight.name.find("var") != std::string::npos) return fmt::format("torch.rand({}, dtype={}) + 0.5", extents, dtype);
  if (is_sorted(subgraph, weight.name)) return fmt::format("torch.randn({}, dtype={}).sort(-1).values", extents, dtype);
  double terms = 1;
  for (std::size_t d = 1; d < weight.shape.size(); ++d) terms *= static_cast<double>(weight.shape[d]);
  return fmt::format("torch.randn({}, dtype={}) * {:.3g}", extents, dtype, 1 / std::sqrt(terms));
}

// Extents that are the program's own (the channels of a layer), for whoever tries the part at other sizes.
std::string fixed_text(const std::string& input, const ir::Shape& shape) {
  std::string out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::optional<std::int64_t> extent = shape[d].constant();
    if (extent && *extent > 1) out += fmt::format("        assert {}.shape[{}] == {}\n", input, d, *extent);
  }
  return out;
}

const ir::Shape& shape_of(const ir::Graph& graph, const std::string& name) {
  static const ir::Shape none;
  for (const ir::Argument& argument : graph.arguments) {
    if (argument.name == name && argument.value >= 0) return graph.shape(argument.value);
  }
  return none;
}

std::string sizes_text(const ir::Graph& graph) {
  std::string out;
  for (const ir::SizeSource& size : graph.sizes) {
    const bool computed = size.argument < 0;
    out += computed ? fmt::format("{} = {}\n", size.symbol, size.value.text()) : fmt::format("{} = {}\n", size.symbol, size.given);
  }
  return out;
}

}  // namespace

std::vector<std::string> parameters_of(const model::Subgraph& subgraph) {
  std::vector<std::string> out;
  for (const model::TensorType& input : subgraph.inputs) out.push_back(input.name);
  for (const model::TensorType& weight : subgraph.weights) {
    if (!is_constant(weight)) out.push_back(weight.name);
  }
  return out;
}

std::string problem_text(const model::Subgraph& subgraph, const Imported& imported) {
  std::string out = fmt::format("\"\"\"{}: a part of a program ({}).\"\"\"\n\nimport torch\nfrom torch import nn\n\n", subgraph.id, subgraph.where);
  const std::string sizes = sizes_text(imported.graph);
  out += sizes + (sizes.empty() ? "" : "\n") + "\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
  std::vector<std::string> taken{"self"}, drawn;
  std::string own;
  for (const model::TensorType& input : subgraph.inputs) {
    taken.push_back(input.name);
    own += fixed_text(input.name, shape_of(imported.graph, input.name));
    drawn.push_back(input_text(subgraph, input, shape_of(imported.graph, input.name)));
  }
  for (const model::TensorType& weight : subgraph.weights) {
    const std::string text = is_constant(weight) ? constant_text(weight) : weight_text(subgraph, weight, shape_of(imported.graph, weight.name));
    if (is_constant(weight)) out += fmt::format("        self.{} = {}\n", weight.name, text);
    else if (weight.role == "buffer") out += fmt::format("        self.register_buffer(\"{}\", {})\n", weight.name, text);
    else out += fmt::format("        self.{} = nn.Parameter({}{})\n", weight.name, text, ir::is_float(weight.dtype) ? "" : ", requires_grad=False");
    own += fmt::format("        {} = self.{}\n", weight.name, weight.name);
  }
  out += fmt::format("\n    def forward({}):\n{}{}", fmt::join(taken, ", "), own, body_text(subgraph, imported));
  out += "\n\ndef get_inputs():\n    return [" + fmt::format("{}", fmt::join(drawn, ",\n            ")) + "]\n\n\ndef get_init_inputs():\n    return []\n";
  return out;
}

namespace {

// Constants and sizes, before the operators.
std::string own_text(const model::Subgraph& subgraph, const Imported& imported) {
  std::string own;
  for (const model::TensorType& weight : subgraph.weights) {
    if (is_constant(weight)) own += fmt::format("        {} = {}\n", weight.name, constant_text(weight) + (subgraph.inputs.empty() ? "" : fmt::format(".to({}.device)", subgraph.inputs[0].name)));
  }
  for (const ir::SizeSource& size : imported.graph.sizes) {
    const std::string argument = size.argument < 0 ? "" : imported.graph.values[static_cast<std::size_t>(size.argument)].name;
    own += fmt::format("        {} = {}\n", size.symbol, ir::value_text(size, argument));
  }
  return own;
}

}  // namespace

std::string module_text(const model::Subgraph& subgraph, const Imported& imported, const std::string& class_name) {
  std::vector<std::string> taken = parameters_of(subgraph);
  taken.insert(taken.begin(), "self");
  const std::string head = fmt::format("class {}(nn.Module):\n    \"\"\"{} ({})\"\"\"\n\n    def forward({}):\n", class_name, subgraph.type, subgraph.where, fmt::join(taken, ", "));
  return head + own_text(subgraph, imported) + body_text(subgraph, imported);
}

std::string function_text(const model::Subgraph& subgraph, const Imported& imported, const std::string& name) {
  std::vector<std::string> taken;
  for (const model::TensorType& input : subgraph.inputs) taken.push_back(input.name);
  const std::vector<std::string> all = parameters_of(subgraph);
  if (all.size() > taken.size()) taken.push_back("*");
  taken.insert(taken.end(), all.begin() + static_cast<std::ptrdiff_t>(subgraph.inputs.size()), all.end());
  std::string out = fmt::format("import torch\n\n\ndef {}({}):\n", name, fmt::join(taken, ", "));
  for (const std::string& line : split(own_text(subgraph, imported) + body_text(subgraph, imported), '\n'))
    out += line.empty() ? "" : line.substr(4) + "\n";
  return out;
}

}  // namespace ka::graph

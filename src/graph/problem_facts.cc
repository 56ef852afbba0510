#include "graph/problem_facts.h"

#include <algorithm>

#include "base/strings.h"
#include "ir/tensor_spec.h"

namespace ka::graph {
namespace {

model::TensorType type_of(const TensorFacts& facts, const std::string& name) {
  model::TensorType type;
  type.name = name;
  type.dtype = facts.dtype;
  type.shape = facts.shape;
  const Result<std::vector<std::int64_t>> row_major = ir::contiguous_strides(facts.shape);
  if (!row_major || *row_major != facts.strides) type.strides = facts.strides;
  return type;
}

model::Attribute value_of(const Operand& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar.value)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&scalar.value)) return *number;
  if (const auto* number = std::get_if<double>(&scalar.value)) return *number;
  if (const auto* text = std::get_if<std::string>(&scalar.value)) return *text;
  return std::monostate{};
}

// A result of a node, or an argument that is handed through.
const std::optional<TensorFacts>* find_tensor(const ExportedGraph& graph, const TensorRef& ref) {
  for (const ExportedArgument& argument : graph.arguments)
    if (argument.node == ref.node) return &argument.tensor;
  for (const ExportedNode& node : graph.nodes)
    if (node.name == ref.node && static_cast<std::size_t>(ref.output) < node.outputs.size()) return &node.outputs[static_cast<std::size_t>(ref.output)];
  return nullptr;
}

bool names_any(const std::vector<std::string>& operators, std::initializer_list<std::string_view> pieces) {
  return std::any_of(operators.begin(), operators.end(), [&](const std::string& name) {
    return std::any_of(pieces.begin(), pieces.end(), [&](std::string_view piece) { return name.find(piece) != std::string::npos; });
  });
}

void add_argument(const ExportedArgument& argument, model::Problem& problem) {
  if (argument.kind == "input") {
    model::ProblemInput input;
    input.name = argument.name;
    if (argument.tensor) input.tensor = type_of(*argument.tensor, argument.name);
    if (!argument.tensor) input.value = value_of(argument.scalar);
    problem.inputs.push_back(std::move(input));
  } else if (argument.kind != "constant" && argument.tensor) {
    model::ProblemWeight weight;
    weight.name = argument.name;
    weight.argument = argument.keyword;
    weight.kind = argument.kind;
    if (!argument.tied_to.empty()) weight.tied_to = argument.tied_to;
    weight.type = type_of(*argument.tensor, argument.name);
    problem.weights.push_back(std::move(weight));
  }
}

}  // namespace

std::vector<std::string> operator_names(const Exported& exported) {
  std::vector<std::string> names;
  if (exported.samples.empty()) return names;
  for (const ExportedNode& node : exported.samples[0].nodes)
    if (std::find(names.begin(), names.end(), node.op) == names.end()) names.push_back(node.op);
  return names;
}

model::Problem problem_facts(const Exported& exported) {
  model::Problem problem;
  if (exported.samples.empty()) return problem;
  const ExportedGraph& graph = exported.samples[0];
  for (const ExportedArgument& argument : graph.arguments) add_argument(argument, problem);
  for (const TensorRef& output : graph.outputs)
    if (const std::optional<TensorFacts>* facts = find_tensor(graph, output); facts != nullptr && *facts) problem.outputs.push_back(type_of(**facts, ""));
  for (const ExportedUpdate& update : graph.updates)
    for (const ExportedArgument& argument : graph.arguments)
      if (argument.node == update.target && argument.kind == "buffer") problem.updates_buffers.push_back(argument.name);
  const std::vector<std::string> operators = operator_names(exported);
  problem.structure = graph.structure;
  problem.given_sizes = problem.verified_sizes = graph.sizes;
  problem.draws_random = names_any(operators, {"rand", "dropout", "bernoulli", "aten.normal"});
  problem.has_contraction = names_any(operators, {"conv", "linear", "mm.", "matmul", "einsum", "attention", "lstm", "gru", "rnn"});
  problem.default_tier = names_any(operators, {"conv", "aten.lstm.", "aten.gru.", "aten.rnn_tanh.", "aten.rnn_relu."}) ? "tf32" : "fp32";  // docs/precision.md
  return problem;
}

}  // namespace ka::graph

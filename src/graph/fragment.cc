#include "graph/fragment.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "ir/python_text.h"

namespace ka::graph {
namespace {

using ir::ProgramRef;

// What a part calls a value that another part has made: parts that do the same to different values have the same text.
constexpr const char* kInput = "x";

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Where the values of an export come from.
class Makers {
 public:
  explicit Makers(const ExportedGraph& graph) {
    for (std::size_t i = 0; i < graph.arguments.size(); ++i) numbers_[graph.arguments[i].node] = -1 - static_cast<int>(i);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) numbers_[graph.nodes[i].name] = static_cast<int>(i);
  }
  ProgramRef of(const TensorRef& ref) const {
    const auto found = numbers_.find(ref.node);
    return found == numbers_.end() || found->second < 0 ? ProgramRef{found == numbers_.end() ? 0 : found->second, 0} : ProgramRef{found->second, ref.output};
  }

 private:
  std::map<std::string, int> numbers_;
};

const ExportedArgument& argument_of(const ExportedGraph& graph, const ProgramRef& ref) { return graph.arguments[at(-1 - ref.op)]; }
bool is_weight(const ExportedArgument& argument) { return argument.kind != "input"; }
bool is_number(const ExportedGraph& graph, const ProgramRef& ref) { return ref.op < 0 && !argument_of(graph, ref).tensor; }

void add_reads(const Operand& operand, const ExportedGraph& graph, const Makers& makers, std::vector<ProgramRef>& out) {
  if (const TensorRef* ref = std::get_if<TensorRef>(&operand.value)) {
    if (const ProgramRef made = makers.of(*ref); !is_number(graph, made)) out.push_back(made);
  }
  if (const OperandList* list = std::get_if<OperandList>(&operand.value)) {
    for (const Operand& item : *list) add_reads(item, graph, makers, out);
  }
}

// Operators that draw say how their result lies in memory; that is how they are known.
bool draws(const ExportedNode& node) { return node.operands.contains("gaps"); }

Json float_json(double value) { return std::isfinite(value) ? Json(value) : Json{{"f", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}}; }

bool has_tensors(const Operand& operand) {
  if (std::holds_alternative<TensorRef>(operand.value)) return true;
  const OperandList* list = std::get_if<OperandList>(&operand.value);
  return list != nullptr && std::any_of(list->begin(), list->end(), has_tensors);
}

// The entry of a part in one sample.
class Writer {
 public:
  Writer(const Exported& exported, std::size_t sample, const ir::Part& part) : graph_(exported.samples[sample]), makers_(graph_), part_(part) {}

  model::Subgraph write(std::int64_t order) {
    model::Subgraph out;
    out.sizes = graph_.sizes;
    out.count = 1;
    model::SubgraphCall call;
    call.order = order;
    std::vector<ProgramRef> weights;
    for (const ProgramRef& ref : part_.inputs) {
      if (ref.op < 0 && is_weight(argument_of(graph_, ref))) weights.push_back(ref);
      else add_argument(ref, out, call);
    }
    std::sort(weights.begin(), weights.end(), [](const ProgramRef& a, const ProgramRef& b) { return a.op > b.op; });  // as the module has them
    for (const ProgramRef& ref : weights) add_argument(ref, out, call);
    for (const int op : part_.ops) add_op(op, out);
    for (const ProgramRef& ref : part_.outputs) {
      out.outputs.push_back(tensor(local(ref), facts(ref)));
      call.outputs.push_back(ref.op < 0 ? argument_of(graph_, ref).keyword + "_copy" : program_name(ref));
    }
    for (const int update : part_.updates) add_update(update, out, call);
    for (model::TensorType& weight : out.weights) {
      if (weight.role != "constant") continue;
      weight.data = argument_of(graph_, constants_.at(weight.name)).data;
    }
    out.calls.push_back(std::move(call));
    return out;
  }

  std::string program_name(const ProgramRef& ref) const {
    if (ref.op < 0) return argument_of(graph_, ref).keyword;
    const ExportedNode& node = graph_.nodes[at(ref.op)];
    return node.outputs.size() == 1 ? node.name : fmt::format("{}_out{}", node.name, ref.output);
  }

 private:
  void add_argument(const ProgramRef& ref, model::Subgraph& out, model::SubgraphCall& call) {
    if (ref.op < 0 && is_weight(argument_of(graph_, ref))) {
      const ExportedArgument& argument = argument_of(graph_, ref);
      const std::string name = fresh(ir::python_name(argument.name.substr(argument.name.rfind('.') + 1)));
      names_[ref] = name;
      out.weights.push_back(tensor(name, *argument.tensor));
      out.weights.back().role = argument.kind;
      if (argument.kind == "constant") constants_[name] = ref;
      call.weights.push_back(argument.name);
      return;
    }
    const std::string name = fresh(ref.op < 0 ? program_name(ref) : kInput);
    names_[ref] = name;
    out.inputs.push_back(tensor(name, facts(ref)));
    call.inputs.push_back(program_name(ref));
  }

  void add_op(int number, model::Subgraph& out) {
    const ExportedNode& node = graph_.nodes[at(number)];
    model::SubgraphOp op;
    op.op = node.op;
    op.name = ops_[number] = fresh(node.name);
    op.where = node.where.substr(node.where.rfind('/') + 1);  // the folder says nothing about the program
    for (const auto& [name, operand] : node.operands) {
      const Json json = value(operand);
      (has_tensors(operand) && !json.is_number() ? op.operands : op.parameters)[name].text = to_json_text(json);
    }
    for (const std::optional<TensorFacts>& facts : node.outputs) {
      Json json;
      if (facts) json = {{"dtype", ir::to_string(facts->dtype)}, {"shape", facts->shape}, {"strides", facts->strides}};
      op.results.push_back({to_json_text(json)});
    }
    out.ops.push_back(std::move(op));
  }

  void add_update(int number, model::Subgraph& out, model::SubgraphCall& call) {
    int seen = 0;
    for (const ExportedUpdate& update : graph_.updates) {
      const ProgramRef target = makers_.of({update.target, 0});
      const std::string& kind = argument_of(graph_, target).kind;
      if (kind == "input" || kind == "constant" || seen++ != number) continue;
      if (!names_.contains(target)) add_argument(target, out, call);
      out.updates.push_back({names_[target], local(makers_.of(update.value)), {}});
      return;
    }
  }

  Json value(const Operand& operand) const {
    if (const TensorRef* ref = std::get_if<TensorRef>(&operand.value)) {
      const ProgramRef made = makers_.of(*ref);
      return is_number(graph_, made) ? value(argument_of(graph_, made).scalar) : Json(local(made));
    }
    if (const OperandList* list = std::get_if<OperandList>(&operand.value)) {
      Json out = Json::array();
      for (const Operand& item : *list) out.push_back(value(item));
      return out;
    }
    if (const bool* flag = std::get_if<bool>(&operand.value)) return *flag;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&operand.value)) return *number;
    if (const double* number = std::get_if<double>(&operand.value)) return float_json(*number);
    if (const std::string* text = std::get_if<std::string>(&operand.value)) return *text;
    if (const ir::DType* dtype = std::get_if<ir::DType>(&operand.value)) return {{"dtype", ir::to_string(*dtype)}};
    return nullptr;
  }

  // "conv2d", "max_1:1"; an argument or a value from outside by its name here.
  std::string local(const ProgramRef& ref) const {
    if (const auto found = names_.find(ref); found != names_.end()) return found->second;
    const std::string& name = ops_.at(ref.op);
    return ref.output == 0 ? name : fmt::format("{}:{}", name, ref.output);
  }

  const TensorFacts& facts(const ProgramRef& ref) const { return ref.op < 0 ? *argument_of(graph_, ref).tensor : *graph_.nodes[at(ref.op)].outputs[at(ref.output)]; }

  static model::TensorType tensor(std::string name, const TensorFacts& facts) { return {std::move(name), facts.dtype, facts.shape, facts.strides, {}}; }

  std::string fresh(const std::string& wish) {
    std::string name = wish;
    for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
    return name;
  }

  const ExportedGraph& graph_;
  const Makers makers_;
  const ir::Part& part_;
  std::map<ProgramRef, std::string> names_;  // of what comes from outside
  std::map<int, std::string> ops_;
  std::map<std::string, ProgramRef> constants_;
  std::set<std::string> taken_;
};

// The numbers of an entry, in the order of its fields.
template <class Visit>
void visit_numbers(Json& json, const Visit& visit) {
  if (json.is_number()) visit(json);
  if (json.is_structured()) {
    for (Json& item : json) visit_numbers(item, visit);
  }
}

// What of an entry depends on the sizes, as one document.
Json sized(const model::Subgraph& subgraph) {
  const Json whole = model::to_json(subgraph);
  Json out = {{"inputs", whole["inputs"]}, {"weights", whole["weights"]}, {"ops", Json::array()}};
  for (Json& weight : out["weights"]) weight.erase("data");
  for (const Json& op : whole["ops"]) out["ops"].push_back({{"parameters", op["parameters"]}, {"results", op["results"]}});
  return out;
}

Json tensor_json(const Json& facts) {
  Json out = {{"dtype", facts["dtype"]}, {"shape", facts["shape"]}};
  Json strides = facts.value("strides", Json());
  if (strides.is_null()) {
    strides = Json::array();
    std::int64_t step = 1;
    for (std::size_t d = facts["shape"].size(); d-- > 0;) {
      strides.insert(strides.begin(), step);
      const Json& extent = facts["shape"][d];
      if (!extent.is_number_integer() || __builtin_mul_overflow(step, extent.get<std::int64_t>(), &step)) step = 0;  // told when it is read
    }
  }
  out["strides"] = strides;
  return out;
}

// The values of a constant at the given sizes.
Json values_json(const std::vector<double>& data) {
  Json out = Json::array();
  for (const double value : data) out.push_back(float_json(value));
  return out;
}

// At other sizes: one that has the same value everywhere has it there too, in as many elements as the shape says. Others are as they are.
Json values_json(const std::vector<double>& data, const Json& shape) {
  constexpr std::int64_t kMost = 1 << 20;
  std::int64_t elements = 1;
  for (const Json& extent : shape) {
    const bool fits = extent.is_number_integer() && extent.get<std::int64_t>() >= 0 && extent.get<std::int64_t>() <= kMost;
    elements = fits ? elements * extent.get<std::int64_t>() : kMost + 1;
    if (elements > kMost) return values_json(data);
  }
  const bool is_even = !data.empty() && std::all_of(data.begin(), data.end(), [&](double value) { return value == data[0]; });
  return values_json(is_even ? std::vector<double>(static_cast<std::size_t>(elements), data[0]) : data);
}

Json reference(const std::string& value) {
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos) return {{"t", value}};
  return {{"t", value.substr(0, colon)}, {"i", std::stoi(value.substr(colon + 1))}};
}

// The document that the export child would have answered, for one sample.
Json document(const model::Subgraph& subgraph, const Json& numbers, const std::map<std::string, std::int64_t>& sizes, bool is_given) {
  Json arguments = Json::array(), nodes = Json::array(), outputs = Json::array(), updates = Json::array();
  for (std::size_t i = 0; i < subgraph.inputs.size(); ++i) {
    Json argument = tensor_json(numbers["inputs"][i]);
    argument.update({{"node", subgraph.inputs[i].name}, {"kind", "input"}, {"name", subgraph.inputs[i].name}});
    arguments.push_back(std::move(argument));
  }
  for (std::size_t i = 0; i < subgraph.weights.size(); ++i) {
    const model::TensorType& weight = subgraph.weights[i];
    Json argument = tensor_json(numbers["weights"][i]);
    argument.update({{"node", weight.name}, {"kind", weight.role.value_or("parameter")}, {"name", weight.name}});
    if (weight.data) argument["data"] = is_given ? values_json(*weight.data) : values_json(*weight.data, numbers["weights"][i]["shape"]);
    arguments.push_back(std::move(argument));
  }
  for (std::size_t i = 0; i < subgraph.ops.size(); ++i) {
    const model::SubgraphOp& op = subgraph.ops[i];
    Json args = numbers["ops"][i]["parameters"];
    for (const auto& [name, operand] : op.operands) {
      const Json value = Json::parse(operand.text);
      if (value.is_string()) {
        args[name] = reference(value.get<std::string>());
        continue;
      }
      Json list = Json::array();
      for (const Json& item : value) list.push_back(item.is_null() ? Json() : reference(item.get<std::string>()));
      args[name] = {{"ts", list}};
    }
    nodes.push_back({{"name", op.name}, {"op", op.op}, {"where", op.where}, {"args", args}, {"outs", numbers["ops"][i]["results"]}});
  }
  for (const model::TensorType& output : subgraph.outputs) outputs.push_back(reference(output.name));
  for (const model::SubgraphUpdate& update : subgraph.updates) updates.push_back({{"target", update.weight}, {"value", reference(update.value)}});
  const char* structure = subgraph.outputs.size() == 1 ? "tensor" : "tuple";
  return {{"sizes", sizes}, {"graph", {{"arguments", arguments}, {"nodes", nodes}, {"outputs", outputs}, {"updates", updates}, {"structure", structure}}}};
}

}  // namespace

ir::Program program_of(const Exported& exported) {
  const ExportedGraph& graph = exported.samples[0];
  const Makers makers(graph);
  ir::Program out;
  for (const ExportedNode& node : graph.nodes) {
    ir::ProgramOp& op = out.ops.emplace_back();
    op.draws = draws(node);
    for (const auto& [name, operand] : node.operands) add_reads(operand, graph, makers, op.reads);
  }
  for (const TensorRef& ref : graph.outputs) out.outputs.push_back(makers.of(ref));
  for (const ExportedUpdate& update : graph.updates) {
    const std::string& kind = argument_of(graph, makers.of({update.target, 0})).kind;
    if (kind != "input" && kind != "constant") out.updates.push_back(makers.of(update.value));
  }
  return out;
}

std::string value_name(const Exported& exported, const ir::ProgramRef& ref) {
  const ir::Part none;
  return Writer(exported, 0, none).program_name(ref);
}

model::Subgraph subgraph_of(const Exported& exported, const ir::Part& part, std::int64_t order) {
  model::Subgraph out = Writer(exported, 0, part).write(order);
  std::size_t count = 0;
  Json given = sized(out);
  visit_numbers(given, [&](const Json&) { ++count; });
  for (std::size_t s = 1; s < exported.samples.size(); ++s) {
    Json numbers = Json::array(), other = sized(Writer(exported, s, part).write(order));
    visit_numbers(other, [&](const Json& number) { numbers.push_back(number); });
    if (numbers.size() == count) out.samples.push_back({exported.samples[s].sizes, {to_json_text(numbers)}, {}});
  }
  out.signature = model::signature_of(out);
  return out;
}

Result<Exported> exported_of(const model::Subgraph& subgraph) try {
  const Json given = sized(subgraph);
  Json samples = Json::array({document(subgraph, given, subgraph.sizes, true)});
  for (std::size_t s = 0; s < subgraph.samples.size(); ++s) {
    const Json numbers = Json::parse(subgraph.samples[s].numbers.text);
    Json other = given;
    std::size_t next = 0;
    bool fits = numbers.is_array();
    visit_numbers(other, [&](Json& number) {
      fits = fits && next < numbers.size() && numbers[next].is_number();
      if (fits) number = numbers[next++];
    });
    if (!fits || next != numbers.size()) return invalid_input(fmt::format("the numbers of sample {} do not fit its operators and tensors; without samples it would be taken for the given sizes alone", s));
    samples.push_back(document(subgraph, other, subgraph.samples[s].sizes, false));
  }
  return read_exported({{"way", kFromFile}, {"samples", samples}});
} catch (const Json::exception& error) {
  return invalid_input(fmt::format("an operator or a tensor of it has an unknown form ({})", error.what()));
}

}  // namespace ka::graph

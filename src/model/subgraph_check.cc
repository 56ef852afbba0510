// What a file that somebody else may have written must be like before anything is built on it.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "model/subgraph.h"

namespace ka::model {
namespace {

constexpr std::size_t kMaxName = 100;

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= kMaxName && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

std::string shown(const std::string& name) { return fmt::format("\"{}\"", elide_middle(name, 60)); }

Error bad(const std::string& what) { return invalid_input(what); }

// The values that exist so far: every name once.
class Values {
 public:
  Status add(const std::string& name, const char* what) {
    if (!is_identifier(name)) return bad(fmt::format("the {} {} is not named by letters, digits and _ (at most {})", what, shown(name), kMaxName));
    if (!names_.emplace(name, 1).second) return bad(fmt::format("there are two values {}", shown(name)));
    return ok();
  }
  void set_results(const std::string& name, std::size_t results) { names_[name] = results; }
  Status check(const std::string& value, const std::string& reader) const {
    const std::size_t colon = value.find(':');
    const auto found = names_.find(value.substr(0, colon));
    if (found == names_.end()) return bad(fmt::format("{} reads {}, which nothing before it makes", reader, shown(value)));
    const std::string number = colon == std::string::npos ? "0" : value.substr(colon + 1);
    const bool is_number = !number.empty() && number.size() < 6 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number || std::stoul(number) >= found->second) return bad(fmt::format("{} reads {}, and {} has {} results", reader, shown(value), found->first, found->second));
    return ok();
  }

 private:
  std::map<std::string, std::size_t> names_;
};

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// "aten.conv2d.default", and arguments that could be those of a function.
Status check_spelling(const SubgraphOp& op) {
  const std::vector<std::string> parts = split(op.op, '.');
  if (parts.size() < 2 || !std::all_of(parts.begin(), parts.end(), [](const std::string& part) { return is_identifier(part); }))
    return bad(fmt::format("{}: {} is not the name of an operator, as aten.relu.default is", shown(op.name), shown(op.op)));
  for (const std::map<std::string, JsonText>* arguments : {&op.operands, &op.parameters}) {
    for (const auto& [argument, value] : *arguments) {
      if (!is_identifier(argument)) return bad(fmt::format("{}: its argument {} is not named by letters, digits and _", shown(op.name), shown(argument)));
    }
  }
  if (!is_plain(op.where)) return bad(fmt::format("{}: the place in the program holds control characters", shown(op.name)));
  return ok();
}

Status check_operands(const SubgraphOp& op) {
  const auto is_name = [](const Json& json) { return json.is_string() || json.is_null(); };
  for (const auto& [argument, operand] : op.operands) {
    const Json json = Json::parse(operand.text);
    const bool good = json.is_string() || (json.is_array() && std::all_of(json.begin(), json.end(), is_name));
    if (!good) return bad(fmt::format("{}: its operand {} is no name and no list of names", shown(op.name), shown(argument)));
    if (op.parameters.contains(argument)) return bad(fmt::format("{}: {} is an operand and a parameter", shown(op.name), shown(argument)));
  }
  return ok();
}

Status check_shapes(const std::vector<TensorType>& tensors) {
  for (const TensorType& tensor : tensors) {
    if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t n) { return n < 0; })) return bad(fmt::format("{} has a negative extent", shown(tensor.name)));
    if (tensor.strides && tensor.strides->size() != tensor.shape.size()) return bad(fmt::format("{} has {} extents and {} strides", shown(tensor.name), tensor.shape.size(), tensor.strides->size()));
  }
  return ok();
}

Status check_calls(const Subgraph& subgraph) {
  for (const SubgraphCall& call : subgraph.calls) {
    if (call.order < 0) return bad("the order of a call is negative");
    const auto fits = [&](const char* what, std::size_t have, std::size_t want) -> Status {
      if (have == want) return ok();
      return bad(fmt::format("call {} gives {} {} and the subgraph has {}", call.order, have, what, want));
    };
    KA_TRY(fits("inputs", call.inputs.size(), subgraph.inputs.size()));
    KA_TRY(fits("weights", call.weights.size(), subgraph.weights.size()));
    KA_TRY(fits("outputs", call.outputs.size(), subgraph.outputs.size()));
  }
  return ok();
}

}  // namespace

Status check_subgraph(const Subgraph& subgraph) {
  if (!is_identifier(subgraph.id)) return bad(fmt::format("the id {} is not made of letters, digits and _ (at most {}); it names a folder and a function", shown(subgraph.id), kMaxName));
  Values values;
  for (const TensorType& input : subgraph.inputs) KA_TRY(values.add(input.name, "input"));
  for (const TensorType& weight : subgraph.weights) KA_TRY(values.add(weight.name, "weight"));
  for (const std::vector<TensorType>* tensors : {&subgraph.inputs, &subgraph.weights, &subgraph.outputs}) KA_TRY(check_shapes(*tensors));
  for (const SubgraphOp& op : subgraph.ops) {
    KA_TRY(check_spelling(op));
    KA_TRY(check_operands(op));
    for (const std::string& value : values_of(op)) KA_TRY(values.check(value, shown(op.name)));
    KA_TRY(values.add(op.name, "result"));
    values.set_results(op.name, op.results.size());
  }
  for (const TensorType& weight : subgraph.weights) {
    const std::string role = weight.role.value_or("parameter");
    if (role != "parameter" && role != "buffer" && role != "constant") return bad(fmt::format("the weight {} is a {}, not a parameter, buffer or constant", shown(weight.name), shown(role)));
  }
  for (const std::string& text : {subgraph.where, subgraph.type}) {
    if (!is_plain(text)) return bad("its type or its place in the program holds control characters");
  }
  if (subgraph.outputs.empty() && subgraph.updates.empty()) return bad("it has no outputs and changes no weights");
  for (const TensorType& output : subgraph.outputs) KA_TRY(values.check(output.name, "an output"));
  for (const SubgraphUpdate& update : subgraph.updates) {
    const auto is_it = [&](const TensorType& weight) { return weight.name == update.weight; };
    if (std::none_of(subgraph.weights.begin(), subgraph.weights.end(), is_it)) return bad(fmt::format("it changes {}, which is none of its weights", shown(update.weight)));
    KA_TRY(values.check(update.value, "an update"));
  }
  return check_calls(subgraph);
}

Result<std::vector<Subgraph>> read_subgraphs(std::string_view text, const std::string& path) {
  KA_ASSIGN(const Json json, parse_json(text, path));
  if (!json.is_array()) return bad(fmt::format("{}: a list of subgraphs was expected, as kernelagent extract writes it", path));
  std::vector<Subgraph> out;
  std::set<std::string> ids;
  std::set<std::int64_t> orders;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string where = fmt::format("{}: entry {}", path, i);
    Result<Subgraph> read = subgraph_from_json(json[i]);
    if (!read) return read.error().with(where);
    if (Status checked = check_subgraph(*read); !checked) return checked.error().with(where);
    if (!ids.insert(read->id).second) return bad(fmt::format("{}: the id {} is there twice", where, shown(read->id)));
    for (const SubgraphCall& call : read->calls) {
      if (!orders.insert(call.order).second) return bad(fmt::format("{}: two calls have the order {}", where, call.order));
    }
    out.push_back(std::move(*read));
  }
  if (out.empty()) return bad(fmt::format("{}: there is no subgraph in it", path));
  return out;
}

std::string to_text(const std::vector<Subgraph>& subgraphs) {
  Json json = Json::array();
  for (const Subgraph& subgraph : subgraphs) json.push_back(to_json(subgraph));
  return to_pretty_json_text(json);
}

}  // namespace ka::model

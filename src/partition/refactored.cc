#include "partition/refactored.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "ir/primitives.h"
#include "ir/python_text.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Node;
using ir::short_name;
using ir::Sym;
using ir::torch_type;
using ir::tuple_text;
using ir::ValueId;

// Helpers of the file; it has those that it names.
struct Helper {
  const char* name;
  const char* text;
};
constexpr Helper kHelpers[] = {
    {"least(", "def least(a, b):\n    return torch.minimum(torch.as_tensor(a), torch.as_tensor(b))\n"},
    {"most(", "def most(a, b):\n    return torch.maximum(torch.as_tensor(a), torch.as_tensor(b))\n"},
    {"with_rests(", "def with_rests(product, rests):\n    return torch.where(torch.isfinite(product), product + rests, product)\n"},
    {"places(",
     "def places(shape, device):\n    \"\"\"The index of every element, one tensor per dimension, ready to be broadcast.\"\"\"\n"
     "    return [torch.arange(n, device=device).reshape([n if d == k else 1 for d in range(len(shape))]) for k, n in enumerate(shape)]\n"},
    {"index(",
     "def index(shape, expression, device):\n    \"\"\"Element i is expression(i).\"\"\"\n"
     "    return torch.as_tensor(expression(*places(shape, device)), device=device).expand(shape)\n"},
    {"remap(",
     "def remap(x, shape, place, valid=None, fill=0):\n    \"\"\"Element i is x[place(i)], and fill where valid(i) names something below 0.\"\"\"\n"
     "    at = places(shape, x.device)\n    inside = [torch.as_tensor(v, device=x.device) >= 0 for v in valid(*at)] if valid else []\n"
     "    found = [torch.as_tensor(i, device=x.device).clamp(0, n - 1) for i, n in zip(place(*at), x.shape)]\n"
     "    out = x[tuple(found)].expand(shape) if found else x.expand(shape)\n    for holds in inside:\n        out = torch.where(holds, out, fill)\n    return out\n"},
    {"look_up(",
     "def look_up(x, shape, tables, place):\n    \"\"\"Element i is x[place(i)], where place also knows element i of every table.\"\"\"\n"
     "    found = [torch.as_tensor(i, device=x.device) for i in place(*places(shape, x.device), *tables)]\n    return x[tuple(found)].expand(shape)\n"},
};

// Where PyTorch's name or form is another; everything else elementwise is torch.NAME(...).
struct Form {
  const char* op;
  const char* text;
  bool takes_numbers;  // an operand may be a plain number
};
constexpr Form kForms[] = {
    {"add", "{0} + {1}", true},        {"sub", "{0} - {1}", true},         {"mul", "{0} * {1}", true},          {"div", "{0} / {1}", true},
    {"eq", "{0} == {1}", true},        {"ne", "{0} != {1}", true},         {"lt", "{0} < {1}", true},           {"le", "{0} <= {1}", true},
    {"gt", "{0} > {1}", true},         {"ge", "{0} >= {1}", true},         {"and", "{0} & {1}", true},          {"or", "{0} | {1}", true},
    {"xor", "{0} ^ {1}", true},        {"shift_left", "{0} << {1}", true}, {"shift_right", "{0} >> {1}", true}, {"neg", "-{0}", false},
    {"not", "~{0}", false},            {"trunc_div", "torch.div({0}, {1}, rounding_mode=\"trunc\")", true},
    {"div_rn", "{0} / {1}", true},
    {"bessel_i0", "torch.special.i0({0})", false},       {"bessel_i1", "torch.special.i1({0})", false},
    {"bessel_j0", "torch.special.bessel_j0({0})", false}, {"bessel_j1", "torch.special.bessel_j1({0})", false},
    {"erfcx", "torch.special.erfcx({0})", false},        {"normcdfinv", "torch.special.ndtri({0})", false},
    {"pow", "torch.pow({0}, {1})", true}, {"fmod", "torch.fmod({0}, {1})", true}, {"where", "torch.where({0}, {1}, {2})", true},
};

std::string number_text(double value, DType dtype) {
  if (dtype == DType::bool_) return value != 0 ? "True" : "False";
  if (!ir::is_float(dtype)) return fmt::format("{}", static_cast<std::int64_t>(value));
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// An index expression over tensors: Python's min and max are not for these.
std::string index_text(const std::vector<Sym>& list) {
  std::string text = tuple_text(list);
  const std::pair<std::string, std::string> words[] = {{"min(", "least("}, {"max(", "most("}};
  for (const auto& [word, instead] : words) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + instead.size())) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) || before == '_') continue;
      text.replace(at, word.size(), instead);
    }
  }
  return text;
}

std::string parameters(std::size_t dims, std::size_t tables = 0) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dims; ++d) names.push_back(fmt::format("i{}", d));
  for (std::size_t t = 0; t < tables; ++t) names.push_back(fmt::format("t{}", t));
  return fmt::format("{}", fmt::join(names, ", "));
}

class Writer {
 public:
  Writer(const ir::Graph& graph, const ir::Plan& plan) : graph_(graph), plan_(plan) {}

  Result<Refactored> run() {
    taken_.insert(ir::python_keywords().begin(), ir::python_keywords().end());
    for (const ir::SizeSource& size : graph_.sizes) taken_.insert(size.symbol);
    for (const ir::Argument& argument : graph_.arguments) name_argument(argument);
    for (const ValueId value : plan_.randoms) names_[value] = unique("drawn");
    for (const ir::PlannedKernel& kernel : plan_.kernels) {
      for (const ValueId output : kernel.outputs) names_[output] = unique(short_name(graph_.maker(output)->origin));
    }
    std::string functions, calls;
    for (const ir::PlannedKernel& kernel : plan_.kernels) {
      KA_ASSIGN(Part part, function(kernel));
      functions += "\n\n" + part.text;
      calls += part.call;
    }
    KA_ASSIGN(std::string whole, forward(calls));
    functions += "\n\n" + whole;
    std::string helpers, named = functions;
    for (std::size_t h = std::size(kHelpers); h-- > 0;) {  // a later one may name an earlier one
      if (named.find(kHelpers[h].name) == std::string::npos) continue;
      helpers = std::string("\n\n") + kHelpers[h].text + helpers;
      named += kHelpers[h].text;
    }
    out_.text = "import torch\nimport torch.nn as nn\n" + helpers + functions;
    return out_;
  }

 private:
  bool is_read(ValueId id) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const ir::Node& node) { return std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end(); });
  }

  struct Part {
    std::string text, call;
  };

  std::string unique(const std::string& wish) {
    std::string name = wish;
    for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
    return name;
  }

  void name_argument(const ir::Argument& argument) {
    const std::string name = unique(argument.keyword);
    if (argument.kind == ir::ArgumentKind::input) out_.inputs.push_back(name);
    if (argument.value < 0) return;
    names_[argument.value] = name;
    if (argument.kind == ir::ArgumentKind::parameter || argument.kind == ir::ArgumentKind::buffer) out_.weights.emplace_back(argument.name, name);
  }

  // A number that the graph holds: a constant, also after a change of type.
  std::optional<double> number(ValueId value) const {
    const Node* node = graph_.maker(value);
    if (node == nullptr) return std::nullopt;
    if (node->op == "constant") return ir::float_attribute(*node, "value");
    if (node->op != "cast") return std::nullopt;
    std::optional<double> inner = number(node->inputs[0]);
    if (inner && !ir::is_float(graph_.type(value).dtype)) inner = std::trunc(*inner);
    return inner;
  }

  // One kernel: its outputs from values in memory.
  Result<Part> function(const ir::PlannedKernel& kernel) {
    locals_.clear();
    lines_.clear();
    given_.clear();
    sizes_.clear();
    own_ = {kernel.outputs.begin(), kernel.outputs.end()};
    std::vector<std::string> results;
    for (const ValueId output : kernel.outputs) {
      KA_ASSIGN(std::string result, value_text(output));
      results.push_back(result);
    }
    std::vector<std::string> parts, outputs;
    for (const int node : kernel.nodes) {
      const std::string part = short_name(graph_.nodes[static_cast<std::size_t>(node)].origin);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
    for (const ValueId output : kernel.outputs) outputs.push_back(names_.at(output));
    const std::string what = fmt::format("{}", fmt::join(parts, ", "));
    if (parts.size() > 4) parts = {parts[0], parts[1], parts[2], "etc"};
    const std::string name = unique(fmt::format("{}_part", fmt::join(parts, "_")));
    std::vector<std::string> arguments = given_;
    arguments.insert(arguments.end(), sizes_.begin(), sizes_.end());
    const std::string list = fmt::format("{}", fmt::join(arguments, ", "));
    Part out;
    out.text = fmt::format("def {}({}):\n    \"\"\"{} ({})\"\"\"\n", name, list, what, ir::to_string(kernel.kind));
    for (const std::string& line : lines_) out.text += "    " + line + "\n";
    out.text += fmt::format("    return {}\n", fmt::join(results, ", "));
    out.call = fmt::format("    {} = {}({})\n", fmt::join(outputs, ", "), name, list);
    return out;
  }

  Result<std::string> forward(const std::string& calls) {
    std::vector<std::string> keywords, results;
    for (const auto& [name, keyword] : out_.weights) keywords.push_back(keyword);
    std::string parameters = fmt::format("{}", fmt::join(out_.inputs, ", "));
    if (!keywords.empty()) parameters += fmt::format("{}*, {}", parameters.empty() ? "" : ", ", fmt::join(keywords, ", "));
    std::string text = fmt::format("def forward({}):\n", parameters);
    for (const ir::SizeSource& size : graph_.sizes)
      text += fmt::format("    {} = {}\n", size.symbol, ir::value_text(size, size.argument < 0 ? "" : names_.at(size.argument)));
    std::string device = "\"cpu\"";
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.value >= 0 && argument.kind != ir::ArgumentKind::constant && device == "\"cpu\"") device = names_.at(argument.value) + ".device";
    }
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.kind != ir::ArgumentKind::constant || argument.value < 0 || !is_read(argument.value)) continue;
      std::vector<std::string> numbers;
      const DType dtype = graph_.type(argument.value).dtype;
      for (const double value : argument.data) numbers.push_back(number_text(value, dtype));
      text += fmt::format("    {} = torch.tensor([{}], dtype={}, device={}).reshape({})\n", names_.at(argument.value), fmt::join(numbers, ", "), torch_type(dtype), device,
                          tuple_text(graph_.shape(argument.value)));
    }
    for (const ValueId value : plan_.randoms) text += fmt::format("    {} = {}\n", names_.at(value), ir::draw_text(graph_, value, device));
    text += calls;
    for (const ir::Update& update : graph_.updates) {
      KA_ASSIGN(std::string from, stored(update.value));
      text += fmt::format("    {}.copy_({})\n", names_.at(update.buffer), from);
    }
    for (const ValueId output : graph_.outputs) {
      KA_ASSIGN(std::string result, stored(output));
      results.push_back(result);
    }
    return text + fmt::format("    return {}\n", ir::packed_text(graph_.structure, results));
  }

  // A value that lies in memory, or is a reshape of one.
  Result<std::string> stored(ValueId value) const {
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    const Node* node = graph_.maker(value);
    if (node == nullptr || node->op != "reshape") return internal_error("refactored: a result is not in memory");
    KA_ASSIGN(std::string inner, stored(node->inputs[0]));
    return fmt::format("{}.reshape({})", inner, tuple_text(graph_.shape(value)));
  }

  // The name that holds a value inside the function, computing it first when it is not in memory.
  Result<std::string> value_text(ValueId value) {
    if (const auto found = locals_.find(value); found != locals_.end()) return found->second;
    if (names_.contains(value) && !own_.contains(value)) {
      given_.push_back(names_.at(value));
      return locals_[value] = names_.at(value);
    }
    const Node* node = graph_.maker(value);
    KA_ASSIGN(std::string expression, expression_of(*node, value));
    const std::string name = own_.contains(value) ? names_.at(value) : fmt::format("v{}", value);
    lines_.push_back(fmt::format("{} = {}", name, expression));
    return locals_[value] = name;
  }

  void use_sizes(const std::vector<Sym>& list) {
    for (const Sym& item : list) {
      for (const ir::AtomRef& atom : ir::symbols(item)) {
        if (atom->kind == ir::AtomKind::size && std::find(sizes_.begin(), sizes_.end(), atom->name) == sizes_.end()) sizes_.push_back(atom->name);
      }
    }
  }

  std::string shape_of(ValueId value) {
    use_sizes(graph_.shape(value));
    return tuple_text(graph_.shape(value));
  }

  Result<std::string> expression_of(const Node& node, ValueId value) {
    const ir::Primitive* row = ir::find_primitive(node.op);
    const DType dtype = graph_.type(value).dtype;
    if (const std::optional<double> known = number(value)) return fmt::format("torch.tensor({}, dtype={}, device={})", number_text(*known, dtype), torch_type(dtype), device());
    if (row->fusion == ir::Fusion::elementwise) return elementwise(node, value);
    std::vector<std::string> in;
    for (const ValueId input : node.inputs) {
      KA_ASSIGN(std::string text, value_text(input));
      in.push_back(text);
    }
    if (node.op == "index") {
      use_sizes({ir::int_attribute(node, "expression")});
      const std::string text = index_text({ir::int_attribute(node, "expression")});
      return fmt::format("index({}, lambda {}: {}[0], {})", shape_of(value), parameters(graph_.shape(value).size()), text, device());
    }
    if (node.op == "reshape") return fmt::format("{}.reshape({})", in[0], shape_of(value));
    if (node.op == "permute") return fmt::format("{}.permute({})", in[0], tuple_text(ir::ints_attribute(node, "dims")));
    if (node.op == "cat") return fmt::format("torch.cat([{}], {})", fmt::join(in, ", "), ir::int_attribute(node, "dim").text());
    if (node.op == "remap") return remap(node, value, in[0]);
    if (node.op == "gather") {
      use_sizes(ir::ints_attribute(node, "index"));
      const std::size_t dims = graph_.shape(value).size();
      return fmt::format("look_up({}, {}, [{}], lambda {}: {})", in[0], shape_of(value), fmt::join(in.begin() + 1, in.end(), ", "),
                         parameters(dims, in.size() - 1), index_text(ir::ints_attribute(node, "index")));
    }
    if (node.op == "reduce") return reduce(node, in[0], dtype);
    if (node.op == "scan") return scan(node, in[0], dtype);
    if (node.op == "matmul") {
      const auto wide = [&](std::size_t k) { return graph_.type(node.inputs[k]).dtype == dtype ? in[k] : fmt::format("{}.to({})", in[k], torch_type(dtype)); };
      const std::string product = fmt::format("torch.matmul({}, {})", wide(0), wide(1));
      if (in.size() == 2) return product;
      if (node.attributes.contains("one_sum")) return fmt::format("{} + torch.matmul({}, {}) + torch.matmul({}, {})", product, wide(0), wide(3), wide(2), wide(1));
      return fmt::format("with_rests({}, torch.matmul({}, {}) + torch.matmul({}, {}))", product, wide(0), wide(3), wide(2), wide(1));
    }
    return unsupported(fmt::format("{} ({}) has no PyTorch text", node.op, node.origin));
  }

  // Of whatever the function is given first.
  std::string device() const { return given_.empty() ? "\"cpu\"" : given_[0] + ".device"; }

  Result<std::string> elementwise(const Node& node, ValueId value) {
    const DType dtype = graph_.type(value).dtype;
    if (node.op == "cast") {
      KA_ASSIGN(std::string inner, value_text(node.inputs[0]));
      return fmt::format("{}.to({}{})", inner, torch_type(dtype), node.attributes.contains("copy") ? ", copy=True" : "");
    }
    const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return node.op == f.op; });
    const bool known = form != std::end(kForms);
    const bool numbers = known && form->takes_numbers &&
                         std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return !number(v); });
    std::vector<std::string> in;
    DType natural = graph_.type(node.inputs.back()).dtype;
    for (const ValueId input : node.inputs) {
      const std::optional<double> constant = numbers ? number(input) : std::nullopt;
      if (constant) {
        in.push_back(number_text(*constant, graph_.type(input).dtype));
        continue;
      }
      natural = graph_.type(input).dtype;
      KA_ASSIGN(std::string text, value_text(input));
      in.push_back(text);
    }
    if (node.op == "where" && numbers && number(node.inputs[0])) in[0] = fmt::format("torch.tensor({})", in[0]);
    if (node.op == "mul" && natural == DType::bool_) return fmt::format("{} & {}", in[0], in[1]);
    if (node.op == "add" && natural == DType::bool_) return fmt::format("{} | {}", in[0], in[1]);
    std::string text = known ? form->text : fmt::format("torch.{}({})", node.op, fmt::join(in, ", "));
    for (std::size_t k = 0; known && k < in.size(); ++k) {
      const std::string mark = fmt::format("{{{}}}", k);
      text.replace(text.find(mark), mark.size(), in[k]);
    }
    const bool boolean = ir::find_primitive(node.op)->result == ir::ResultType::boolean;
    if ((boolean ? DType::bool_ : natural) == dtype && !(node.op == "where" && natural == DType::bool_)) return text;
    return fmt::format("({}).to({})", text, torch_type(dtype));
  }

  Result<std::string> remap(const Node& node, ValueId value, const std::string& from) {
    const std::string names = parameters(graph_.shape(value).size());
    use_sizes(ir::ints_attribute(node, "index"));
    std::string text = fmt::format("remap({}, {}, lambda {}: {}", from, shape_of(value), names, index_text(ir::ints_attribute(node, "index")));
    if (node.attributes.contains("valid")) {
      use_sizes(ir::ints_attribute(node, "valid"));
      text += fmt::format(", lambda {}: {}, {}", names, index_text(ir::ints_attribute(node, "valid")),
                          number_text(ir::float_attribute(node, "fill"), graph_.type(value).dtype));
    }
    return text + ")";
  }

  Result<std::string> reduce(const Node& node, const std::string& from, DType dtype) {
    const std::string& kind = ir::text_attribute(node, "kind");
    const std::vector<Sym>& dims = ir::ints_attribute(node, "dims");
    if (kind == "sum") return fmt::format("torch.sum({}, {}, keepdim=True, dtype={})", from, tuple_text(dims), torch_type(dtype));
    if (kind == "max" || kind == "min") return fmt::format("torch.a{}({}, {}, keepdim=True)", kind, from, tuple_text(dims));
    if (kind == "argmax" || kind == "argmin") {
      if (dims.size() != 1) return unsupported(fmt::format("{} over several dimensions has no PyTorch text", kind));
      return fmt::format("torch.{}({}, {}, keepdim=True).to({})", kind, from, dims[0].text(), torch_type(dtype));
    }
    std::string text = from;  // one dimension after the other
    for (const Sym& dim : dims) text = fmt::format("torch.{}({}, {}, keepdim=True)", kind, text, dim.text());
    return text;
  }

  Result<std::string> scan(const Node& node, const std::string& from, DType dtype) {
    const std::string& kind = ir::text_attribute(node, "kind");
    const std::string dim = ir::int_attribute(node, "dim").text();
    const bool reverse = node.attributes.contains("reverse") && ir::bool_attribute(node, "reverse");
    const std::string given = reverse ? fmt::format("{}.flip({})", from, dim) : from;
    const std::string function = kind == "logsumexp" ? "logcumsumexp" : "cum" + kind;
    std::string text = fmt::format("torch.{}({}, {})", function, given, dim);
    if (kind == "max" || kind == "min") text += "[0]";
    if (reverse) text += fmt::format(".flip({})", dim);
    return fmt::format("{}.to({})", text, torch_type(dtype));
  }

  const ir::Graph& graph_;
  const ir::Plan& plan_;
  Refactored out_;
  std::set<std::string> taken_ = {"torch", "nn", "forward", "least", "most", "places", "index", "remap", "look_up"};
  std::map<ValueId, std::string> names_;   // of what lies in memory
  std::map<ValueId, std::string> locals_;  // in the function that is being written
  std::set<ValueId> own_;
  std::vector<std::string> lines_, given_, sizes_;
};

}  // namespace

Result<Refactored> refactored(const ir::Graph& graph, const ir::Plan& plan) { return Writer(graph, plan).run(); }

}  // namespace ka::partition

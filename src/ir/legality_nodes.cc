// The rules of each primitive, one row each: its attributes, and a function that derives what the result must be.
#include "ir/legality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "ir/builder.h"
#include "ir/primitives.h"
#include "ir/recurrence.h"

namespace ka::ir {
namespace {

constexpr int kMostCorners = 64;  // of a view that are tried

// One node with the sizes at which extents are compared.
struct Look {
  const Graph& graph;
  const Node& node;
  const std::map<std::string, std::int64_t>& given;

  const Shape& in(std::size_t i) const { return graph.shape(node.inputs[i]); }
  DType dtype(std::size_t i) const { return graph.type(node.inputs[i]).dtype; }
  const Shape& out() const { return graph.shape(node.outputs[0]); }
  DType result() const { return graph.type(node.outputs[0]).dtype; }
  // Extents that are written differently may be equal: what counts is that they are at the given sizes.
  bool agree(const Sym& a, const Sym& b) const { return a == b || evaluate(a, given) == evaluate(b, given); }
  bool agree(const Shape& a, const Shape& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](const Sym& x, const Sym& y) { return agree(x, y); });
  }
  std::string want(DType dtype, const Shape& shape) const {
    if (result() == dtype && agree(out(), shape)) return "";
    return fmt::format("its result is {}, not {}", to_text(graph.type(node.outputs[0])), to_text(Type{dtype, shape}));
  }
};

// The number of a dimension below `rank`.
std::optional<std::size_t> dim_of(const Sym& sym, std::size_t rank) {
  const std::optional<std::int64_t> d = sym.constant();
  return d && *d >= 0 && *d < static_cast<std::int64_t>(rank) ? std::optional(static_cast<std::size_t>(*d)) : std::nullopt;
}

std::string of_constant(const Look& at) { return at.out().empty() ? "" : "a constant has no dimensions"; }

std::string of_index(const Look& at) { return at.result() == DType::int64 ? "" : "an index is int64"; }

std::string of_elementwise(const Look& at) {
  const Primitive& row = *find_primitive(at.node.op);
  Shape shape;
  for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
    const Shape both = broadcast(shape, at.in(i));
    for (std::size_t back = 1; back <= std::min(shape.size(), at.in(i).size()); ++back) {
      const Sym &x = shape[shape.size() - back], &y = at.in(i)[at.in(i).size() - back];
      if (!x.is(1) && !y.is(1) && !at.agree(x, y)) return fmt::format("extents {} and {} do not go together", x.text(), y.text());
    }
    shape = both;
  }
  const bool choice = at.node.op == "where";
  if (choice && at.dtype(0) != DType::bool_) return "its condition is not bool";
  const std::size_t first = choice ? 1 : 0;
  const DType common = at.dtype(first);
  for (std::size_t i = first; i < at.node.inputs.size(); ++i) {
    if (at.dtype(i) != common) return fmt::format("operands are {} and {}", to_string(common), to_string(at.dtype(i)));
  }
  if (row.result == ResultType::as_stated) return at.want(at.result(), shape);  // a cast
  if (row.result == ResultType::floating && !is_float(common)) return fmt::format("its operands are {}, not floating", to_string(common));
  return at.want(row.result == ResultType::boolean ? DType::bool_ : common, shape);
}

std::string of_reshape(const Look& at) {
  if (ints_attribute(at.node, "shape") != at.out()) return "its shape is not what its attribute says";
  if (!at.agree(product(at.in(0)), product(at.out()))) return fmt::format("{} elements become {}", product(at.in(0)).text(), product(at.out()).text());
  return at.want(at.dtype(0), at.out());
}

std::string of_permute(const Look& at) {
  Shape shape;
  std::set<std::size_t> seen;
  for (const Sym& sym : ints_attribute(at.node, "dims")) {
    const std::optional<std::size_t> d = dim_of(sym, at.in(0).size());
    if (!d || !seen.insert(*d).second) return "its dims are no permutation";
    shape.push_back(at.in(0)[*d]);
  }
  if (seen.size() != at.in(0).size()) return "its dims are no permutation";
  return at.want(at.dtype(0), shape);
}

// The corner of the result that the bits of `corner` name, as values of i0, i1, ...; its middle for -1. Nothing where there are no elements.
std::optional<std::map<std::string, std::int64_t>> corner_of(const Look& at, int corner) {
  std::map<std::string, std::int64_t> out = at.given;
  for (std::size_t d = 0; d < at.out().size(); ++d) {
    const std::optional<std::int64_t> extent = evaluate(at.out()[d], at.given);
    if (!extent || *extent < 1) return std::nullopt;
    out[fmt::format("i{}", d)] = corner < 0 ? *extent / 2 : (corner >> d & 1) != 0 ? *extent - 1 : 0;
  }
  return out;
}

std::string of_remap(const Look& at) {
  const std::vector<Sym>& index = ints_attribute(at.node, "index");
  if (ints_attribute(at.node, "shape") != at.out()) return "its shape is not what its attribute says";
  if (index.size() != at.in(0).size()) return fmt::format("{} indices for {} dimensions", index.size(), at.in(0).size());
  if (at.node.attributes.contains("valid") != at.node.attributes.contains("fill")) return "a condition needs a fill, and a fill a condition";
  const int corners = std::min(kMostCorners, 1 << std::min<std::size_t>(at.out().size(), 6));
  for (int corner = -1; corner < corners; ++corner) {
    const std::optional<std::map<std::string, std::int64_t>> place = corner_of(at, corner);
    if (!place) break;
    const auto holds = [&](const Sym& condition) { return evaluate(condition, *place).value_or(0) >= 0; };
    if (at.node.attributes.contains("valid")) {
      const std::vector<Sym>& valid = ints_attribute(at.node, "valid");
      if (!std::all_of(valid.begin(), valid.end(), holds)) continue;
    }
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::optional<std::int64_t> i = evaluate(index[d], *place), extent = evaluate(at.in(0)[d], at.given);
      if (i && extent && (*i < 0 || *i >= *extent)) return fmt::format("element {} of dimension {} is read, which has {} ({})", *i, d, *extent, index[d].text());
    }
  }
  return at.want(at.dtype(0), at.out());
}

std::string of_gather(const Look& at) {
  if (at.node.inputs.size() < 2) return "nothing says which elements are gathered";
  if (ints_attribute(at.node, "shape") != at.out()) return "its shape is not what its attribute says";
  if (ints_attribute(at.node, "index").size() != at.in(0).size()) return "it has not one index for each dimension";
  for (std::size_t i = 1; i < at.node.inputs.size(); ++i) {
    if (is_float(at.dtype(i)) || !at.agree(at.in(i), at.out())) return fmt::format("index operand {} is {}", i, to_text(at.graph.type(at.node.inputs[i])));
  }
  return at.want(at.dtype(0), at.out());
}

std::string of_cat(const Look& at) {
  if (at.node.inputs.empty()) return "nothing is joined";
  const std::optional<std::size_t> dim = dim_of(int_attribute(at.node, "dim"), at.in(0).size());
  if (!dim) return "it has no such dimension";
  Shape shape = at.in(0);
  shape[*dim] = 0;
  for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
    if (at.in(i).size() != shape.size() || at.dtype(i) != at.dtype(0)) return fmt::format("operand {} is {}", i, to_text(at.graph.type(at.node.inputs[i])));
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == *dim) shape[d] = shape[d] + at.in(i)[d];
      else if (!at.agree(shape[d], at.in(i)[d])) return fmt::format("extents {} and {} do not go together", shape[d].text(), at.in(i)[d].text());
    }
  }
  return at.want(at.dtype(0), shape);
}

template <std::size_t n>
bool is_kind(const Look& at, const std::array<std::string_view, n>& kinds) {
  return std::find(kinds.begin(), kinds.end(), text_attribute(at.node, "kind")) != kinds.end();
}

std::string of_reduce(const Look& at) {
  constexpr std::array<std::string_view, 8> kinds = {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"};
  if (!is_kind(at, kinds)) return fmt::format("there is no reduction {}", text_attribute(at.node, "kind"));
  const std::string& kind = text_attribute(at.node, "kind");
  Shape shape = at.in(0);
  std::int64_t last = -1;
  for (const Sym& sym : ints_attribute(at.node, "dims")) {
    const std::optional<std::size_t> d = dim_of(sym, shape.size());
    if (!d) return fmt::format("dimension {} of {} is reduced", sym.text(), shape.size());
    if (static_cast<std::int64_t>(*d) <= last) return "its dims are not in order";
    last = static_cast<std::int64_t>(*d);
    shape[*d] = 1;
  }
  const bool logical = kind == "any" || kind == "all", place = kind == "argmax" || kind == "argmin";
  if (logical && at.dtype(0) != DType::bool_) return "its operand is not bool";
  return at.want(place ? DType::int64 : at.dtype(0), shape);
}

std::string of_scan(const Look& at) {
  constexpr std::array<std::string_view, 5> kinds = {"sum", "prod", "max", "min", "logsumexp"};
  if (!is_kind(at, kinds)) return fmt::format("there is no scan {}", text_attribute(at.node, "kind"));
  if (!dim_of(int_attribute(at.node, "dim"), at.in(0).size())) return "it has no such dimension";
  return at.want(at.dtype(0), at.in(0));
}

std::string of_matmul(const Look& at) {
  const std::size_t n = at.node.inputs.size();
  if (n != 2 && n != 4) return fmt::format("it has {} operands, not 2 or 4", n);
  for (std::size_t i = 0; i < n; ++i) {
    if (at.in(i).size() != 3) return fmt::format("operand {} has {} dimensions, not 3", i, at.in(i).size());
    if (!is_float(at.dtype(i)) || at.dtype(i) != at.dtype(i % 2)) return fmt::format("operand {} is {}", i, to_string(at.dtype(i)));
    if (!at.agree(at.in(i), at.in(i % 2))) return "what an operand lacks has another shape";
  }
  // attention takes each operand in its own type; whatever else is multiplied has one
  const Shape &x = at.in(0), &y = at.in(1);
  if (!at.agree(x[0], y[0]) || !at.agree(x[2], y[1])) return fmt::format("[{}, {}, {}] cannot be multiplied with [{}, {}, {}]", x[0].text(), x[1].text(), x[2].text(), y[0].text(), y[1].text(), y[2].text());
  return at.want(at.result() == DType::float32 ? DType::float32 : at.dtype(0), {x[0], x[1], y[2]});
}

std::string of_order(const Look& at) {
  if (at.in(0).empty()) return "a number has no order";
  Shape shape = at.in(0);
  shape.back() = at.out().empty() ? Sym(0) : at.out().back();
  if (evaluate(shape.back(), at.given).value_or(0) > evaluate(at.in(0).back(), at.given).value_or(0)) return "more places are asked for than there are";
  return at.want(DType::int64, shape);
}

// Several layers: the operands of the lowest, then for each other one the same without gates, its input weights and its biases.
std::string of_layers(const Look& at, const std::string& kind) {
  const std::int64_t layers = layers_of(at.node), biases = at.node.attributes.contains("biases") ? int_attribute(at.node, "biases").constant().value_or(-1) : -1;
  const std::int64_t operands = static_cast<std::int64_t>(at.node.inputs.size()) - 1 - (layers - 1) * (1 + biases), least = kind == "lstm" ? 3 : 2, most = kind == "lstm" || kind == "gru" ? 3 : 2;
  if (layers < 2 || biases < 0 || biases > 2 || operands < least * layers || operands > most * layers || operands % layers != 0)
    return fmt::format("{} layers with {} biases do not have {} operands", layers, biases, at.node.inputs.size());
  if (bool_attribute(at.node, "reverse")) return "several layers do not begin at the end";
  if (at.in(0).size() != 3 || at.in(1).size() != 2) return "its gates are not [t, b, g*h], or its hidden weights not [g*h, h]";
  const Sym &steps = at.in(0)[0], &batch = at.in(0)[1], &hidden = at.in(1)[1], gates = hidden * (kind == "lstm" ? 4 : kind == "gru" ? 3 : 1);
  if (!at.agree(at.in(0)[2], gates)) return "its gates do not go together with its hidden weights";
  for (std::int64_t l = 0; l < layers; ++l) {
    const RecurrentLayer layer = layer_of(at.node, l);
    const auto fits = [&](ValueId value, const Shape& shape) { return value < 0 || at.agree(at.graph.shape(value), shape); };
    bool all = fits(layer.weight, {gates, hidden}) && fits(layer.input_weight, {gates, hidden}) && fits(layer.state, {batch, hidden}) && fits(layer.cell, {batch, hidden});
    all = all && fits(layer.hidden_bias, {gates});
    for (const ValueId bias : layer.biases) all = all && fits(bias, {gates});
    if (!all) return fmt::format("the operands of layer {} do not go together", l);
  }
  return at.want(at.dtype(0), {Sym(layers), steps, batch, hidden});
}

std::string of_recurrence(const Look& at) {
  constexpr std::array<std::string_view, 4> kinds = {"lstm", "gru", "tanh", "relu"};
  if (!is_kind(at, kinds)) return fmt::format("there is no recurrence {}", text_attribute(at.node, "kind"));
  const std::string& kind = text_attribute(at.node, "kind");
  if (at.node.attributes.contains("layers")) return of_layers(at, kind);
  const std::size_t n = at.node.inputs.size(), most = kind == "lstm" || kind == "gru" ? 4 : 3, least = kind == "lstm" ? 4 : 3;
  if (n < least || n > most || at.node.outputs.size() != (kind == "lstm" ? 2u : 1u)) return fmt::format("it has {} operands and {} results", n, at.node.outputs.size());
  if (at.in(0).size() != 3 || at.in(1).size() != 2) return "its gates are not [t, b, g*h], or its hidden weights not [g*h, h]";
  const Sym &steps = at.in(0)[0], &batch = at.in(0)[1], &hidden = at.in(1)[1], gates = hidden * (kind == "lstm" ? 4 : kind == "gru" ? 3 : 1);
  if (!at.agree(at.in(0)[2], gates) || !at.agree(at.in(1)[0], gates)) return "its gates do not go together with its hidden weights";
  if (!at.agree(at.in(2), Shape{batch, hidden})) return "its initial state is not [b, h]";
  if (kind == "lstm" && !at.agree(at.in(3), Shape{batch, hidden})) return "its initial cell is not [b, h]";
  if (kind == "gru" && n == 4 && !at.agree(at.in(3), Shape{gates})) return "its hidden bias is not [g*h]";
  return at.want(at.dtype(0), {steps, batch, hidden});
}

std::string of_anything(const Look&) { return ""; }

enum class Kind { flag, number, real, text, numbers };

struct AttributeRule {
  std::string_view name;
  Kind kind;
  bool required = true;
};

struct Rule {
  std::string_view op;
  std::span<const AttributeRule> attributes;
  std::string (*wrong)(const Look& at);
};

constexpr AttributeRule kConstant[] = {{"value", Kind::real}};
constexpr AttributeRule kIndex[] = {{"expression", Kind::number}};
constexpr AttributeRule kReshape[] = {{"shape", Kind::numbers}};
constexpr AttributeRule kPermute[] = {{"dims", Kind::numbers}};
constexpr AttributeRule kRemap[] = {{"shape", Kind::numbers}, {"index", Kind::numbers}, {"valid", Kind::numbers, false}, {"fill", Kind::real, false}, {"window", Kind::numbers, false}, {"phases", Kind::numbers, false}};
constexpr AttributeRule kGather[] = {{"shape", Kind::numbers}, {"index", Kind::numbers}};
constexpr AttributeRule kCat[] = {{"dim", Kind::number}};
constexpr AttributeRule kReduce[] = {{"kind", Kind::text}, {"dims", Kind::numbers}};
constexpr AttributeRule kScan[] = {{"kind", Kind::text}, {"dim", Kind::number}, {"reverse", Kind::flag}};
constexpr AttributeRule kMatmul[] = {{"grade", Kind::text, false}, {"run", Kind::number, false}, {"window", Kind::numbers, false}, {"phases", Kind::numbers, false}, {"one_sum", Kind::flag, false}};
constexpr AttributeRule kOrder[] = {{"descending", Kind::flag}};
constexpr AttributeRule kRecurrence[] = {{"kind", Kind::text}, {"reverse", Kind::flag}, {"layers", Kind::number, false}, {"biases", Kind::number, false}};
constexpr AttributeRule kRandom[] = {{"kind", Kind::text}, {"p", Kind::real}, {"q", Kind::real}, {"gaps", Kind::flag, false}, {"order", Kind::numbers, false}, {"place", Kind::numbers, false}};
constexpr AttributeRule kUnknown[] = {{"reason", Kind::text}};
// marks for later passes: where a value is computed, not what it is
constexpr AttributeRule kElementwise[] = {{"apart", Kind::text, false}, {"kept", Kind::flag, false}, {"exact", Kind::flag, false}, {"copy", Kind::flag, false}, {"operands_kept", Kind::flag, false}, {"positive", Kind::flag, false}};

constexpr Rule kRules[] = {
    {"constant", kConstant, of_constant}, {"index", kIndex, of_index},     {"reshape", kReshape, of_reshape},
    {"permute", kPermute, of_permute},    {"remap", kRemap, of_remap},     {"gather", kGather, of_gather},
    {"cat", kCat, of_cat},                {"reduce", kReduce, of_reduce},  {"scan", kScan, of_scan},
    {"matmul", kMatmul, of_matmul},       {"order", kOrder, of_order},     {"recurrence", kRecurrence, of_recurrence},
    {"random", kRandom, of_anything},     {"unknown", kUnknown, of_anything},
};

bool is_of(Kind kind, const Attribute& attribute) {
  switch (kind) {
    case Kind::flag: return std::holds_alternative<bool>(attribute);
    case Kind::number: return std::holds_alternative<Sym>(attribute);
    case Kind::real: return std::holds_alternative<double>(attribute);
    case Kind::text: return std::holds_alternative<std::string>(attribute);
    case Kind::numbers: return std::holds_alternative<std::vector<Sym>>(attribute);
  }
  return false;
}

// Whether a symbol stands for something in an attribute: a size, an index of the result, an element of a gather's index operand.
bool is_known(const Look& at, const Atom& atom) {
  if (atom.kind == AtomKind::size) return at.given.contains(atom.name);
  const bool element = atom.name.starts_with('t') && at.node.op == "gather";
  const std::size_t most = element ? at.node.inputs.size() - 1 : at.out().size();
  if (!element && !atom.name.starts_with('i')) return false;
  for (std::size_t d = 0; d < most; ++d) {
    if (atom.name == fmt::format("{}{}", element ? 't' : 'i', d)) return true;
  }
  return false;
}

std::string wrong_symbols(const Look& at, const std::string& name, const Attribute& attribute) {
  std::vector<Sym> all;
  if (const Sym* one = std::get_if<Sym>(&attribute)) all = {*one};
  if (const std::vector<Sym>* list = std::get_if<std::vector<Sym>>(&attribute)) all = *list;
  for (const Sym& sym : all) {
    for (const AtomRef& atom : symbols(sym)) {
      if (!is_known(at, *atom)) return fmt::format("{} of its attribute {} stands for nothing", atom->name, name);
    }
  }
  return "";
}

std::string wrong_attributes(const Look& at, std::span<const AttributeRule> rules) {
  for (const AttributeRule& rule : rules) {
    const auto found = at.node.attributes.find(std::string(rule.name));
    if (found == at.node.attributes.end() && rule.required) return fmt::format("it has no attribute {}", rule.name);
    if (found != at.node.attributes.end() && !is_of(rule.kind, found->second)) return fmt::format("its attribute {} is of another type", rule.name);
  }
  for (const auto& [name, value] : at.node.attributes) {
    const bool known = std::any_of(rules.begin(), rules.end(), [&name = name](const AttributeRule& rule) { return rule.name == name; });
    if (!known) return fmt::format("nobody knows its attribute {}", name);
    if (std::string wrong = wrong_symbols(at, name, value); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string wrong_about(const Graph& graph, const Node& node, const std::map<std::string, std::int64_t>& given) {
  const Look at{graph, node, given};
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& row) { return row.op == node.op; });
  const bool elementwise = rule == std::end(kRules);
  if (std::string wrong = wrong_attributes(at, elementwise ? std::span<const AttributeRule>(kElementwise) : rule->attributes); !wrong.empty()) return wrong;
  return elementwise ? of_elementwise(at) : rule->wrong(at);
}

}  // namespace ka::ir

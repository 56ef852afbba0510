// Views are followed by rewriting the index, never by moving data; padding and windows become conditions that end up in the
// mask of a load. A value that is wanted twice at the same index and under the same conditions is written once.
#include "synth/codegen/body.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "ir/builder.h"
#include "ir/primitives.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Node;
using ir::Sym;
using ir::ValueId;

std::size_t at_size(int i) { return static_cast<std::size_t>(i); }

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

std::set<std::string> joined_sets(const std::vector<Operand>& operands) {
  std::set<std::string> out;
  for (const Operand& operand : operands) out.insert(operand.over.begin(), operand.over.end());
  return out;
}

// Operators and the few functions that take numbers beside tiles; everything else wants a tile.
bool takes_literals(const std::string& op) {
  static const std::set<std::string> names = {"add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor",
                                              "where", "maximum", "minimum", "shift_left", "shift_right", "trunc_div"};
  return names.contains(op);
}

std::map<std::string, Sym> positions(const std::vector<Sym>& index) {
  std::map<std::string, Sym> out;
  for (std::size_t d = 0; d < index.size(); ++d) out[fmt::format("i{}", d)] = index[d];
  return out;
}

}  // namespace

std::string triton_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return "tl.float64";
    case DType::float32: return "tl.float32";
    case DType::float16: return "tl.float16";
    case DType::bfloat16: return "tl.bfloat16";
    case DType::int64: return "tl.int64";
    case DType::int32: return "tl.int32";
    case DType::int16: return "tl.int16";
    case DType::int8: return "tl.int8";
    case DType::uint8: return "tl.uint8";
    case DType::bool_: return "tl.int1";
  }
  return "?";
}

std::string compute_type(DType dtype) {
  return is_half(dtype) ? "tl.float32" : triton_type(dtype);
}

std::string literal_text(double value, DType dtype) {
  if (dtype == DType::bool_) return value != 0 ? "True" : "False";
  if (!ir::is_float(dtype)) return fmt::format("{}", static_cast<std::int64_t>(value));
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

const Buffer* KernelContext::loadable(ValueId value) const {
  const auto found = buffers->find(value);
  return found == buffers->end() || owned.contains(value) ? nullptr : &found->second;
}

std::string KernelContext::use_pointer(const Buffer& buffer, bool written) {
  const auto found = std::find(pointers.begin(), pointers.end(), buffer.name);
  if (found != pointers.end()) return roles[static_cast<std::size_t>(found - pointers.begin())];
  const std::string wish = written ? "out" : buffer.role;
  std::string role = wish;
  for (int k = 1; std::find(roles.begin(), roles.end(), role) != roles.end(); ++k) role = fmt::format("{}{}", wish, k);
  pointers.push_back(buffer.name);
  roles.push_back(role);
  return role;
}

void KernelContext::use_sizes(const Sym& sym) {
  for (const ir::AtomRef& atom : ir::symbols(sym)) {
    if (atom->kind != ir::AtomKind::size) continue;
    if (std::find(sizes.begin(), sizes.end(), atom->name) == sizes.end()) sizes.push_back(atom->name);
  }
}

Sym KernelContext::with_sums(Sym sym) {
  for (const NamedSum& sum : sums) {
    Sym shorter = with_sum(sym, sum);
    if (shorter == sym) continue;
    use_sizes(Sym::size(sum.name));
    sym = std::move(shorter);
  }
  return sym;
}

Body::Body(KernelContext& context, Source& source) : context_(context), source_(source) {
  for (const ir::SizeSource& size : context.graph->sizes) source.reserve(size.symbol);
  for (const NamedSum& sum : context.sums) source.reserve(sum.name);
}

void Body::variable(const std::string& name, const std::string& mask) {
  masks_[name] = mask;
  over_[name] = {name};
}

void Body::line(const std::string& name, const Sym& flat, const std::string& spread) {
  lines_[name] = {flat, spread};
}

void Body::bind(ValueId value, Operand operand) {
  bound_[value] = std::move(operand);
}

Body Body::in_loop(int mark) const {
  Body inner = *this;
  inner.mark_ = mark;
  for (const auto& [name, over] : over_) inner.outside_.insert(name);
  return inner;
}

void Body::number(const std::string& name) {
  variable(name, "");
  numbers_.insert(name);
}

std::string Body::text(const Sym& sym) {
  context_.use_sizes(sym);
  return kernel_text(sym, {[this](const ir::Atom& atom, const std::string& text) { return named_atom(atom, text); }, [this](const Sym& all) { return context_.with_sums(all); }});
}

// The compiler finds repeated quotients and takes them out of loops; the interpreter does what it is told, and a reader is
// spared the repetition.
std::string Body::named_atom(const ir::Atom& atom, const std::string& text) {
  const Sym sym = Sym::of(std::make_shared<ir::Atom>(atom));
  const std::set<std::string> varies = variables_in(sym);
  const bool is_number = std::all_of(varies.begin(), varies.end(), [&](const std::string& name) { return numbers_.contains(name); });
  if (is_number) return text;
  const std::string key = fmt::format("{}|{}", text, atom.hash);
  if (const auto found = hoisted_->find(key); found != hoisted_->end()) return found->second;
  if (const auto found = atoms_.find(key); found != atoms_.end()) return found->second;
  const std::string name = source_.unique(fmt::format("{}_{}", *varies.begin(), atom.kind == ir::AtomKind::modulo ? "rest" : "quotient"));
  const std::string line = fmt::format("{} = {}", name, text.substr(1, text.size() - 2));  // its outer brackets are not needed here
  if (is_known_outside(sym)) {
    source_.line_at(mark_, line);
    return (*hoisted_)[key] = name;
  }
  source_.line(line);
  return atoms_[key] = name;
}

bool Body::is_known_outside(const Sym& sym) const {
  if (mark_ < 0) return false;
  const std::vector<ir::AtomRef> all = ir::symbols(sym);
  return std::all_of(all.begin(), all.end(),
                     [&](const ir::AtomRef& atom) { return atom->kind == ir::AtomKind::size || outside_.contains(atom->name); });
}

// One offset is added to a pointer, not one after the other: pointers are 64 bits wide.
std::string Body::summand_text(const Sym& offset) {
  const bool single = offset.terms().size() == 1 && offset.terms()[0].coefficient > 0;
  return single ? text(offset) : fmt::format("({})", text(offset));
}

// Where a load reads. In a loop, what is known before it is added to the pointer there.
std::string Body::place_text(const std::string& role, const Sym& offset) {
  Sym before, rest = offset;
  for (const ir::Term& term : offset.terms()) {
    Sym part = term.coefficient;
    for (const ir::AtomRef& atom : term.atoms) part = part * Sym::of(atom);
    if (!is_known_outside(part) || variables_in(part).empty()) continue;
    before = before + part;
    rest = rest - part;
  }
  std::string pointer = role + "_ptr";
  if (!before.is(0) && !rest.is(0)) {
    const std::string sum = fmt::format("{}_ptr + {}", role, summand_text(before)), key = sum + "|pointer";
    if (const auto found = hoisted_->find(key); found != hoisted_->end()) {
      pointer = found->second;
    } else {
      pointer = source_.unique(role + "_from");
      source_.line_at(mark_, fmt::format("{} = {}", pointer, sum));
      (*hoisted_)[key] = pointer;
    }
  } else {
    rest = offset;
  }
  return rest.is(0) ? pointer : fmt::format("{} + {}", pointer, summand_text(rest));
}

std::set<std::string> Body::variables_in(const Sym& sym) const {
  std::set<std::string> out;
  for (const ir::AtomRef& atom : ir::symbols(sym)) {
    if (const auto found = over_.find(atom->name); found != over_.end()) out.insert(found->second.begin(), found->second.end());
  }
  return out;
}

std::string Body::mask_of(const std::set<std::string>& over) const {
  std::string out;
  for (const std::string& name : over) {
    const auto found = masks_.find(name);
    if (found == masks_.end() || found->second.empty()) continue;
    out += (out.empty() ? "" : " & ") + found->second;
  }
  return out;
}

Operand Body::emit(const std::string& wish, const std::string& expression, std::set<std::string> over) {
  const std::string name = source_.unique(wish);
  source_.line(fmt::format("{} = {}", name, expression));
  return {name, std::move(over), false};
}

Operand Body::named(const Operand& operand, DType dtype) {
  if (!operand.literal) return operand;
  return emit("c", fmt::format("tl.full((), {}, {})", operand.text, compute_type(dtype)), {});
}

Operand Body::value(ValueId value, const std::vector<Sym>& index) {
  return at(value, index, {}, 0);
}

Operand Body::value(ValueId value, const std::vector<Sym>& index, const std::vector<Sym>& inside) {
  wanted_ = inside;
  const Operand out = at(value, index, {}, 0);
  wanted_.clear();
  return out;
}

std::string Body::mask_of(const std::vector<Sym>& inside) {
  std::set<std::string> over;
  return condition_text(inside, over);
}

Operand Body::raw(ValueId value, const std::vector<Sym>& index) {
  const DType dtype = context_.graph->type(value).dtype;
  if (!is_half(dtype)) return at(value, index, {}, 0);
  if (!is_view_of_memory(value, dtype)) {
    const Node* node = context_.graph->maker(value);
    if (node != nullptr && node->op == "cast" && !bound_.contains(value)) {
      const Operand x = named(at(node->inputs[0], index, {}, 0), context_.graph->type(node->inputs[0]).dtype);
      return emit("h", fmt::format("{}.to({})", x.text, triton_type(dtype)), x.over);
    }
    const Operand wide = at(value, index, {}, 0);
    return emit("h", fmt::format("{}.to({})", wide.text, triton_type(dtype)), wide.over);
  }
  widens_ = false;
  Operand out = at(value, index, {}, 0);
  widens_ = true;
  return out;
}

// A number that was made a float32 only to be moved, and made what it was, has not changed.
bool Body::is_view_of_memory(ValueId value, DType dtype) const {
  if (const Buffer* memory = context_.loadable(value)) return memory->dtype == dtype;
  const Node* node = context_.graph->maker(value);
  if (node == nullptr || bound_.contains(value)) return false;
  const bool moves = node->op == "reshape" || node->op == "permute" || node->op == "remap";
  const DType from = context_.graph->type(node->inputs.empty() ? value : node->inputs[0]).dtype;
  const bool keeps = node->op == "cast" && !node->attributes.contains("exact") && (from == dtype || from == DType::float32);
  return (moves || keeps) && is_view_of_memory(node->inputs[0], dtype);
}

std::string Body::condition_text(const Conditions& conditions, std::set<std::string>& over) {
  std::string out;
  for (const Sym& condition : conditions) {
    const std::set<std::string> varies = variables_in(condition);
    over.insert(varies.begin(), varies.end());
    out += fmt::format("{}({})", out.empty() ? "" : " & ", comparison_text(condition));
  }
  return out;
}

// c >= 0 as "a < b" or "a >= b" with what varies on the left: the compiler knows from this form how many neighbours share it.
std::string Body::comparison_text(const Sym& condition) {
  Sym above, below, rest = condition;
  for (const ir::Term& term : condition.terms()) {
    if (term.atoms.empty()) continue;
    Sym part = term.coefficient;
    for (const ir::AtomRef& atom : term.atoms) part = part * Sym::of(atom);
    (term.coefficient > 0 ? above : below) = (term.coefficient > 0 ? above : below) + part;
    rest = rest - part;
  }
  if (below.is(0)) return fmt::format("{} >= {}", text(above), text(Sym(0) - rest));
  return fmt::format("{} < {}", text(Sym(0) - below), text(above + rest + 1));
}

Operand Body::load(const Buffer& buffer, const std::vector<Sym>& index, Conditions conditions, double fill, bool widen) {
  const std::string role = context_.use_pointer(buffer);
  for (const Sym& extent : buffer.shape) context_.use_sizes(extent);
  const Sym offset = ir::linearize(index, buffer.shape);
  std::set<std::string> over = variables_in(offset);
  // a place that does not vary with what decides whether a point is wanted is the place of a point that is
  for (const Sym& wanted : wanted_) {
    const std::set<std::string> varies = variables_in(wanted);
    if (std::includes(over.begin(), over.end(), varies.begin(), varies.end())) conditions.push_back(wanted);
  }
  std::set<std::string> axes;  // numbers are none
  std::set_difference(over.begin(), over.end(), numbers_.begin(), numbers_.end(), std::inserter(axes, axes.end()));
  if (const auto line = axes.size() == 1 && conditions.empty() ? lines_.find(*axes.begin()) : lines_.end(); line != lines_.end()) {
    std::vector<Sym> flat;
    for (const Sym& i : index) flat.push_back(ir::substitute(i, {{line->first, line->second.flat}}));
    return emit(role, load(buffer, flat, conditions, fill, widen).text + line->second.spread, over);
  }
  const std::string inside = condition_text(conditions, over);
  std::string mask = mask_of(over);
  if (!inside.empty()) mask += (mask.empty() ? "" : " & ") + inside;
  std::string place = place_text(role, offset);
  // a mask that varies where the place does not: the place has to be a tile of the same shape
  const std::set<std::string> moving = variables_in(offset);
  for (const std::string& variable : over) {
    if (!moving.contains(variable) && !mask_of({variable}).empty() && !inside.empty()) place += fmt::format(" + 0 * {}", variable);
  }
  std::string expression = fmt::format("tl.load({}", place);
  if (!mask.empty()) expression += fmt::format(", mask={}, other={}", mask, literal_text(fill, buffer.dtype));
  expression += ")";
  if (widen && is_half(buffer.dtype)) expression += ".to(tl.float32)";
  if (buffer.dtype == DType::bool_) expression += ".to(tl.int1)";
  return emit(role, expression, std::move(over));
}

Operand Body::at(ValueId value, const std::vector<Sym>& index, const Conditions& conditions, double fill) {
  if (const auto found = bound_.find(value); found != bound_.end()) return found->second;
  std::string key = fmt::format("{}|{}{}", value, fill, widens_ ? "" : "|raw");
  for (const Sym& i : index) key += "," + i.text();
  for (const Sym& c : conditions) key += "?" + c.text();
  for (const Sym& c : wanted_) key += "!" + c.text();
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  Operand out;
  if (const Buffer* buffer = context_.loadable(value)) {
    out = load(*buffer, index, conditions, fill, widens_);
  } else {
    const Node* node = context_.graph->maker(value);
    KA_CHECK(node != nullptr);
    const bool moves = node->op == "reshape" || node->op == "permute" || node->op == "remap";
    if (moves && !node->attributes.contains("valid")) {
      out = [&] {
        const ValueId x = node->inputs[0];
        if (node->op == "reshape")
          return at(x, ir::delinearize(ir::linearize(index, context_.graph->shape(value)), context_.graph->shape(x)), conditions, fill);
        std::vector<Sym> inner(index.size());
        if (node->op == "permute") {
          const std::vector<Sym>& dims = ir::ints_attribute(*node, "dims");
          for (std::size_t d = 0; d < dims.size(); ++d) inner[at_size(static_cast<int>(*dims[d].constant()))] = index[d];
          return at(x, inner, conditions, fill);
        }
        inner.clear();
        const std::map<std::string, Sym> places = positions(index);
        for (const Sym& i : ir::ints_attribute(*node, "index")) inner.push_back(ir::substitute(i, places));
        return at(x, inner, conditions, fill);
      }();
    } else {
      out = node_at(value, *node, index, conditions);
    }
  }
  known_[key] = out;
  return out;
}

Operand Body::position(const Sym& expression) {
  if (expression.constant()) return {fmt::format("{}", *expression.constant()), {}, true};
  const std::set<std::string> over = variables_in(expression);
  return emit("at", fmt::format("tl.cast({}, tl.int64)", text(expression)), over);
}

Operand Body::node_at(ValueId value, const Node& node, const std::vector<Sym>& index, const Conditions& conditions) {
  const ir::Graph& graph = *context_.graph;
  if (node.op == "constant") return {literal_text(ir::float_attribute(node, "value"), graph.type(value).dtype), {}, true};
  if (node.op == "index") return position(ir::substitute(ir::int_attribute(node, "expression"), positions(index)));
  if (node.op == "cat") return joined(value, node, index, conditions);
  if (node.op == "remap") {
    const std::map<std::string, Sym> places = positions(index);
    std::vector<Sym> inner;
    Conditions all = conditions, own;
    for (const Sym& i : ir::ints_attribute(node, "index")) inner.push_back(ir::substitute(i, places));
    for (const Sym& c : ir::ints_attribute(node, "valid")) {
      const Sym condition = ir::substitute(c, places);
      if (!ir::is_nonnegative(condition)) own.push_back(condition);
    }
    all.insert(all.end(), own.begin(), own.end());
    const double fill = ir::float_attribute(node, "fill");
    const Operand x = at(node.inputs[0], inner, all, fill);
    const bool filled_by_load = [&] {  // a load masked by these very conditions has filled already
      ValueId below = node.inputs[0];
      while (context_.loadable(below) == nullptr) {
        const Node* maker = graph.maker(below);
        if (maker == nullptr || bound_.contains(below)) return false;
        const bool moves = maker->op == "reshape" || maker->op == "permute" ||
                           (maker->op == "remap" && (!maker->attributes.contains("valid") || ir::float_attribute(*maker, "fill") == fill));
        if (!moves) return false;
        below = maker->inputs[0];
      }
      return true;
    }();
    if (filled_by_load || own.empty()) return x;
    std::set<std::string> over = x.over;
    const std::string inside = condition_text(own, over);
    return emit("inside", fmt::format("tl.where({}, {}, {})", inside, x.text, literal_text(fill, graph.type(value).dtype)), over);
  }
  if (node.op == "gather") {
    std::map<std::string, Sym> places = positions(index);
    for (std::size_t k = 1; k < node.inputs.size(); ++k) {
      const Operand t = named(at(node.inputs[k], index, conditions, 0), DType::int64);
      over_[t.text] = t.over;
      places[fmt::format("t{}", k - 1)] = Sym::index(t.text, Sym::size("ka_any_extent"));
    }
    std::vector<Sym> inner;
    for (const Sym& i : ir::ints_attribute(node, "index")) inner.push_back(ir::substitute(i, places));
    return at(node.inputs[0], inner, conditions, 0);
  }
  KA_CHECK(ir::find_primitive(node.op)->fusion == ir::Fusion::elementwise);
  return elementwise(value, node, index, conditions);
}

Operand Body::joined(ValueId value, const Node& node, const std::vector<Sym>& index, const Conditions& conditions) {
  const ir::Graph& graph = *context_.graph;
  const std::size_t d = at_size(static_cast<int>(*ir::int_attribute(node, "dim").constant()));
  Operand out;
  Sym begin = 0;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const Sym extent = graph.shape(node.inputs[k])[d];
    std::vector<Sym> inner = index;
    inner[d] = index[d] - begin;
    Conditions own = conditions;
    own.push_back(index[d] - begin);
    own.push_back(begin + extent - 1 - index[d]);
    std::erase_if(own, [](const Sym& c) { return ir::is_nonnegative(c); });
    const Operand part = at(node.inputs[k], inner, own, 0);
    if (k == 0) {
      out = part;
    } else {
      std::set<std::string> over = out.over;
      over.insert(part.over.begin(), part.over.end());
      const std::string first = condition_text({begin - 1 - index[d]}, over);
      out = emit("joined", fmt::format("tl.where({}, {}, {})", first, named(out, graph.type(value).dtype).text, part.text), over);
    }
    begin = begin + extent;
  }
  return out;
}

Operand Body::cast(const Node& node, const Operand& x) {
  const DType from = context_.graph->type(node.inputs[0]).dtype, to = context_.graph->type(node.outputs[0]).dtype;
  const bool exact = node.attributes.contains("exact");
  if (x.literal) {
    if (to == DType::bool_) return {x.text == "0" || x.text == "0.0" || x.text == "False" ? "False" : "True", {}, true};
    if (from == DType::bool_) return {literal_text(x.text == "True" ? 1 : 0, to), {}, true};
    if (ir::is_float(to) && !ir::is_float(from)) return {x.text + ".0", {}, true};
    if (ir::is_float(to) == ir::is_float(from)) return x;
    return cast(node, named(x, from));
  }
  if (to == DType::bool_) return emit("flag", fmt::format("{} != 0", x.text), x.over);
  if (is_half(to) && exact) return emit("rounded", fmt::format("{}.to({}).to(tl.float32)", x.text, triton_type(to)), x.over);
  if (compute_type(from) == compute_type(to)) return x;
  return emit("as_" + std::string(ir::to_string(to)), fmt::format("{}.to({})", x.text, compute_type(to)), x.over);
}

Operand Body::elementwise(ValueId value, const Node& node, const std::vector<Sym>& index, const Conditions& conditions) {
  const ir::Graph& graph = *context_.graph;
  std::vector<Operand> operands;
  for (const ValueId input : node.inputs) {
    const ir::Shape& shape = graph.shape(input);
    std::vector<Sym> inner(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d].is(1)) inner[d] = 0;
    }
    operands.push_back(at(input, inner, conditions, 0));
  }
  if (node.op == "cast") return cast(node, operands[0]);
  const ir::Primitive& row = *ir::find_primitive(node.op);
  const DType dtype = graph.type(node.inputs[node.op == "where" ? 1 : 0]).dtype;
  const bool all_literal = std::all_of(operands.begin(), operands.end(), [](const Operand& o) { return o.literal; });
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool wants_tile = !takes_literals(node.op) || (all_literal && k == 0) || (node.op == "where" && k == 0);
    if (operands[k].literal && wants_tile) operands[k] = named(operands[k], graph.type(node.inputs[k]).dtype);
  }
  std::string_view text = row.text;
  if (dtype == DType::bool_ && !row.boolean_text.empty()) text = row.boolean_text;
  else if (!ir::is_float(dtype) && !row.integer_text.empty()) text = row.integer_text;
  else if (dtype == DType::float64 && !row.double_text.empty()) text = row.double_text;
  KA_CHECK(!text.empty());
  std::vector<std::string> texts;
  for (const Operand& operand : operands) texts.push_back(operand.literal && operand.text[0] == '-' ? "(" + operand.text + ")" : operand.text);
  texts.resize(3);
  if (text.find("libdevice.") != std::string_view::npos) context_.uses_libdevice = true;
  static_cast<void>(value);
  return emit(node.op == "and" || node.op == "or" || node.op == "not" ? "flag" : node.op,
              fmt::format(fmt::runtime(text), texts[0], texts[1], texts[2]), joined_sets(operands));
}

}  // namespace ka::codegen

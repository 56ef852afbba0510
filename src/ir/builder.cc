#include "ir/builder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/misfit.h"
#include "ir/primitives.h"

namespace ka::ir {
namespace {

// bool < integers < floats; within a kind the wider one, float16 with bfloat16 is float32, uint8 with int8 is int16.
int kind_rank(DType dtype) {
  if (dtype == DType::bool_) return 0;
  return is_float(dtype) ? 2 : 1;
}

std::string key_of(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attributes,
                   const std::vector<Type>& types) {
  std::string key = op + "(";
  for (const ValueId input : inputs) key += fmt::format("%{},", input);
  for (const auto& [name, value] : attributes) key += fmt::format("{}={},", name, to_text(value));
  for (const Type& type : types) key += ":" + to_text(type);
  return key;
}

// Of each operator a handful of nodes is made; what makes many more has been made up.
constexpr std::size_t kMostNodes = 400'000;

bool are_both_fixed(const Sym& a, const Sym& b) { return a.is_constant() && b.is_constant(); }

// The number of elements where all extents are numbers.
std::optional<std::int64_t> fixed_count(const Shape& shape) {
  if (!std::all_of(shape.begin(), shape.end(), [](const Sym& extent) { return extent.is_constant(); })) return std::nullopt;
  return product(shape).constant();
}

void require_dim(int dim, const Shape& shape) { require(dim >= 0 && dim < static_cast<int>(shape.size()), "a dimension is out of range"); }

bool draws(const std::string& op) {
  return op == "random";
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (kind_rank(a) != kind_rank(b)) return kind_rank(a) > kind_rank(b) ? a : b;
  if (is_float(a) && size_of(a) == size_of(b)) return DType::float32;
  const bool mixed_sign = (a == DType::uint8) != (b == DType::uint8);
  if (mixed_sign && size_of(a) == 1 && size_of(b) == 1) return DType::int16;
  return size_of(a) > size_of(b) ? a : b;
}

std::vector<Sym> index_symbols(const Shape& shape) {
  std::vector<Sym> out;
  for (std::size_t d = 0; d < shape.size(); ++d) out.push_back(Sym::index(fmt::format("i{}", d), shape[d]));
  return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), Sym(1));
  for (std::size_t d = 0; d < out.size(); ++d) {
    const Sym x = d < a.size() ? a[a.size() - 1 - d] : Sym(1), y = d < b.size() ? b[b.size() - 1 - d] : Sym(1);
    // extents that are written differently are equal all the same, or PyTorch would have refused: the simpler one is kept
    require(x.is(1) || y.is(1) || !are_both_fixed(x, y) || x == y, "its operands have shapes that cannot be broadcast");
    const bool second = x.is(1) || (!y.is(1) && y.text().size() < x.text().size());
    out[out.size() - 1 - d] = second ? y : x;
  }
  return out;
}

void Builder::set_origin(std::string op, std::string where) {
  origin_ = std::move(op);
  where_ = std::move(where);
}

ValueId Builder::argument(ArgumentKind kind, const std::string& name, const std::string& keyword, Type type) {
  const ValueId value = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back({keyword, std::move(type), -1});
  graph_.arguments.push_back({kind, name, keyword, value, {}});
  return value;
}

std::vector<ValueId> Builder::node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes,
                                   std::vector<Type> types) {
  KA_CHECK(find_primitive(op) != nullptr);
  const std::string key = key_of(op, inputs, attributes, types);
  if (const auto found = known_.find(key); found != known_.end() && !draws(op))
    return graph_.nodes[static_cast<std::size_t>(found->second)].outputs;
  require(graph_.nodes.size() < kMostNodes, "the program is too large");
  for (const Type& type : types) {
    for (const Sym& extent : type.shape) require(extent.constant().value_or(0) >= 0, "an extent is negative");
  }
  const int number = static_cast<int>(graph_.nodes.size());
  Node made{op, std::move(inputs), std::move(attributes), {}, origin_, where_};
  for (Type& type : types) {
    const ValueId value = static_cast<ValueId>(graph_.values.size());
    graph_.values.push_back({fmt::format("v{}", value), std::move(type), number});
    made.outputs.push_back(value);
  }
  graph_.nodes.push_back(made);
  known_[key] = number;
  return made.outputs;
}

ValueId Builder::single(const std::string& op, std::vector<ValueId> inputs, Attributes attributes, Type type) {
  return node(op, std::move(inputs), std::move(attributes), {std::move(type)})[0];
}

ValueId Builder::constant(double value, DType dtype) {
  return single("constant", {}, {{"value", value}}, {dtype, {}});
}

ValueId Builder::index(Shape shape, const Sym& expression) {
  return single("index", {}, {{"expression", expression}}, {DType::int64, std::move(shape)});
}

ValueId Builder::cast(ValueId x, DType dtype) {
  if (type(x).dtype == dtype) return x;
  return single("cast", {x}, {}, {dtype, shape(x)});
}

Sym Builder::named_extent(const std::string& wish, const Sym& extent) {
  const auto is_compound = [](const Term& term) {
    return std::any_of(term.atoms.begin(), term.atoms.end(), [](const AtomRef& atom) { return atom->kind != AtomKind::size; });
  };
  if (extent.terms().size() < 2 && std::none_of(extent.terms().begin(), extent.terms().end(), is_compound)) return extent;
  const Sym expanded = substitute(extent, expansions_);
  if (const AtomRef atom = expanded.atom(); atom != nullptr && atom->kind == AtomKind::size) return expanded;
  const auto [found, is_new] = extents_.try_emplace(expanded.text(), Sym(0));
  if (!is_new) return found->second;
  std::map<std::string, std::int64_t> given;
  for (const SizeSource& size : graph_.sizes) given[size.symbol] = size.given;
  std::string name;
  for (int k = 1; name.empty() || given.contains(name); ++k) name = fmt::format("{}_{}", wish, k);
  graph_.sizes.push_back({name, -1, 0, evaluate(extent, given).value_or(1), 0, extent});
  expansions_[name] = expanded;
  return found->second = Sym::size(name);
}

ValueId Builder::elementwise(const std::string& op, std::vector<ValueId> operands) {
  const Primitive* row = find_primitive(op);
  KA_CHECK(row != nullptr && row->fusion == Fusion::elementwise && row->arity == static_cast<int>(operands.size()));
  Shape out_shape;
  for (const ValueId operand : operands) out_shape = broadcast(out_shape, shape(operand));
  const std::size_t first = op == "where" ? 1 : 0;
  DType common = type(operands[first]).dtype;
  for (std::size_t i = first; i < operands.size(); ++i) {
    // a number without dimensions does not widen a tensor of the same kind, as in PyTorch
    const DType other = type(operands[i]).dtype;
    const bool weak_new = shape(operands[i]).empty() && kind_rank(other) <= kind_rank(common);
    const bool weak_old = !shape(operands[i]).empty() && i > first && shape(operands[first]).empty() &&
                          kind_rank(common) <= kind_rank(other) && i == first + 1;
    common = weak_old ? other : (weak_new && i > first) ? common : promote(common, other);
  }
  if (row->result == ResultType::floating && !is_float(common)) common = DType::float32;
  for (std::size_t i = first; i < operands.size(); ++i) operands[i] = cast(operands[i], common);
  if (op == "where") operands[0] = cast(operands[0], DType::bool_);
  const DType out = row->result == ResultType::boolean ? DType::bool_ : common;
  return single(op, std::move(operands), {}, {out, std::move(out_shape)});
}

ValueId Builder::reshape(ValueId x, Shape to) {
  if (shape(x) == to) return x;
  const std::optional<std::int64_t> before = fixed_count(shape(x)), after = fixed_count(to);
  require(!before || !after || before == after, "a tensor cannot be given a shape with another number of elements");
  const Node* maker = graph_.maker(x);
  if (maker != nullptr && maker->op == "reshape") return reshape(maker->inputs[0], std::move(to));
  Attributes attributes{{"shape", std::vector<Sym>(to)}};
  return single("reshape", {x}, std::move(attributes), {type(x).dtype, std::move(to)});
}

ValueId Builder::permute(ValueId x, const std::vector<int>& dims) {
  std::vector<int> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = static_cast<int>(dims.size()) == rank(x);
  for (std::size_t d = 0; each_once && d < sorted.size(); ++d) each_once = sorted[d] == static_cast<int>(d);
  require(each_once, "an order of dimensions does not name each of them once");
  if (std::is_sorted(dims.begin(), dims.end())) return x;
  Shape out;
  std::vector<Sym> order;
  for (const int d : dims) {
    out.push_back(shape(x)[static_cast<std::size_t>(d)]);
    order.emplace_back(d);
  }
  return single("permute", {x}, {{"dims", order}}, {type(x).dtype, std::move(out)});
}

ValueId Builder::remap(ValueId x, Shape to, std::vector<Sym> index, std::vector<Sym> valid, double fill, Attributes more) {
  require(static_cast<int>(index.size()) == rank(x), "an operand has another number of dimensions than is needed");
  std::erase_if(valid, [](const Sym& condition) { return is_nonnegative(condition); });
  if (valid.empty() && to == shape(x) && index == index_symbols(to)) return x;
  more["shape"] = std::vector<Sym>(to);
  more["index"] = std::move(index);
  if (!valid.empty()) {
    more["valid"] = std::move(valid);
    more["fill"] = fill;
  }
  return single("remap", {x}, std::move(more), {type(x).dtype, std::move(to)});
}

ValueId Builder::expand(ValueId x, const Shape& to) {
  if (shape(x) == to) return x;
  require(to.size() >= shape(x).size(), "a tensor cannot be expanded to fewer dimensions");
  const std::vector<Sym> at = index_symbols(to);
  std::vector<Sym> index;
  const std::size_t missing = to.size() - shape(x).size();
  for (std::size_t d = 0; d < shape(x).size(); ++d) {
    const Sym &from = shape(x)[d], &wanted = to[d + missing];
    require(from.is(1) || !are_both_fixed(from, wanted) || from == wanted, "only dimensions of extent 1 can be expanded");
    index.push_back(from.is(1) ? Sym(0) : at[d + missing]);
  }
  return remap(x, to, std::move(index));
}

ValueId Builder::cat(std::vector<ValueId> parts, int dim) {
  require(!parts.empty(), "there is nothing to join");
  require_dim(dim, shape(parts[0]));
  if (parts.size() == 1) return parts[0];
  Type out = type(parts[0]);
  Sym total;
  for (const ValueId part : parts) {
    require(shape(part).size() == out.shape.size(), "tensors of different ranks cannot be joined");
    for (std::size_t d = 0; d < out.shape.size(); ++d) {
      const bool fits = static_cast<int>(d) == dim || !are_both_fixed(out.shape[d], shape(part)[d]) || out.shape[d] == shape(part)[d];
      require(fits, "tensors of different extents cannot be joined");
    }
    out.dtype = promote(out.dtype, type(part).dtype);
    total = total + shape(part)[static_cast<std::size_t>(dim)];
  }
  for (ValueId& part : parts) part = cast(part, out.dtype);
  out.shape[static_cast<std::size_t>(dim)] = total;
  return single("cat", std::move(parts), {{"dim", Sym(dim)}}, std::move(out));
}

ValueId Builder::gather(ValueId x, std::vector<ValueId> indices, Shape to, std::vector<Sym> index) {
  require(static_cast<int>(index.size()) == rank(x), "an operand has another number of dimensions than is needed");
  const DType dtype = type(x).dtype;
  std::vector<ValueId> inputs{x};
  for (const ValueId i : indices) inputs.push_back(expand(i, to));
  Attributes attributes{{"shape", std::vector<Sym>(to)}, {"index", std::move(index)}};
  return single("gather", std::move(inputs), std::move(attributes), {dtype, std::move(to)});
}

ValueId Builder::reduce(const std::string& kind, ValueId x, std::vector<int> dims) {
  std::sort(dims.begin(), dims.end());
  require(std::adjacent_find(dims.begin(), dims.end()) == dims.end(), "a dimension is named twice");
  for (const int d : dims) require_dim(d, shape(x));
  Type out = type(x);
  std::vector<Sym> listed;
  for (const int d : dims) {
    out.shape[static_cast<std::size_t>(d)] = 1;
    listed.emplace_back(d);
  }
  if (kind == "argmax" || kind == "argmin") out.dtype = DType::int64;
  if (kind == "any" || kind == "all") {
    x = cast(x, DType::bool_);
    out.dtype = DType::bool_;
  }
  return single("reduce", {x}, {{"kind", kind}, {"dims", listed}}, std::move(out));
}

ValueId Builder::scan(const std::string& kind, ValueId x, int dim, bool reverse) {
  require_dim(dim, shape(x));
  return single("scan", {x}, {{"kind", kind}, {"dim", Sym(dim)}, {"reverse", reverse}}, type(x));
}

ValueId Builder::matmul(ValueId a, ValueId b) {
  require(rank(a) == 3 && rank(b) == 3, "an operand of a product has another number of dimensions than is needed");
  const auto agree = [](const Sym& x, const Sym& y) { return !are_both_fixed(x, y) || x == y; };
  require(agree(shape(a)[0], shape(b)[0]) && agree(shape(a)[2], shape(b)[1]), "the operands of a product do not fit each other");
  const DType dtype = promote(type(a).dtype, type(b).dtype);
  if (dtype != DType::float32 && dtype != DType::float16 && dtype != DType::bfloat16) {  // no tensor core: a sum of products
    const Shape rows = shape(a), columns = shape(b);
    const ValueId left = reshape(cast(a, dtype), {rows[0], rows[1], 1, rows[2]});
    const ValueId right = reshape(permute(cast(b, dtype), {0, 2, 1}), {columns[0], 1, columns[2], columns[1]});
    return reshape(reduce("sum", elementwise("mul", {left, right}), {3}), {rows[0], rows[1], columns[2]});
  }
  return single("matmul", {cast(a, dtype), cast(b, dtype)}, {}, {dtype, {shape(a)[0], shape(a)[1], shape(b)[2]}});
}

}  // namespace ka::ir

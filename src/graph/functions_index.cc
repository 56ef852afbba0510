// Sizes, dtypes, positions, and reading at places that a tensor names.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Arg size(Operands& in) {
  const ValueId x = in.tensor("x");
  return Arg{in.builder().shape(x).at(at(in.dim("dim", in.builder().rank(x))))};
}

Arg rank(Operands& in) { return Arg{Sym(in.builder().rank(in.tensor("x")))}; }

Arg shape(Operands& in) {
  ArgList out;
  for (const Sym& extent : in.builder().shape(in.tensor("x"))) out.push_back(Arg{extent});
  return Arg{out};
}

Arg cast(Operands& in) {
  const ir::DType* dtype = std::get_if<ir::DType>(&in.arg("dtype").value);
  const ValueId x = in.tensor("x");
  if (dtype == nullptr) return tensor_arg(x);
  return tensor_arg(in.builder().cast(x, *dtype));
}

// x in the dtype of y
Arg like(Operands& in) {
  return tensor_arg(in.builder().cast(in.tensor("x"), in.builder().type(in.tensor("y")).dtype));
}

// As a cast that the program asks for: 16-bit values are really rounded.
Arg exact_cast(Operands& in) {
  ir::Builder& b = in.builder();
  const ir::DType* dtype = std::get_if<ir::DType>(&in.arg("dtype").value);
  const ValueId x = in.tensor("x");
  if (dtype == nullptr || b.type(x).dtype == *dtype) return tensor_arg(x);
  return tensor_arg(b.node("cast", {x}, {{"exact", true}}, {{*dtype, b.shape(x)}})[0]);
}

// Whether it is a number known when the graph is built.
Arg known(Operands& in) { return Arg{in.arg("x").tensor() == nullptr}; }

Arg quotient(Operands& in) { return Arg{ir::floor_div(in.integer("a"), in.integer("b"))}; }

Arg is_whole(Operands& in) { return Arg{in.arg("x").integer() != nullptr}; }

// 10 to the power of n, as a number.
Arg tenfold(Operands& in) { return Arg{std::pow(10.0, static_cast<double>(in.fixed("n", 0)))}; }

// What PyTorch can and a kernel cannot, in a sentence.
Arg refused(Operands& in) {
  in.fail(in.text("why", "not supported"));
  return {};
}

// How many numbers arange(start, end, step) has.
Arg steps(Operands& in) {
  const bool whole = in.arg("start").integer() != nullptr && in.arg("end").integer() != nullptr && in.arg("step").integer() != nullptr;
  if (!whole) {
    const double count = std::ceil((in.number("end", 0) - in.number("start", 0)) / in.number("step", 1));
    in.need(count >= 0 && count < 0x1p50, "end does not follow from start in such steps");
    return Arg{Sym(static_cast<std::int64_t>(count))};
  }
  const Sym step = in.integer("step");
  if (step.constant().value_or(1) < 0) return Arg{ir::ceil_div(in.integer("start") - in.integer("end"), step * -1)};
  return Arg{ir::ceil_div(in.integer("end") - in.integer("start"), step)};
}

// The last dimensions, as many as the list has: [-2, -1].
Arg last(Operands& in) {
  ArgList out;
  const int n = static_cast<int>(in.integers("list").size());
  for (int k = 0; k < n; ++k) out.push_back(Arg{Sym(k - n)});
  return Arg{out};
}

// All dimensions but one; all of them when there is none to leave out.
Arg other_dims(Operands& in) {
  ArgList out;
  const int rank = in.builder().rank(in.tensor("x"));
  for (int d = 0; d < rank; ++d) {
    if (d != static_cast<int>(in.fixed("dim", 0))) out.push_back(Arg{Sym(d)});
  }
  return Arg{out};
}

// A list with ones in front, so that it has at least n items.
Arg padded_list(Operands& in) {
  ArgList out;
  const std::vector<Sym> items = in.integers("list");
  for (std::int64_t k = static_cast<std::int64_t>(items.size()); k < in.fixed("n", 0); ++k) out.push_back(Arg{Sym(1)});
  for (const Sym& item : items) out.push_back(Arg{item});
  return Arg{out};
}

// The distance from 1 to the next larger number of the tensor's dtype.
Arg epsilon(Operands& in) { return Arg{2 * ir::info(in.builder().type(in.tensor("x")).dtype).unit_roundoff}; }

// The largest finite number of a dtype.
Arg largest(Operands& in) {
  const ir::DType* dtype = std::get_if<ir::DType>(&in.arg("dtype").value);
  in.need(dtype != nullptr, "a dtype is needed");
  switch (*dtype) {
    case ir::DType::float64: return Arg{std::numeric_limits<double>::max()};
    case ir::DType::float16: return Arg{65504.0};
    case ir::DType::bfloat16: return Arg{0x1.fep127};
    default: return Arg{static_cast<double>(std::numeric_limits<float>::max())};
  }
}

Arg dtype_of(Operands& in) { return Arg{in.builder().type(in.tensor("x")).dtype}; }
Arg is_floating(Operands& in) { return Arg{ir::is_float(in.builder().type(in.tensor("x")).dtype)}; }
Arg is_boolean(Operands& in) { return Arg{in.builder().type(in.tensor("x")).dtype == ir::DType::bool_}; }

// The position along `dim` of a tensor of shape [extent], as int64; start + step * i.
Arg arange(Operands& in) {
  const Sym extent = in.integer("extent");
  const std::vector<Sym> i = ir::index_symbols({extent});
  return tensor_arg(in.builder().index({extent}, i[0] * in.integer_or("step", 1) + in.integer_or("start", 0)));
}

// Column minus row of the last two dimensions.
Arg diagonal_distance(Operands& in) {
  ir::Builder& b = in.builder();
  const Shape full = b.shape(in.tensor("x", 2));
  const Shape to(full.end() - 2, full.end());
  const std::vector<Sym> i = ir::index_symbols(to);
  return tensor_arg(b.index(to, i[1] - i[0]));
}

Arg full(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId value = in.tensor("value");
  if (const ir::DType* dtype = std::get_if<ir::DType>(&in.arg("dtype").value)) value = b.cast(value, *dtype);
  return tensor_arg(b.expand(value, in.integers("shape")));
}

ValueId wrapped(ir::Builder& b, ValueId index, const Sym& extent) {
  const ValueId zero = b.constant(0, ir::DType::int64);
  index = b.cast(index, ir::DType::int64);
  const ValueId high = b.elementwise("add", {index, b.index({}, extent)});
  return b.elementwise("where", {b.elementwise("lt", {index, zero}), high, index});
}

Sym place(int k, const Sym& extent) { return Sym::index(fmt::format("t{}", k), extent); }

// torch.gather: as many dimensions as x, along one of them the index decides.
Arg gather(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x"), index = in.tensor("index");
  if (b.rank(x) == 0) return tensor_arg(x);
  const int d = in.dim("dim", b.rank(x));
  std::vector<Sym> where = ir::index_symbols(b.shape(index));
  where.at(at(d)) = place(0, b.shape(x).at(at(d)));
  return tensor_arg(b.gather(x, {b.cast(index, ir::DType::int64)}, b.shape(index), where));
}

// torch.take_along_dim: the same with the other dimensions broadcast.
Arg take_along(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x"), index = in.tensor("index");
  const int d = in.dim("dim", b.rank(x));
  Shape others_of_x = b.shape(x), others_of_index = b.shape(index);
  others_of_x.at(at(d)) = others_of_index.at(at(d)) = Sym(1);
  Shape to_x = ir::broadcast(others_of_x, others_of_index), to = to_x;
  to_x.at(at(d)) = b.shape(x).at(at(d));
  to.at(at(d)) = b.shape(index).at(at(d));
  std::vector<Sym> where = ir::index_symbols(to);
  where.at(at(d)) = place(0, b.shape(x).at(at(d)));
  return tensor_arg(b.gather(b.expand(x, to_x), {b.expand(wrapped(b, index, b.shape(x).at(at(d))), to)}, to, where));
}

// Rows of x along `dim`, named by a tensor of any shape, which takes the place of that dimension.
Arg take(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 1);
  ValueId index = b.cast(in.tensor("index"), ir::DType::int64);
  const int d = in.dim("dim", b.rank(x));
  const int count = b.rank(index), after = b.rank(x) - d - 1;
  Shape to(b.shape(x).begin(), b.shape(x).begin() + d);
  to.insert(to.end(), b.shape(index).begin(), b.shape(index).end());
  to.insert(to.end(), b.shape(x).begin() + d + 1, b.shape(x).end());
  const std::vector<Sym> symbols = ir::index_symbols(to);
  std::vector<Sym> where(symbols.begin(), symbols.begin() + d);
  where.push_back(place(0, b.shape(x).at(at(d))));
  where.insert(where.end(), symbols.begin() + d + count, symbols.end());
  if (in.flag("wrap", false)) index = wrapped(b, index, b.shape(x).at(at(d)));
  Shape spread = b.shape(index);
  spread.insert(spread.end(), at(after), Sym(1));
  return tensor_arg(b.gather(x, {b.reshape(index, spread)}, to, where));
}

// x[i, :, j]: index tensors for some dimensions, none for the others. Boolean masks decide shapes and are refused.
Arg index(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const ArgList* list = std::get_if<ArgList>(&in.arg("indices").value);
  in.need(list != nullptr && static_cast<int>(list->size()) <= b.rank(x), "indices are missing, or more than x has dimensions");
  Shape common;
  int first = -1, last = -1, named = 0;
  for (int d = 0; d < static_cast<int>(list->size()); ++d) {
    const Tensor* tensor = (*list).at(at(d)).tensor();
    if (tensor == nullptr) continue;
    if (b.type(tensor->id).dtype == ir::DType::bool_) in.fail("a boolean index makes a shape that depends on values");
    common = ir::broadcast(common, b.shape(tensor->id));
    if (first < 0) first = d;
    last = d;
    ++named;
  }
  in.need(named > 0, "indices are missing");
  // the broadcast shape stands where the first index stood, or in front when a dimension lies between them
  const bool together = last - first + 1 == named;
  const int position = together ? first : 0;
  Shape to;
  std::vector<int> plain;
  for (int d = 0; d < b.rank(x); ++d) {
    if (d >= static_cast<int>(list->size()) || (*list).at(at(d)).tensor() == nullptr) plain.push_back(d);
  }
  for (const int d : plain) to.push_back(b.shape(x).at(at(d)));
  to.insert(to.begin() + position, common.begin(), common.end());
  const std::vector<Sym> symbols = ir::index_symbols(to);
  std::vector<Sym> where(at(b.rank(x)));
  for (int p = 0; p < static_cast<int>(plain.size()); ++p)
    where.at(at(plain.at(at(p)))) = symbols.at(at(p < position ? p : p + static_cast<int>(common.size())));
  std::vector<ValueId> operands;
  for (int d = 0; d < static_cast<int>(list->size()); ++d) {
    const Tensor* tensor = (*list).at(at(d)).tensor();
    if (tensor == nullptr) continue;
    where.at(at(d)) = place(static_cast<int>(operands.size()), b.shape(x).at(at(d)));
    const ValueId spread = b.expand(wrapped(b, tensor->id, b.shape(x).at(at(d))), common);
    Shape tail = common;
    tail.insert(tail.end(), to.size() - at(position) - common.size(), Sym(1));
    operands.push_back(b.reshape(spread, tail));
  }
  return tensor_arg(b.gather(x, operands, to, where));
}

// x with `values` written over a part: along `dim`, from `start` in steps.
Arg overwritten(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int d = in.dim("dim", b.rank(x));
  const Sym extent = b.shape(x).at(at(d));
  const auto counted = [&](Sym n) { return is_negative(n) ? n + extent : n; };
  const Sym start = ir::minimum(counted(in.integer_or("start", 0)), extent), step = in.integer_or("step", 1);
  ValueId values = in.tensor("values");
  if (b.rank(values) == b.rank(x) - 1) {  // select_scatter
    Shape one = b.shape(values);
    one.insert(one.begin() + d, Sym(1));
    values = b.reshape(values, one);
  }
  values = b.cast(values, b.type(x).dtype);
  const Sym count = b.shape(values).at(at(d));
  const std::vector<Sym> symbols = ir::index_symbols(b.shape(x));
  const Sym offset = symbols.at(at(d)) - start, slot = ir::floor_div(offset, step);
  std::vector<Sym> valid{offset, count - 1 - slot, Sym(0) - ir::modulo(offset, step)}, where = symbols;
  where.at(at(d)) = slot;
  const ValueId placed = b.remap(values, b.shape(x), where, valid, 0);
  const ValueId one = b.expand(b.constant(1, ir::DType::bool_), b.shape(values));
  return tensor_arg(b.elementwise("where", {b.remap(one, b.shape(x), where, valid, 0), placed, x}));
}

// x with `values` written over one of its diagonals.
Arg diagonal_overwritten(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 2), values = b.cast(in.tensor("values", 1), b.type(x).dtype);
  const int rank = b.rank(x), first = in.has("dim1") ? in.dim("dim1", rank) : 0, second = in.has("dim2") ? in.dim("dim2", rank) : 1;
  const std::int64_t offset = in.fixed("offset", 0);
  in.need(first != second && offset > INT64_MIN, "there is no such diagonal");
  const std::vector<Sym> symbols = ir::index_symbols(b.shape(x));
  std::vector<Sym> where;
  for (int d = 0; d < rank; ++d) {
    if (d != first && d != second) where.push_back(symbols.at(at(d)));
  }
  const Sym slot = symbols.at(at(first)) - (offset < 0 ? -offset : 0), off = symbols.at(at(second)) - symbols.at(at(first)) - offset;
  where.push_back(slot);
  const std::vector<Sym> valid{slot, b.shape(values).back() - 1 - slot, off, Sym(0) - off};
  const ValueId one = b.expand(b.constant(1, ir::DType::bool_), b.shape(values));
  return tensor_arg(b.elementwise("where", {b.remap(one, b.shape(x), where, valid, 0), b.remap(values, b.shape(x), where, valid, 0), x}));
}

// Numbers that PyTorch draws in the wrapper, where the program draws them: `kind` is what is called on or for the shape. PyTorch draws in the order of
// memory: `order` has the dimensions from the slowest to the fastest, `gaps` says that the program's own tensor has gaps between its elements.
Arg drawn(Operands& in) {
  ir::Builder& b = in.builder();
  const ir::DType* dtype = std::get_if<ir::DType>(&in.arg("dtype").value);
  const Shape to = in.integers("shape");
  ir::Attributes attributes{{"kind", in.text("kind", "rand")}, {"p", in.number("p", 0)}, {"q", in.number("q", 0)}, {"gaps", in.flag("gaps", false)}};
  const ir::DType of = dtype == nullptr ? ir::DType::float32 : *dtype;
  if (in.arg("order").is_none()) return tensor_arg(b.node("random", {}, attributes, {{of, to}})[0]);
  const std::vector<int> order = in.dims("order", static_cast<int>(to.size()));
  in.need(order.size() == to.size(), "an order of another rank");
  Shape in_memory;
  std::vector<int> place(to.size());  // of each dimension
  for (std::size_t k = 0; k < order.size(); ++k) {
    in_memory.push_back(to.at(at(order[k])));
    place.at(at(order[k])) = static_cast<int>(k);
  }
  attributes["place"] = std::vector<Sym>(place.begin(), place.end());
  attributes["order"] = std::vector<Sym>(order.begin(), order.end());
  return tensor_arg(b.permute(b.node("random", {}, attributes, {{of, in_memory}})[0], place));
}

Arg broadcast_tensors(Operands& in) {
  ir::Builder& b = in.builder();
  const std::vector<ValueId> parts = in.tensors("parts");
  Shape common;
  for (const ValueId part : parts) common = ir::broadcast(common, b.shape(part));
  ArgList out;
  for (const ValueId part : parts) out.push_back(tensor_arg(b.expand(part, common)));
  return Arg{out};
}

Arg item(Operands& in) {
  const ArgList* list = std::get_if<ArgList>(&in.arg("list").value);
  const std::int64_t i = in.fixed("i", 0);
  in.need(list != nullptr && i >= 0 && i < static_cast<std::int64_t>(list->size()), "there is no such item");
  return (*list)[static_cast<std::size_t>(i)];
}

constexpr Function kFunctions[] = {
    {"arange", "extent, start, step", arange},
    {"broadcast_tensors", "parts", broadcast_tensors},
    {"cast", "x, dtype", cast},
    {"diagonal_distance", "x", diagonal_distance},
    {"diagonal_overwritten", "x, values, offset, dim1, dim2", diagonal_overwritten},
    {"drawn", "kind, shape, dtype, p, q, order, gaps", drawn},
    {"dtype_of", "x", dtype_of},
    {"epsilon", "x", epsilon},
    {"exact_cast", "x, dtype", exact_cast},
    {"full", "shape, value, dtype", full},
    {"gather", "x, dim, index", gather},
    {"index", "x, indices", index},
    {"is_boolean", "x", is_boolean},
    {"is_floating", "x", is_floating},
    {"is_whole", "x", is_whole},
    {"item", "list, i", item},
    {"known", "x", known},
    {"largest", "dtype", largest},
    {"last", "list", last},
    {"like", "x, y", like},
    {"overwritten", "x, values, dim, start, step", overwritten},
    {"other_dims", "x, dim", other_dims},
    {"padded_list", "list, n", padded_list},
    {"quotient", "a, b", quotient},
    {"rank", "x", rank},
    {"refused", "why", refused},
    {"shape", "x", shape},
    {"size", "x, dim", size},
    {"steps", "start, end, step", steps},
    {"take", "x, dim, index, wrap", take},
    {"take_along", "x, dim, index", take_along},
    {"tenfold", "n", tenfold},
};

}  // namespace

std::span<const Function> index_functions() {
  return kFunctions;
}

}  // namespace ka::graph

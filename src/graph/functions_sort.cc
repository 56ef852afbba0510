// Places of elements in an order.
#include <numeric>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The dimensions with `dim` and the last one exchanged; its own inverse.
std::vector<int> with_last(int rank, int dim) {
  std::vector<int> out(at(rank));
  std::iota(out.begin(), out.end(), 0);
  if (rank > 0) std::swap(out.at(at(dim)), out.back());
  return out;
}

// The places of the first `count` elements along `dim` in ascending or descending order; all of them without `count`.
Arg order(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const int rank = b.rank(x), d = in.dim("dim", rank);
  if (rank == 0) return tensor_arg(b.constant(0, ir::DType::int64));
  if (b.type(x).dtype == ir::DType::bool_) x = b.cast(x, ir::DType::int32);
  x = b.permute(x, with_last(rank, d));
  Shape to = b.shape(x);
  to.back() = in.integer_or("count", to.back());
  const std::vector<ValueId> places = b.node("order", {x}, {{"descending", in.flag("descending", false)}}, {{ir::DType::int64, to}});
  return tensor_arg(b.permute(places[0], with_last(rank, d)));
}

ValueId slice_at(ir::Builder& b, ValueId x, int d, const Sym& place) {
  Shape to = b.shape(x);
  to.at(at(d)) = 1;
  std::vector<Sym> index = ir::index_symbols(to);
  index.at(at(d)) = place;
  return b.remap(x, to, index);
}

// The last element along `dim`, which stays with extent 1.
Arg last_of(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  if (b.rank(x) == 0) return tensor_arg(x);
  const int d = in.dim("dim", b.rank(x));
  return tensor_arg(slice_at(b, x, d, b.shape(x).at(at(d)) - 1));
}

// Where the lower median lies along `dim`: the first NaN if there is one.
Arg median_place(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  if (b.rank(x) == 0) return tensor_arg(b.constant(0, ir::DType::int64));
  const int d = in.dim("dim", b.rank(x));
  const Sym count = ir::floor_div(b.shape(x).at(at(d)) - 1, 2) + 1;
  const ValueId first = in.tensor_of(call_function("order", {tensor_arg(x), Arg{Sym(d)}, Arg{false}, Arg{count}}, {}, b));
  const ValueId middle = slice_at(b, first, d, count - 1);
  if (!ir::is_float(b.type(x).dtype)) return tensor_arg(middle);
  const ValueId unordered = b.elementwise("ne", {x, x});
  const ValueId first_nan = b.reduce("argmax", b.cast(unordered, ir::DType::int32), {d});
  return tensor_arg(b.elementwise("where", {b.reduce("any", unordered, {d}), first_nan, middle}));
}

// int64 in the shape of x: the position along `dim`.
Arg positions(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  if (b.rank(x) == 0) return tensor_arg(b.constant(0, ir::DType::int64));
  return tensor_arg(b.index(b.shape(x), ir::index_symbols(b.shape(x)).at(at(in.dim("dim", b.rank(x))))));
}

constexpr Function kFunctions[] = {
    {"last_of", "x, dim", last_of},
    {"median_place", "x, dim", median_place},
    {"order", "x, dim, descending, count", order},
    {"positions", "x, dim", positions},
};

constexpr Macro kMacros[] = {
    {"picked", "x, dim, place, keepdim", "if rank(x) == 0 then x else reduced_shape(gather(x, dim, place), dim, keepdim)"},
};

}  // namespace

std::span<const Function> sort_functions() {
  return kFunctions;
}

std::span<const Macro> sort_macros() {
  return kMacros;
}

}  // namespace ka::graph

// Functions that move elements without computing: each is a reshape, a permute or a remap.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A shape as PyTorch states it: one -1 stands for what is left.
Shape resolved(const std::vector<Sym>& stated, const Sym& total) {
  Sym rest = 1;
  for (const Sym& extent : stated) {
    if (!extent.is(-1)) rest = rest * extent;
  }
  Shape out = stated;
  for (Sym& extent : out) {
    if (extent.is(-1)) extent = ir::floor_div(total, rest);
  }
  return out;
}

Arg reshape(Operands& in) {
  const ValueId x = in.tensor("x");
  return tensor_arg(in.builder().reshape(x, resolved(in.integers("shape"), ir::product(in.builder().shape(x)))));
}

Arg flatten(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  if (b.rank(x) == 0) return tensor_arg(b.reshape(x, {1}));
  const int first = in.dim("start", b.rank(x)), last = in.has("end") ? in.dim("end", b.rank(x)) : b.rank(x) - 1;
  in.need(first <= last, "start comes after end");
  Shape out(b.shape(x).begin(), b.shape(x).begin() + first);
  out.push_back(ir::product(Shape(b.shape(x).begin() + first, b.shape(x).begin() + last + 1)));
  out.insert(out.end(), b.shape(x).begin() + last + 1, b.shape(x).end());
  return tensor_arg(b.reshape(x, out));
}

Arg unflatten(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 1);
  const int d = in.dim("dim", b.rank(x));
  const Shape inner = resolved(in.integers("sizes"), b.shape(x).at(at(d)));
  Shape out(b.shape(x).begin(), b.shape(x).begin() + d);
  out.insert(out.end(), inner.begin(), inner.end());
  out.insert(out.end(), b.shape(x).begin() + d + 1, b.shape(x).end());
  return tensor_arg(b.reshape(x, out));
}

Arg squeeze(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  std::vector<int> gone;
  for (const int d : in.dims("dim", b.rank(x))) {
    if (b.shape(x).at(at(d)).is(1)) gone.push_back(d);
  }
  return tensor_arg(b.reshape(x, without(b.shape(x), gone)));
}

Arg unsqueeze(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  Shape out = b.shape(x);
  out.insert(out.begin() + in.dim("dim", b.rank(x) + 1), Sym(1));
  return tensor_arg(b.reshape(x, out));
}

Arg permute(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  return tensor_arg(b.permute(x, in.dims("dims", b.rank(x))));
}

Arg transpose(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  if (b.rank(x) < 2) return tensor_arg(x);
  std::vector<int> order(at(b.rank(x)));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order.at(at(in.dim("a", b.rank(x)))), order.at(at(in.dim("b", b.rank(x)))));
  return tensor_arg(b.permute(x, order));
}

// All dimensions in reverse order.
Arg reversed(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  std::vector<int> order(at(b.rank(x)));
  std::iota(order.rbegin(), order.rend(), 0);
  return tensor_arg(b.permute(x, order));
}

Arg movedim(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int rank = b.rank(x);
  const std::vector<int> from = in.dims("source", rank), to = in.dims("destination", rank);
  std::vector<int> order(at(rank), -1);
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) order.at(at(to[i])) = from[i];
  int next = 0;
  for (int& slot : order) {
    if (slot >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    slot = next++;
  }
  return tensor_arg(b.permute(x, order));
}

// -1 keeps the extent.
Arg expand(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  Shape to = in.integers("shape");
  in.need(to.size() >= b.shape(x).size(), "the shape has fewer dimensions than the tensor");
  const std::size_t missing = to.size() - b.shape(x).size();
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (to[d].is(-1)) to[d] = d < missing ? Sym(1) : b.shape(x)[d - missing];
  }
  return tensor_arg(b.expand(x, to));
}

// Python's slice: negative bounds count from the end, bounds beyond the end are cut.
Sym bounded(const Sym& stated, const Sym& extent) {
  const std::optional<std::int64_t> number = stated.constant();
  // a bound before the beginning is cut too; of a size that is not fixed it is taken to lie inside, which every sample checks
  if (is_negative(stated)) return number && extent.constant() ? ir::maximum(stated + extent, 0) : stated + extent;
  if (number && *number == INT64_MAX) return extent;
  return ir::minimum(stated, extent);
}

Arg slice(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int d = in.dim("dim", b.rank(x));
  const Sym extent = b.shape(x).at(at(d));
  const Sym begin = bounded(in.integer_or("start", 0), extent), end = bounded(in.integer_or("end", extent), extent);
  const Sym step = in.positive("step", 1, {1})[0];
  Shape to = b.shape(x);
  to.at(at(d)) = step.is(1) ? end - begin : b.named_extent("length", ir::ceil_div(end - begin, step));
  std::vector<Sym> index = ir::index_symbols(to);
  index.at(at(d)) = index.at(at(d)) * step + begin;
  return tensor_arg(b.remap(x, to, index));
}

Arg select(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 1);
  const int d = in.dim("dim", b.rank(x));
  Sym position = in.integer("index");
  if (is_negative(position)) position = position + b.shape(x).at(at(d));
  const Shape to = without(b.shape(x), {d});
  std::vector<Sym> index = ir::index_symbols(to);
  index.insert(index.begin() + d, position);
  return tensor_arg(b.remap(x, to, index));
}

Arg flip(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  std::vector<Sym> index = ir::index_symbols(b.shape(x));
  for (const int d : in.dims("dims", b.rank(x))) index.at(at(d)) = b.shape(x).at(at(d)) - 1 - index.at(at(d));
  return tensor_arg(b.remap(x, b.shape(x), index));
}

Arg roll(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const Shape before = b.shape(x);
  const std::vector<Sym> shifts = in.integers("shifts");
  std::vector<int> dims = in.has("dims") && !in.integers("dims").empty() ? in.dims("dims", b.rank(x)) : std::vector<int>{};
  if (dims.empty()) {
    x = b.reshape(x, {ir::product(before)});
    dims = {0};
  }
  std::vector<Sym> index = ir::index_symbols(b.shape(x));
  for (std::size_t i = 0; i < dims.size() && i < shifts.size(); ++i) {
    const Sym extent = b.shape(x).at(at(dims[i]));
    const bool back = shifts[i].constant().value_or(0) < 0;  // the remainder of a negative number is negative in a kernel
    const Sym ahead = back ? ir::modulo(shifts[i] * -1, extent) : extent - ir::modulo(shifts[i], extent);
    index.at(at(dims[i])) = ir::modulo(index.at(at(dims[i])) + ahead, extent);
  }
  return tensor_arg(b.reshape(b.remap(x, b.shape(x), index), before));
}

// pads: before and after, for the last dimension first, as PyTorch lists them.
Arg pad(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const std::vector<Sym> pads = in.integers("pads");
  const std::string mode = in.text("mode", "constant");
  in.need(pads.size() % 2 == 0, "pads are no pairs");
  Shape to = b.shape(x);
  const int rank = b.rank(x), count = static_cast<int>(pads.size() / 2);
  for (int k = 0; k < count; ++k) to.at(at(rank - 1 - k)) = to.at(at(rank - 1 - k)) + pads.at(at(2 * k)) + pads.at(at(2 * k + 1));
  std::vector<Sym> index = ir::index_symbols(to), valid;
  for (int k = 0; k < count; ++k) {
    const int d = rank - 1 - k;
    const Sym extent = b.shape(x).at(at(d)), inside = index.at(at(d)) - pads.at(at(2 * k));
    if (mode == "constant") {
      valid.push_back(inside);
      valid.push_back(extent - 1 - inside);
      index.at(at(d)) = inside;
    } else if (mode == "replicate") {
      index.at(at(d)) = ir::minimum(ir::maximum(inside, 0), extent - 1);
    } else if (mode == "circular") {
      index.at(at(d)) = ir::modulo(inside + extent, extent);
    } else if (mode == "reflect") {
      const Sym absolute = ir::maximum(inside, Sym(0) - inside), last = extent - 1;
      index.at(at(d)) = last - ir::maximum(last - absolute, absolute - last);
    } else {
      in.fail("unknown mode " + mode);
    }
  }
  return tensor_arg(b.remap(x, to, index, valid, in.number("value", 0)));
}

Arg cat(Operands& in) {
  ir::Builder& b = in.builder();
  std::vector<ValueId> parts = in.tensors("parts");
  // PyTorch's relic: one-dimensional empty tensors are left out
  std::erase_if(parts, [&](ValueId part) { return parts.size() > 1 && b.rank(part) == 1 && b.shape(part)[0].is(0); });
  in.need(!parts.empty(), "there is nothing to join");
  return tensor_arg(b.cat(parts, in.dim("dim", b.rank(parts[0]))));
}

Arg stack(Operands& in) {
  ir::Builder& b = in.builder();
  std::vector<ValueId> parts = in.tensors("parts");
  in.need(!parts.empty(), "there is nothing to join");
  const int d = in.dim("dim", b.rank(parts[0]) + 1);
  for (ValueId& part : parts) {
    Shape to = b.shape(part);
    in.need(d <= static_cast<int>(to.size()), "its parts have different ranks");
    to.insert(to.begin() + d, Sym(1));
    part = b.reshape(part, to);
  }
  return tensor_arg(b.cat(parts, d));
}

constexpr std::int64_t kMostPieces = 10'000;

Arg pieces(ir::Builder& b, ValueId x, int d, const std::vector<Sym>& sizes) {
  ArgList out;
  Sym begin = 0;
  for (const Sym& size : sizes) {
    Shape to = b.shape(x);
    to.at(at(d)) = size;
    std::vector<Sym> index = ir::index_symbols(to);
    index.at(at(d)) = index.at(at(d)) + begin;
    out.push_back(tensor_arg(b.remap(x, to, index)));
    begin = begin + size;
  }
  return Arg{out};
}

// size: of all pieces but the last, or one for each.
Arg split(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int d = in.dim("dim", b.rank(x));
  if (in.arg("size").integer() == nullptr) return pieces(b, x, d, in.integers("size"));
  const Sym extent = b.shape(x).at(at(d)), size = in.integer("size");
  // as many as PyTorch made, where the sizes alone do not say
  const std::optional<std::int64_t> count = in.has("count") ? in.integer("count").constant() : ir::ceil_div(extent, size).constant();
  if (!count) in.fail(fmt::format("the number of pieces of {} elements each depends on the size", size.text()));
  in.need(*count >= 0 && *count <= kMostPieces, "it has too many pieces");
  std::vector<Sym> sizes(static_cast<std::size_t>(*count), size);
  if (!sizes.empty()) sizes.back() = extent - size * (*count - 1);
  return pieces(b, x, d, sizes);
}

Arg chunk(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int d = in.dim("dim", b.rank(x));
  const Sym extent = b.shape(x).at(at(d));
  const std::int64_t wanted = in.fixed("chunks", 1);
  in.need(wanted >= 1 && wanted <= kMostPieces, "there are too many chunks, or none");
  const Sym size = ir::ceil_div(extent, wanted);
  std::int64_t count = ir::ceil_div(extent, size).constant().value_or(wanted);
  in.need(count >= 1 && count <= wanted, "x cannot be cut into them");
  std::vector<Sym> sizes(static_cast<std::size_t>(count), size);
  sizes.back() = extent - size * (count - 1);
  return pieces(b, x, d, sizes);
}

Arg unbind(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 1);
  const int d = in.dim("dim", b.rank(x));
  const std::optional<std::int64_t> count = b.shape(x).at(at(d)).constant();
  if (!count) in.fail("the number of pieces depends on the size");
  in.need(*count <= kMostPieces, "it has too many pieces");
  ArgList out;
  const Shape to = without(b.shape(x), {d});
  for (std::int64_t k = 0; k < *count; ++k) {
    std::vector<Sym> index = ir::index_symbols(to);
    index.insert(index.begin() + d, Sym(k));
    out.push_back(tensor_arg(b.remap(x, to, index)));
  }
  return Arg{out};
}

Arg repeat(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  Shape to = in.integers("repeats");
  in.need(to.size() >= b.shape(x).size(), "repeats has fewer numbers than the tensor has dimensions");
  const std::size_t missing = to.size() - b.shape(x).size();
  const Shape from = b.shape(x);
  for (std::size_t d = missing; d < to.size(); ++d) to[d] = to[d] * from[d - missing];
  const std::vector<Sym> symbols = ir::index_symbols(to);
  std::vector<Sym> index;
  for (std::size_t d = 0; d < from.size(); ++d) index.push_back(ir::modulo(symbols[d + missing], from[d]));
  return tensor_arg(b.remap(x, to, index));
}

Arg repeat_interleave(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  if (!in.has("dim")) x = b.reshape(x, {ir::product(b.shape(x))});
  const int d = in.has("dim") ? in.dim("dim", b.rank(x)) : 0;
  const Sym times = in.integer("times");
  in.need(times.constant().value_or(0) >= 0, "times is negative");
  Shape to = b.shape(x);
  to.at(at(d)) = to.at(at(d)) * times;
  std::vector<Sym> index = ir::index_symbols(to);
  index.at(at(d)) = ir::floor_div(index.at(at(d)), times);
  return tensor_arg(b.remap(x, to, index));
}

// Windows along the last dimensions: [.., h, w] -> [.., oh, ow, kh, kw]; outside is `fill`. `extra` widens the range that
// windows may start in (ceil_mode).
Arg windows(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const std::size_t dims = in.integers("size").size();
  const int n = static_cast<int>(dims), first = b.rank(x) - n;
  in.need(n > 0 && first >= 0, "size has other dimensions than x");
  const std::vector<Sym> size = in.positive("size", dims, {}), stride = in.positive("stride", dims, size), padding = in.integers("padding", dims, {0}),
                         dilation = in.positive("dilation", dims, {1});
  const bool ceil_mode = in.flag("ceil_mode", false);
  Shape to(b.shape(x).begin(), b.shape(x).begin() + first), counts;
  for (int k = 0; k < n; ++k) {
    const Sym extent = b.shape(x).at(at(first + k));
    const Sym span = extent + padding.at(at(k)) * 2 - dilation.at(at(k)) * (size.at(at(k)) - 1) - 1;
    Sym count = ir::floor_div(span, stride.at(at(k))) + 1;
    if (ceil_mode) {  // one more window, if it starts inside the tensor or its left padding
      const Sym more = ir::floor_div(span + stride.at(at(k)) - 1, stride.at(at(k))) + 1;
      count = ir::minimum(more, ir::ceil_div(extent + padding.at(at(k)), stride.at(at(k))));
    }
    counts.push_back(count);
    to.push_back(b.named_extent(extent_name(at(k), at(n)), count));
  }
  for (const Sym& k : size) to.push_back(k);
  const std::vector<Sym> symbols = ir::index_symbols(to);
  std::vector<Sym> index(symbols.begin(), symbols.begin() + first), valid;
  for (int k = 0; k < n; ++k) {
    const Sym place = symbols.at(at(first + k)) * stride.at(at(k)) + symbols.at(at(first + n + k)) * dilation.at(at(k)) - padding.at(at(k));
    index.push_back(place);
    valid.push_back(place);
    // that the last window lies inside is seen from the expression only
    const Sym last = b.shape(x).at(at(first + k)) - 1;
    const Sym furthest = Sym::index("o", counts.at(at(k))) * stride.at(at(k)) + Sym::index("k", size.at(at(k))) * dilation.at(at(k)) - padding.at(at(k));
    if (!ir::is_at_most(furthest, last)) valid.push_back(last - place);
  }
  return tensor_arg(b.remap(x, to, index, valid, in.number("fill", 0)));
}

// Tensor.unfold: windows along one dimension, their elements last.
Arg unfold(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int d = in.dim("dim", b.rank(x));
  const Sym size = in.integer("size"), step = in.positive("step", 1, {})[0];
  Shape to = b.shape(x);
  to.at(at(d)) = ir::floor_div(to.at(at(d)) - size, step) + 1;
  to.push_back(size);
  std::vector<Sym> index = ir::index_symbols(to);
  index.at(at(d)) = index.at(at(d)) * step + index.back();
  index.pop_back();
  return tensor_arg(b.remap(x, to, index));
}

Arg diagonal(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int rank = b.rank(x), first = in.has("dim1") ? in.dim("dim1", rank) : 0, second = in.has("dim2") ? in.dim("dim2", rank) : 1;
  const Sym offset = in.integer_or("offset", 0);
  in.need(rank >= 2 && first != second, "there is no such diagonal");
  const bool below = offset.constant().value_or(0) < 0;
  const Sym rows = b.shape(x).at(at(first)) + (below ? offset : Sym(0)), columns = b.shape(x).at(at(second)) - (below ? Sym(0) : offset);
  Shape to = without(b.shape(x), {first, second});
  to.push_back(ir::minimum(rows, columns));
  std::vector<Sym> symbols = ir::index_symbols(to), index(at(rank));
  std::size_t next = 0;
  for (int d = 0; d < rank; ++d) {
    if (d != first && d != second) index.at(at(d)) = symbols[next++];
  }
  index.at(at(first)) = symbols.back() - (below ? offset : Sym(0));
  index.at(at(second)) = symbols.back() + (below ? Sym(0) : offset);
  return tensor_arg(b.remap(x, to, index));
}

// A matrix of zeros with the vector on one of its diagonals.
Arg diagonal_matrix(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 1);
  const std::int64_t offset = in.fixed("offset", 0);
  in.need(offset > INT64_MIN, "there is no such diagonal");
  const Sym extent = b.shape(x)[0] + (offset < 0 ? -offset : offset);
  const std::vector<Sym> i = ir::index_symbols({extent, extent});
  const Sym place = i[0] - (offset < 0 ? -offset : 0), off = i[1] - i[0] - offset;
  return tensor_arg(b.remap(x, {extent, extent}, {place}, {place, b.shape(x)[0] - 1 - place, off, Sym(0) - off}, 0));
}

constexpr Function kFunctions[] = {
    {"cat", "parts, dim", cat},
    {"chunk", "x, chunks, dim", chunk},
    {"diagonal", "x, offset, dim1, dim2", diagonal},
    {"diagonal_matrix", "x, offset", diagonal_matrix},
    {"expand", "x, shape", expand},
    {"flatten", "x, start, end", flatten},
    {"flip", "x, dims", flip},
    {"movedim", "x, source, destination", movedim},
    {"pad", "x, pads, mode, value", pad},
    {"permute", "x, dims", permute},
    {"repeat", "x, repeats", repeat},
    {"repeat_interleave", "x, times, dim", repeat_interleave},
    {"reshape", "x, shape", reshape},
    {"reversed", "x", reversed},
    {"roll", "x, shifts, dims", roll},
    {"select", "x, dim, index", select},
    {"slice", "x, dim, start, end, step", slice},
    {"split", "x, size, dim, count", split},
    {"squeeze", "x, dim", squeeze},
    {"stack", "parts, dim", stack},
    {"transpose", "x, a, b", transpose},
    {"unbind", "x, dim", unbind},
    {"unflatten", "x, dim, sizes", unflatten},
    {"unfold", "x, dim, size, step", unfold},
    {"unsqueeze", "x, dim", unsqueeze},
    {"windows", "x, size, stride, padding, dilation, ceil_mode, fill", windows},
};

}  // namespace

std::span<const Function> view_functions() {
  return kFunctions;
}

}  // namespace ka::graph

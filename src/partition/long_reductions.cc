// reduce over n of [rows, n]  =  reduce over parts of [rows, parts] <- reduce over length of [rows, parts, length], where
// parts * length >= n and what lies behind the end is the kind's neutral element:
//
//   n = 10, parts = 3, length = 4:   [ 0 1 2 3 | 4 5 6 7 | 8 9 . . ]
//
// The length is a multiple of kAlignment, so that parts begin where memory is aligned. Dimensions that are not neighbours
// (a batch norm's n, h, w) are reduced one run after the other where this gives enough programs: no index has to be divided.
#include "partition/long_reductions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>


namespace ka::partition {
namespace {

using ir::DType;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kAlignment = 128;
constexpr std::int64_t kLeastLength = 1024;       // of a part
constexpr std::int64_t kLongWork = 8 * 1024;     // elements of one program, above which it is worth a second kernel
constexpr std::int64_t kLongestChain = 1024;      // additions, one after the other
constexpr std::int64_t kRowLanes = 2048;          // columns that a program adds at the same time, along a row
constexpr std::int64_t kAcrossLanes = 32, kAcrossRows = 64;  // where rows are neighbours in memory

// A reduction as [outer, n, inner]: `inner` are the dimensions behind the last one that is reduced.
struct Layout {
  std::vector<int> outer, reduced, inner;
  Shape outer_extents, inner_extents;
  Sym n;
};

Layout layout_of(const Shape& shape, const std::vector<int>& dims) {
  Layout out{{}, dims, {}, {}, {}, 1};
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    const Sym& extent = shape[static_cast<std::size_t>(d)];
    if (std::find(dims.begin(), dims.end(), d) != dims.end()) {
      out.n = out.n * extent;
    } else {
      (d > dims.back() ? out.inner : out.outer).push_back(d);
      (d > dims.back() ? out.inner_extents : out.outer_extents).push_back(extent);
    }
  }
  return out;
}

struct Load {
  std::int64_t programs = 1, elements = 1, chain = 1;  // elements and additions of one program
};

Load load_of(const Layout& layout, const DerivedSizes& sizes) {
  const std::int64_t outer = sizes.given(ir::product(layout.outer_extents)), inner = sizes.given(ir::product(layout.inner_extents));
  const std::int64_t n = sizes.given(layout.n);
  if (inner < kAcrossLanes) return {outer * inner, n, n / kRowLanes};
  return {(outer * inner + kAcrossRows - 1) / kAcrossRows, n * kAcrossRows, n / kAcrossLanes};
}

bool is_long(const Load& load, const ir::Gpu& gpu) {
  return (load.programs < gpu.wanted_programs() && load.elements > kLongWork) || load.chain > kLongestChain;
}

// Why a reduction is split, in the time that memory takes.
void explain(const Rewriting& here, const std::string& kind, ir::DType dtype, const Layout& layout, const Load& load, std::int64_t parts) {
  const ir::Gpu& gpu = here.gpu;
  const double rows = static_cast<double>(here.sizes.given(ir::product(layout.outer_extents) * ir::product(layout.inner_extents))), n = static_cast<double>(here.sizes.given(layout.n));
  const double bytes = rows * n * static_cast<double>(ir::size_of(dtype));
  const double share = std::min(1.0, static_cast<double>(load.programs) / static_cast<double>(gpu.wanted_programs()));
  const std::string what = fmt::format("{} of {:.0f} rows of {:.0f}", kind, rows, n);
  if (share < 1)
    here.decide(what, fmt::format("in {} parts, {} instead of {} ({} programs for {} multiprocessors)", parts, time_text(bytes / gpu.bytes + gpu.launch_seconds), time_text(bytes / gpu.bytes / share), load.programs, gpu.multiprocessors));
  else
    here.decide(what, fmt::format("in {} parts, one more launch of {} so that at most {} numbers are taken one after the other", parts, time_text(gpu.launch_seconds), kLongestChain));
}

bool are_neighbours(const std::vector<int>& dims) {
  return dims.back() - dims.front() + 1 == static_cast<int>(dims.size());
}

// What changes nothing. There is none for the smallest int64 that a double could hold.
std::optional<double> neutral(const std::string& kind, DType dtype) {
  const bool lowest = kind == "max" || kind == "argmax", highest = kind == "min" || kind == "argmin";
  if (kind == "sum" || kind == "any") return 0;
  if (kind == "prod" || kind == "all") return 1;
  if (!lowest && !highest) return std::nullopt;
  if (ir::is_float(dtype)) return lowest ? -INFINITY : INFINITY;
  if (dtype == DType::bool_) return lowest ? 0 : 1;
  const bool is_unsigned = dtype == DType::uint8;
  const double bits = 8.0 * static_cast<double>(ir::size_of(dtype)) - (is_unsigned ? 0 : 1);
  if (highest && dtype == DType::int64) return std::nullopt;
  return lowest ? (is_unsigned ? 0 : -std::exp2(bits)) : std::exp2(bits) - 1;
}

std::vector<int> attribute_dims(const ir::Node& node) {
  std::vector<int> dims;
  for (const Sym& d : ir::ints_attribute(node, "dims")) dims.push_back(static_cast<int>(*d.constant()));
  return dims;
}

// The operand with a dimension `parts` and a dimension `length` in the place of those that are reduced.
struct Parts {
  ValueId x;
  int dim;  // of parts
  Sym count, length;
};

Parts parted(Rewriting& here, ValueId x, const std::string& kind, const Layout& layout, double fill) {
  ir::Builder& b = here.builder;
  const Load load = load_of(layout, here.sizes);
  std::int64_t most = 2;
  while (most * load.programs < here.gpu.wanted_programs() * 2 || load.chain / most > kLongestChain) most *= 2;
  const std::int64_t least = ir::product(layout.inner_extents).is(1) ? kLeastLength : kLeastLength / kAcrossLanes;
  const std::int64_t step = std::min(kAlignment, least);
  const Sym count = here.sizes.size("parts", ir::minimum(most, ir::ceil_div(layout.n, least)));
  explain(here, kind, b.type(x).dtype, layout, load, here.sizes.given(count));
  const Sym length = here.sizes.size("part_length", ir::ceil_div(layout.n, count * step) * step);
  std::vector<int> order = layout.outer;
  order.insert(order.end(), layout.reduced.begin(), layout.reduced.end());
  order.insert(order.end(), layout.inner.begin(), layout.inner.end());
  Shape flat = layout.outer_extents, apart = layout.outer_extents;
  flat.push_back(layout.n);
  apart.insert(apart.end(), {count, length});
  flat.insert(flat.end(), layout.inner_extents.begin(), layout.inner_extents.end());
  apart.insert(apart.end(), layout.inner_extents.begin(), layout.inner_extents.end());
  const std::size_t at = layout.outer_extents.size();
  const std::vector<Sym> symbols = ir::index_symbols(apart);
  const Sym place = symbols[at] * length + symbols[at + 1];
  std::vector<Sym> index = symbols;
  index[at] = place;
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  const ValueId row = b.reshape(b.permute(x, order), flat);
  const Sym end = here.sizes.size("row_length", layout.n);  // one number: it may be too large to be multiplied in a kernel
  return {b.remap(row, apart, index, {end - 1 - place}, fill), static_cast<int>(at), count, length};
}

// A reduced dimension taken out of the shape.
ValueId reduced_away(ir::Builder& b, const std::string& kind, ValueId x, int dim) {
  const ValueId out = b.reduce(kind, x, {dim});
  Shape shape = b.shape(out);
  shape.erase(shape.begin() + dim);
  return b.reshape(out, shape);
}

// A sum over rows that is measured from one number of each row, `centre`, where the same rows are also reduced by `beside`, which was split: values of the old graph.
struct Measured {
  ValueId x, centre;
  std::vector<int> dims;
};

std::optional<Measured> measured_sum(const Rewriting& here, const char* op, const std::string& beside) {
  const ir::Graph& old = here.old;
  const auto made_by = [&](ValueId value, const char* wanted) {
    const ir::Node* node = old.maker(value);
    return node != nullptr && node->op == wanted ? node : nullptr;
  };
  if (here.node.op != "reduce" || ir::text_attribute(here.node, "kind") != "sum") return std::nullopt;
  const ir::Node* outer = made_by(here.node.inputs[0], op);
  const ir::Node* distance = outer == nullptr || outer->inputs.front() != outer->inputs.back() ? nullptr : made_by(outer->inputs[0], "sub");
  if (distance == nullptr) return std::nullopt;
  const Measured out{distance->inputs[0], distance->inputs[1], attribute_dims(here.node)};
  if (out.dims.empty() || !are_neighbours(out.dims) || !ir::is_float(old.type(out.x).dtype) || old.shape(out.x) != old.shape(here.node.inputs[0])) return std::nullopt;
  if (old.shape(out.centre) != old.shape(here.node.outputs[0])) return std::nullopt;
  const bool found = std::any_of(old.nodes.begin(), old.nodes.end(), [&](const ir::Node& node) {
    return node.op == "reduce" && ir::text_attribute(node, "kind") == beside && node.inputs[0] == out.x && attribute_dims(node) == out.dims;
  });
  return found ? std::optional(out) : std::nullopt;
}

// One number for each row beside the parts of the rows.
ValueId beside_parts(Rewriting& here, ValueId centre, const Layout& layout) {
  Shape shape = layout.outer_extents;
  shape.push_back(1);
  shape.insert(shape.end(), layout.inner_extents.begin(), layout.inner_extents.end());
  return here.builder.reshape(here.moved(centre), shape);
}

ValueId without_dim(ir::Builder& b, ValueId x, int dim) {
  Shape shape = b.shape(x);
  shape.erase(shape.begin() + dim);
  return b.reshape(x, shape);
}

// The best of the parts and, in that part, the place of it; the first of equals in both.
ValueId place_of_best(ir::Builder& b, const Parts& parts, const std::string& kind) {
  const std::string best = kind == "argmax" ? "max" : "min";
  const ValueId values = reduced_away(b, best, parts.x, parts.dim + 1), places = reduced_away(b, kind, parts.x, parts.dim + 1);
  const ValueId part = b.reduce(kind, values, {parts.dim});
  std::vector<Sym> index = ir::index_symbols(b.shape(part));
  index[static_cast<std::size_t>(parts.dim)] = Sym::index("t0", parts.count);
  const ValueId place = b.gather(places, {part}, b.shape(part), index);
  return b.elementwise("add", {b.elementwise("mul", {part, b.index({}, parts.length)}), place});
}

}  // namespace

std::optional<ValueId> split_reduction(Rewriting& here, ValueId x, const std::string& kind, const std::vector<int>& dims) {
  ir::Builder& b = here.builder;
  const Layout layout = layout_of(b.shape(x), dims);
  if (dims.empty() || !is_long(load_of(layout, here.sizes), here.gpu)) return std::nullopt;
  Shape kept = b.shape(x);
  for (const int d : dims) kept[static_cast<std::size_t>(d)] = 1;
  if (!are_neighbours(dims)) {
    const auto gap = std::adjacent_find(dims.rbegin(), dims.rend(), [](int later, int earlier) { return earlier + 1 != later; });
    const std::vector<int> last(gap.base() - 1, dims.end()), before(dims.begin(), gap.base() - 1);
    const Load load = load_of(layout_of(b.shape(x), last), here.sizes);
    if (load.programs >= here.gpu.wanted_programs() / 2 && load.elements >= kLeastLength) {
      const ValueId inner = split_reduction(here, x, kind, last).value_or(b.reduce(kind, x, last));
      return split_reduction(here, inner, kind, before).value_or(b.reduce(kind, inner, before));
    }
  }
  const std::optional<double> fill = neutral(kind, b.type(x).dtype);
  if (!fill) return std::nullopt;
  const Parts parts = parted(here, x, kind, layout, *fill);
  if (kind == "argmax" || kind == "argmin") return b.reshape(place_of_best(b, parts, kind), kept);
  return b.reshape(b.reduce(kind, reduced_away(b, kind, parts.x, parts.dim + 1), {parts.dim}), kept);
}

std::optional<ValueId> split_reduction(Rewriting& here) {
  if (here.node.op != "reduce") return std::nullopt;
  return split_reduction(here, here.inputs[0], ir::text_attribute(here.node, "kind"), attribute_dims(here.node));
}

std::optional<ValueId> split_exponentials(Rewriting& here) {
  ir::Builder& b = here.builder;
  const std::optional<Measured> sum = measured_sum(here, "exp", "max");
  if (!sum) return std::nullopt;
  const Layout layout = layout_of(here.old.shape(sum->x), sum->dims);
  if (!is_long(load_of(layout, here.sizes), here.gpu)) return std::nullopt;
  const Parts parts = parted(here, here.moved(sum->x), "sum", layout, -INFINITY);
  const DType dtype = b.type(parts.x).dtype;
  const ValueId largest = b.reduce("max", parts.x, {parts.dim + 1});
  // an infinite one is no number to measure from; what it does to the sum is seen when that is moved to the row's
  const ValueId infinite = b.elementwise("eq", {b.elementwise("abs", {largest}), b.constant(INFINITY, dtype)});
  const ValueId from = b.elementwise("where", {infinite, b.constant(0, dtype), largest});
  const ValueId own = reduced_away(b, "sum", b.elementwise("exp", {b.elementwise("sub", {parts.x, from})}), parts.dim + 1);
  const ValueId apart = b.elementwise("sub", {without_dim(b, largest, parts.dim + 1), beside_parts(here, sum->centre, layout)});
  const ValueId moved = b.elementwise("mul", {own, b.elementwise("exp", {apart})});
  return b.reshape(b.reduce("sum", moved, {parts.dim}), here.old.shape(here.node.outputs[0]));
}

std::optional<ValueId> split_distances(Rewriting& here) {
  ir::Builder& b = here.builder;
  const std::optional<Measured> sum = measured_sum(here, "mul", "sum");
  if (!sum) return std::nullopt;
  const Layout layout = layout_of(here.old.shape(sum->x), sum->dims);
  if (!is_long(load_of(layout, here.sizes), here.gpu)) return std::nullopt;
  const Parts parts = parted(here, here.moved(sum->x), "sum", layout, 0);
  const DType dtype = b.type(parts.x).dtype;
  const Shape shape = b.shape(parts.x);
  const std::size_t part = static_cast<std::size_t>(parts.dim);
  const std::vector<Sym> at = ir::index_symbols(shape);
  const Sym end = here.sizes.size("row_length", layout.n);
  Shape each(shape.size(), 1);
  each[part] = parts.count;
  // the last part may be shorter, and parts behind the end are empty
  const ValueId rest = b.index(each, end - at[part] * parts.length), whole = b.index({}, parts.length), one = b.index({}, 1);
  const ValueId length = b.elementwise("minimum", {rest, whole});
  const ValueId count = b.cast(b.elementwise("maximum", {length, b.index({}, 0)}), dtype);
  const ValueId own = b.elementwise("div", {b.reduce("sum", parts.x, {parts.dim + 1}), b.cast(b.elementwise("maximum", {length, one}), dtype)});
  const auto squared = [&](ValueId value) { return b.elementwise("mul", {value, value}); };
  Shape line = each;
  line[part + 1] = parts.length;
  const ValueId inside = b.elementwise("lt", {b.index(line, at[part] * parts.length + at[part + 1]), b.index({}, end)});
  const ValueId within = reduced_away(b, "sum", b.elementwise("where", {inside, squared(b.elementwise("sub", {parts.x, own})), b.constant(0, dtype)}), parts.dim + 1);
  const ValueId apart = b.elementwise("sub", {without_dim(b, own, parts.dim + 1), beside_parts(here, sum->centre, layout)});
  const ValueId between = b.elementwise("mul", {without_dim(b, count, parts.dim + 1), squared(apart)});
  return b.reshape(b.reduce("sum", b.elementwise("add", {within, between}), {parts.dim}), here.old.shape(here.node.outputs[0]));
}

std::optional<ValueId> split_squares(Rewriting& here) {
  ir::Builder& b = here.builder;
  const auto made_by = [&](ValueId value, const char* op) {
    const ir::Node* node = b.graph().maker(value);
    return node != nullptr && node->op == op ? node : nullptr;
  };
  if (here.node.op != "reduce" || ir::text_attribute(here.node, "kind") != "sum") return std::nullopt;
  const ir::Node* square = made_by(here.inputs[0], "mul");
  if (square == nullptr || square->inputs[0] != square->inputs[1]) return std::nullopt;
  const ir::Node* distance = made_by(square->inputs[0], "sub");
  const ir::Node* mean = distance == nullptr ? nullptr : made_by(distance->inputs[1], "div");
  const ir::Node* whole = mean == nullptr ? nullptr : made_by(mean->inputs[0], "reduce");
  const ir::Node* part = whole == nullptr ? nullptr : made_by(whole->inputs[0], "reduce");
  if (part == nullptr || part->inputs[0] != distance->inputs[0]) return std::nullopt;
  for (const ir::Node* sum : {whole, part}) {
    if (ir::text_attribute(*sum, "kind") != "sum") return std::nullopt;
  }
  const ValueId x = part->inputs[0], sums = part->outputs[0], centre = mean->outputs[0];
  const std::vector<int> inner = attribute_dims(*part), outer = attribute_dims(*whole);
  std::vector<int> dims = outer;
  dims.insert(dims.end(), inner.begin(), inner.end());
  std::sort(dims.begin(), dims.end());
  if (dims != attribute_dims(here.node)) return std::nullopt;
  Sym extent = 1;
  for (const int d : inner) extent = extent * b.shape(x)[static_cast<std::size_t>(d)];
  const auto squared = [&](ValueId value) { return b.elementwise("mul", {value, value}); };
  const ValueId count = b.cast(b.index({}, extent), b.type(x).dtype);
  const ValueId own = b.elementwise("div", {sums, count});
  const ValueId within = b.reduce("sum", squared(b.elementwise("sub", {x, own})), inner);
  const ValueId between = b.elementwise("mul", {count, squared(b.elementwise("sub", {own, centre}))});
  return b.reduce("sum", b.elementwise("add", {within, between}), outer);
}

}  // namespace ka::partition

// [b, m, k] x [b, k, n] with few tiles and a long k is [b * parts, m, length] x [b * parts, length, n], summed over the parts:
// more programs, shorter chains of additions, and the same result in every run, for no order is left to chance.
#include "partition/products.h"

#include <algorithm>

#include <fmt/format.h>

#include "partition/long_reductions.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Node;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kTile = 64;
constexpr std::int64_t kLongDepth = 2048;
constexpr std::int64_t kLeastLength = 512;
constexpr std::int64_t kAlignment = 64;

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// The 16-bit value that a float32 operand is a view of.
std::optional<ValueId> narrowed(ir::Builder& b, ValueId value) {
  if (is_half(b.type(value).dtype)) return value;
  const Node* found = b.graph().maker(value);
  if (found == nullptr) return std::nullopt;
  const Node node = *found;  // the builder may move its nodes
  if (node.op == "cast" && b.type(value).dtype == DType::float32 && is_half(b.type(node.inputs[0]).dtype)) return node.inputs[0];
  if (node.op != "reshape" && node.op != "permute" && node.op != "remap") return std::nullopt;
  const std::optional<ValueId> x = narrowed(b, node.inputs[0]);
  if (!x) return std::nullopt;
  return b.node(node.op, {*x}, node.attributes, {{b.type(*x).dtype, b.shape(value)}})[0];
}

ValueId multiplied(ir::Builder& b, ValueId x, ValueId y) {
  const Shape shape{b.shape(x)[0], b.shape(x)[1], b.shape(y)[2]};
  return b.node("matmul", {x, y}, {}, {{DType::float32, shape}})[0];
}

// A sum of products along rows; each operand is read as it lies.
ValueId row_sums(Rewriting& here, ValueId x, ValueId y) {
  ir::Builder& b = here.builder;
  const Shape rows = b.shape(x), columns = b.shape(y);
  x = b.cast(x, DType::float32);
  y = b.cast(y, DType::float32);
  const ValueId left = b.reshape(x, {rows[0], rows[1], 1, rows[2]});
  const ValueId right = b.reshape(b.permute(y, {0, 2, 1}), {columns[0], 1, columns[2], columns[1]});
  const ValueId product = b.node("mul", {left, right}, {{"operands_kept", true}}, {{DType::float32, {rows[0], rows[1], columns[2], rows[2]}}})[0];
  const ValueId sum = split_reduction(here, product, "sum", {3}).value_or(b.reduce("sum", product, {3}));
  return b.reshape(sum, {rows[0], rows[1], columns[2]});
}

// How many parts the depth is cut into; 1: none.
std::int64_t parts_of(const Rewriting& here, const Shape& x, const Shape& y) {
  const DerivedSizes& sizes = here.sizes;
  const auto tiles_of = [&](const Sym& extent) { return (sizes.given(extent) + kTile - 1) / kTile; };
  const std::int64_t tiles = sizes.given(x[0]) * tiles_of(x[1]) * tiles_of(y[2]), depth = sizes.given(x[2]), most = here.gpu.multiprocessors;
  if (depth < kLongDepth || tiles * 2 > most) return 1;
  std::int64_t parts = 1;
  while (tiles * parts < most * 2 && depth / (parts * 2) >= kLeastLength) parts *= 2;
  const double rows = static_cast<double>(sizes.given(x[0] * x[1])), columns = static_cast<double>(sizes.given(y[2]));
  const auto seconds = [&](std::int64_t programs) {
    return 2 * rows * columns * static_cast<double>(depth) / here.gpu.float_products / std::min(1.0, static_cast<double>(programs) / static_cast<double>(most));
  };
  const double more = 8 * rows * columns * static_cast<double>(parts) / here.gpu.bytes + here.gpu.launch_seconds;
  here.decide(fmt::format("product with a depth of {}", depth), fmt::format("in {} parts, {} and {} to add them instead of {} ({} tiles for {} multiprocessors)", parts, time_text(seconds(tiles * parts)), time_text(more), time_text(seconds(tiles)), tiles, most));
  return parts;
}

ValueId in_parts(Rewriting& here, ValueId x, ValueId y, std::int64_t most) {
  ir::Builder& b = here.builder;
  const Sym batch = b.shape(x)[0], rows = b.shape(x)[1], depth = b.shape(x)[2], columns = b.shape(y)[2];
  // at small sizes fewer parts: an empty one would be computed all the same
  const Sym parts = here.sizes.size("parts", ir::minimum(most, ir::ceil_div(depth, kAlignment)));
  const Sym length = here.sizes.size("part_length", ir::ceil_div(depth, parts * kAlignment) * kAlignment);
  const Shape left{batch * parts, rows, length}, right{batch * parts, length, columns};
  const std::vector<Sym> at_left = ir::index_symbols(left), at_right = ir::index_symbols(right);
  const auto place = [&](const std::vector<Sym>& at, const Sym& inside) { return ir::modulo(at[0], parts) * length + inside; };
  const Sym in_left = place(at_left, at_left[2]), in_right = place(at_right, at_right[1]);
  const ValueId a = b.remap(x, left, {ir::floor_div(at_left[0], parts), at_left[1], in_left}, {depth - 1 - in_left}, 0);
  const ValueId c = b.remap(y, right, {ir::floor_div(at_right[0], parts), in_right, at_right[2]}, {depth - 1 - in_right}, 0);
  const ValueId apart = b.reshape(multiplied(b, a, c), {batch, parts, rows, columns});
  return b.reshape(b.reduce("sum", apart, {1}), {batch, rows, columns});
}

}  // namespace

bool are_halves(ir::Builder& b, ValueId x, ValueId y) {
  const std::optional<ValueId> small_x = narrowed(b, x), small_y = narrowed(b, y);
  return small_x && small_y && b.type(*small_x).dtype == b.type(*small_y).dtype;
}

std::optional<ValueId> narrow_product(Rewriting& here) {
  if (here.node.op != "matmul") return std::nullopt;
  ir::Builder& b = here.builder;
  const DType dtype = b.type(here.inputs[0]).dtype;
  const ValueId x = narrowed(b, here.inputs[0]).value_or(here.inputs[0]), y = narrowed(b, here.inputs[1]).value_or(here.inputs[1]);
  return b.cast(multiplied(b, x, y), dtype);
}

std::optional<ValueId> arranged_product(Rewriting& here) {
  if (here.node.op != "matmul") return std::nullopt;
  ir::Builder& b = here.builder;
  ValueId x = here.inputs[0], y = here.inputs[1];
  const DType dtype = b.graph().type(x).dtype;
  if (are_halves(b, x, y)) {
    x = *narrowed(b, x);
    y = *narrowed(b, y);
  }
  if (b.shape(x)[1].is(1) || b.shape(y)[2].is(1)) return b.cast(row_sums(here, x, y), dtype);
  const std::int64_t parts = parts_of(here, b.shape(x), b.shape(y));
  if (parts > 1) return b.cast(in_parts(here, x, y, parts), dtype);
  if (x == here.inputs[0]) return std::nullopt;
  return b.cast(multiplied(b, x, y), dtype);
}

}  // namespace ka::partition

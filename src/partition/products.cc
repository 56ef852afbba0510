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

std::int64_t tiles_of(const Rewriting& here, const Shape& x, const Shape& y) {
  const auto along = [&](const Sym& extent) { return (here.sizes.given(extent) + kTile - 1) / kTile; };
  return here.sizes.given(x[0]) * along(x[1]) * along(y[2]);
}

// How many parts the depth is cut into.
std::int64_t parts_of(const Rewriting& here, const Shape& x, const Shape& y, double rate) {
  const DerivedSizes& sizes = here.sizes;
  const std::int64_t tiles = tiles_of(here, x, y), depth = sizes.given(x[2]), most = here.gpu.multiprocessors;
  std::int64_t parts = 1;
  while (tiles * parts < most * 2 && depth / (parts * 2) >= kLeastLength) parts *= 2;
  const double rows = static_cast<double>(sizes.given(x[0] * x[1])), columns = static_cast<double>(sizes.given(y[2]));
  const auto seconds = [&](std::int64_t programs) {
    return 2 * rows * columns * static_cast<double>(depth) / rate / std::min(1.0, static_cast<double>(programs) / static_cast<double>(most));
  };
  const double more = 8 * rows * columns * static_cast<double>(parts) / here.gpu.bytes + here.gpu.launch_seconds;
  here.decide(fmt::format("product with a depth of {}", depth), fmt::format("in {} parts, {} and {} to add them instead of {} ({} tiles for {} multiprocessors)", parts, time_text(seconds(tiles * parts)), time_text(more), time_text(seconds(tiles)), tiles, most));
  return parts;
}

}  // namespace

bool DepthParts::suit(const Rewriting& here, const Shape& x, const Shape& y) {
  return here.sizes.given(x[2]) >= kLongDepth && tiles_of(here, x, y) * 2 <= here.gpu.multiprocessors;
}

std::optional<DepthParts> DepthParts::of(Rewriting& here, const Shape& x, const Shape& y, double rate) {
  if (!suit(here, x, y)) return std::nullopt;
  const std::int64_t most = parts_of(here, x, y, rate);
  DepthParts out;
  out.batch_ = x[0];
  out.depth_ = x[2];
  // at small sizes fewer parts: an empty one would be computed all the same
  out.parts_ = here.sizes.size("parts", ir::minimum(most, ir::ceil_div(out.depth_, kAlignment)));
  out.length_ = here.sizes.size("part_length", ir::ceil_div(out.depth_, out.parts_ * kAlignment) * kAlignment);
  return out;
}

ValueId DepthParts::left(ir::Builder& b, ValueId x) const {
  const Shape to{batch_ * parts_, b.shape(x)[1], length_};
  const std::vector<Sym> at = ir::index_symbols(to);
  const Sym place = ir::modulo(at[0], parts_) * length_ + at[2];
  return b.remap(x, to, {ir::floor_div(at[0], parts_), at[1], place}, {depth_ - 1 - place}, 0);
}

ValueId DepthParts::right(ir::Builder& b, ValueId y) const {
  const Shape to{batch_ * parts_, length_, b.shape(y)[2]};
  const std::vector<Sym> at = ir::index_symbols(to);
  const Sym place = ir::modulo(at[0], parts_) * length_ + at[1];
  return b.remap(y, to, {ir::floor_div(at[0], parts_), place, at[2]}, {depth_ - 1 - place}, 0);
}

ValueId DepthParts::added(ir::Builder& b, ValueId product) const {
  const Sym rows = b.shape(product)[1], columns = b.shape(product)[2];
  const ValueId apart = b.reshape(product, {batch_, parts_, rows, columns});
  return b.reshape(b.reduce("sum", apart, {1}), {batch_, rows, columns});
}

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
  if (const std::optional<DepthParts> parts = DepthParts::of(here, b.shape(x), b.shape(y), here.gpu.float_products)) {
    return b.cast(parts->added(b, multiplied(b, parts->left(b, x), parts->right(b, y))), dtype);
  }
  if (x == here.inputs[0]) return std::nullopt;
  return b.cast(multiplied(b, x, y), dtype);
}

}  // namespace ka::partition

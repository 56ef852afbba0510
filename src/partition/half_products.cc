#include "partition/half_products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "ir/plan.h"
#include "ir/window.h"
#include "partition/image_rows.h"
#include "partition/long_reductions.h"
#include "partition/products.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Node;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

constexpr double kTopExponent = 14;      // of the largest number of a row, when scaled; float16 ends below 2^16
constexpr double kLeastExponent = -110;  // rows of smaller numbers are scaled by what 2^-110 needs: the factor stays finite
constexpr double kSmallestTile = 64;     // side of the smallest tile of results
constexpr double kLeastDepth = 32;
constexpr double kWidestParts = 128;     // heads of attention: sums, scores and both parts of the weights share the registers

ValueId number(ir::Builder& b, double value) { return b.constant(value, DType::float32); }

// The exponent of the largest finite number along `dims`. What is compared is computed where it is read, not where `x` is: `of_rows` says
// that `x` may have been made row by row, so that this can go on in the same kernel.
ValueId exponent(Rewriting& here, ValueId x, const std::vector<int>& dims, bool of_rows) {
  ir::Builder& b = here.builder;
  const ir::Attributes apart{{"apart", std::string(of_rows ? "from products" : "always")}};
  const ValueId size = b.node("abs", {x}, apart, {b.type(x)})[0];
  const ValueId finite = b.node("lt", {size, number(b, std::numeric_limits<double>::infinity())}, apart, {{DType::bool_, b.shape(x)}})[0];
  const ValueId counted = b.node("where", {finite, size, number(b, 0)}, apart, {b.type(x)})[0];
  const ValueId largest = split_reduction(here, counted, "max", dims).value_or(b.reduce("max", counted, dims));
  const ValueId power = b.elementwise("floor", {b.elementwise("log2", {largest})});
  return b.elementwise("maximum", {power, number(b, kLeastExponent)});
}

ValueId factor(ir::Builder& b, ValueId power) { return b.elementwise("exp2", {b.elementwise("sub", {number(b, kTopExponent), power})}); }

ValueId scaled(ir::Builder& b, ValueId x, ValueId power) { return b.elementwise("mul", {x, factor(b, power)}); }

ValueId is_finite(ir::Builder& b, ValueId x) { return b.elementwise("lt", {b.elementwise("abs", {x}), number(b, std::numeric_limits<double>::infinity())}); }

// A float16 number in memory.
ValueId rounded(ir::Builder& b, ValueId x) {
  return b.node("cast", {x}, {{"exact", true}, {"kept", true}}, {{DType::float16, b.shape(x)}})[0];
}

// What the rounded number lacks; nothing where it is not finite.
ValueId rest(ir::Builder& b, ValueId x, ValueId high) {
  const ValueId wide = b.cast(high, DType::float32);
  return rounded(b, b.elementwise("where", {is_finite(b, wide), b.elementwise("sub", {x, wide}), number(b, 0)}));
}

// The product of scaled operands times 2^(left + right), in small steps: a power alone may be too large for a float32 number.
ValueId unscaled(ir::Builder& b, ValueId product, ValueId left, ValueId right) {
  std::vector<ValueId> first, second;
  for (const ValueId power : {left, right}) {
    const ValueId whole = b.elementwise("sub", {power, number(b, kTopExponent)});
    const ValueId half = b.elementwise("floor", {b.elementwise("mul", {whole, number(b, 0.5)})});
    first.push_back(b.elementwise("exp2", {half}));
    second.push_back(b.elementwise("exp2", {b.elementwise("sub", {whole, half})}));
  }
  for (const std::vector<ValueId>& factors : {first, second}) {
    for (const ValueId factor : factors) product = b.elementwise("mul", {product, factor});
  }
  return product;
}

struct Extents {
  double batch, rows, columns, depth;
  double flops() const { return 2 * batch * rows * columns * depth; }
  double tiles() const { return batch * std::ceil(rows / kSmallestTile) * std::ceil(columns / kSmallestTile); }
  std::string text() const { return fmt::format("product of [{0:.0f}, {1:.0f}, {2:.0f}] and [{0:.0f}, {2:.0f}, {3:.0f}]", batch, rows, depth, columns); }
};

Extents extents_of(const Rewriting& here, const Shape& x, const Shape& y) {
  const auto given = [&](const Sym& sym) { return static_cast<double>(here.sizes.given(sym)); };
  return {given(x[0]), given(x[1]), given(y[2]), given(x[2])};
}

// Another way to make a product: at another rate, after passes over so many bytes by so many launches.
struct Way {
  const char* name;
  double now, then, bytes;
  int launches;
};

// Whether it is worth it, with the reason.
bool pays(const Rewriting& here, const Extents& e, const Way& way, const std::string& what) {
  const double work = e.flops() / way.then, passes = way.bytes / here.gpu.bytes + way.launches * here.gpu.launch_seconds, before = e.flops() / way.now;
  const bool better = work + passes < 0.8 * before;
  here.decide(what, fmt::format("{} {}, {} and {} for {} passes over the operands instead of {}", better ? "as" : "not as", way.name, time_text(work), time_text(passes), way.launches, time_text(before)));
  return better;
}

bool has_few_tiles(const Rewriting& here, const Extents& e) {
  const bool few = e.tiles() < static_cast<double>(here.gpu.multiprocessors);
  if (few) here.decide(e.text(), fmt::format("left as it is, {:.0f} tiles are too few for {} multiprocessors", e.tiles(), here.gpu.multiprocessors));
  return few;
}

struct Parts {
  ValueId high, low, power;
};

// What an operand [b, m, k] is the transposed of, [b, k, m].
std::optional<ValueId> transposed(ir::Builder& b, ValueId x) {
  const Node* node = b.graph().maker(x);
  if (node == nullptr) return std::nullopt;
  if (node->op == "permute" && *ir::ints_attribute(*node, "dims")[0].constant() == 0) return node->inputs[0];
  // one matrix, transposed before it became a batch of one
  const Node* below = node->op == "reshape" && b.shape(x)[0].is(1) ? b.graph().maker(node->inputs[0]) : nullptr;
  if (below == nullptr || below->op != "permute" || b.rank(node->inputs[0]) != 2 || b.shape(node->inputs[0])[0] != b.shape(x)[1]) return std::nullopt;
  return b.reshape(below->inputs[0], {1, b.shape(x)[2], b.shape(x)[1]});
}

// Which part of an operand has the numbers that are not finite.
enum class Infinite { in_high, in_low };

Parts taken_apart(Rewriting& here, ValueId x, int depth, Infinite infinite) {
  ir::Builder& b = here.builder;
  const ValueId power = exponent(here, x, {depth}, true);
  const ValueId fitting = scaled(b, x, power);
  if (infinite == Infinite::in_high) {
    const ValueId high = rounded(b, fitting);
    return {high, rest(b, fitting, high), power};
  }
  const ValueId high = rounded(b, b.elementwise("where", {is_finite(b, fitting), fitting, number(b, 0)}));
  return {high, rounded(b, b.elementwise("sub", {fitting, b.cast(high, DType::float32)})), power};
}

// [b, m, k] from [b, k, m].
Parts turned(ir::Builder& b, const Parts& x) {
  const std::vector<int> dims{0, 2, 1};
  return {b.permute(x.high, dims), b.permute(x.low, dims), b.permute(x.power, dims)};
}

// An operand in two parts. A transposed one is taken apart as it lies in memory.
Parts parts_of(Rewriting& here, ValueId x, int depth) {
  const std::optional<ValueId> lying = transposed(here.builder, x);
  return lying ? turned(here.builder, parts_of(here, *lying, 3 - depth)) : taken_apart(here, x, depth, Infinite::in_high);
}

ir::Attributes three_products() { return {{"grade", std::string("float32-grade: three float16")}}; }

std::optional<ValueId> in_three_products(Rewriting& here, ValueId x, ValueId y) {
  ir::Builder& b = here.builder;
  const Extents e = extents_of(here, b.shape(x), b.shape(y));
  if (e.columns < kSmallestTile || e.rows < kSmallestTile || e.depth < kLeastDepth) return std::nullopt;
  if (!DepthParts::suit(here, b.shape(x), b.shape(y)) && has_few_tiles(here, e)) return std::nullopt;
  const double elements = e.batch * e.depth * (e.rows + e.columns);
  if (!pays(here, e, {"three float16 products", here.gpu.float_products, here.gpu.three_products, 12 * elements, 3}, e.text())) return std::nullopt;
  const Parts left = parts_of(here, x, 2), right = parts_of(here, y, 1);
  const std::optional<DepthParts> cut = DepthParts::of(here, b.shape(x), b.shape(y), here.gpu.three_products);
  const auto l = [&](ValueId part) { return cut ? cut->left(b, part) : part; };
  const auto r = [&](ValueId part) { return cut ? cut->right(b, part) : part; };
  const ValueId high = l(left.high), across = r(right.high);
  const ValueId product = b.node("matmul", {high, across, l(left.low), r(right.low)}, three_products(), {{DType::float32, {b.shape(high)[0], b.shape(high)[1], b.shape(across)[2]}}})[0];
  return unscaled(b, cut ? cut->added(b, product) : product, left.power, right.power);
}

// The image as [n, places..., channels], padding included, channels filled up to a multiple of 4: loads of 8 bytes at least.
ValueId channels_last(ir::Builder& b, ValueId x, const ir::View& view, const Sym& channels) {
  const ir::Window& w = view.window;
  const Shape& from = b.shape(x);
  Shape to{from[0]};
  for (std::size_t d = 0; d < w.dims; ++d) to.push_back((w.places[d] - 1) * w.stride[d] + w.dilation[d] * (w.taps[d] - 1) + view.latest(d) + 1);
  to.push_back(channels);
  const std::vector<Sym> at = ir::index_symbols(to);
  std::vector<Sym> index{at[0], at.back()}, valid;
  for (std::size_t d = 0; d < w.dims; ++d) {
    const Sym place = at[d + 1] - w.padding[d];
    index.push_back(place);
    if (!ir::is_nonnegative(place)) valid.push_back(place);
    if (!ir::is_at_most(place, from[d + 2] - 1)) valid.push_back(from[d + 2] - 1 - place);
  }
  if (channels != from[1]) valid.push_back(from[1] - 1 - at.back());
  return b.remap(x, to, index, valid, 0);
}

// [phases, n * places, taps * channels] of an image with the channels last; the last dimension of the window and the channels are one run.
ValueId windows(ir::Builder& b, ValueId image, const ir::View& view) {
  const ir::Window& w = view.window;
  Shape shape = b.shape(image);
  const Sym channels = shape.back();
  shape.pop_back();
  shape.back() = shape.back() * channels;
  const ValueId flat = b.reshape(image, shape);
  Shape rows{shape[0]};
  rows.insert(rows.end(), w.places.begin(), w.places.end());
  Shape columns = w.taps;
  columns.push_back(channels);
  const Shape to{view.products(), ir::product(rows), ir::product(columns)};
  const std::vector<Sym> symbols = ir::index_symbols(to);
  const std::vector<Sym> row = ir::delinearize(symbols[1], rows), column = ir::delinearize(symbols[2], columns);
  const std::vector<Sym> phase = view.phase(symbols[0]);
  std::vector<Sym> index{row[0]};
  for (std::size_t d = 0; d < w.dims; ++d) {
    const Sym place = row[d + 1] * w.stride[d] + view.later(d, phase) + column[d] * w.dilation[d];
    index.push_back(d + 1 == w.dims ? place * channels + column.back() : place);
  }
  return b.remap(flat, to, index, view.known(phase, column), 0);
}

// The filter [phases, channels * taps, features] as [features, phases, taps * channels].
ValueId taps_first(ir::Builder& b, ValueId filter, const ir::Window& w, const Sym& from, const Sym& channels) {
  const Sym taps = ir::product(w.taps);
  const Shape to{b.shape(filter)[2], b.shape(filter)[0], taps * channels};
  const std::vector<Sym> at = ir::index_symbols(to);
  const Sym tap = ir::floor_div(at[2], channels), channel = ir::modulo(at[2], channels);
  std::vector<Sym> valid;
  if (channels != from) valid.push_back(from - 1 - channel);
  return b.remap(filter, to, {at[1], channel * taps + tap, at[0]}, valid, 0);
}

std::optional<ValueId> channels_last_convolution(Rewriting& here, const Node& look, ValueId filter) {
  ir::Builder& b = here.builder;
  const ValueId x = look.inputs[0];
  const ir::View view(look);
  const ir::Window& w = view.window;
  const Extents e = extents_of(here, b.shape(look.outputs[0]), b.shape(filter));
  if (b.shape(filter)[0] != view.products()) {
    here.decide(e.text(), "left as it is, it is made of groups");
    return std::nullopt;
  }
  if (has_few_tiles(here, e)) return std::nullopt;
  const double image = static_cast<double>(here.sizes.given(ir::product(b.shape(x))));
  if (!pays(here, e, {"one product of scaled float16 numbers, channels last", here.gpu.gathered_products, here.gpu.half_products, 14 * image, 4}, e.text())) return std::nullopt;
  const std::optional<ImageRows> laid = ImageRows::of(here, x, filter, view);
  const Sym given = b.shape(x)[1], channels = laid ? laid->channels() : here.sizes.size("channels", ir::ceil_div(given, 4) * 4);
  std::vector<int> all(w.dims + 1);
  std::iota(all.begin(), all.end(), 1);
  const ValueId power = exponent(here, x, all, false);
  const ValueId image_parts = rounded(b, laid ? b.elementwise("mul", {laid->laid_out(b, x), laid->of_images(b, factor(b, power))})
                                             : scaled(b, channels_last(b, x, view, channels), power));
  const ValueId sorted = taps_first(b, filter, w, given, channels);
  const ValueId filter_power = exponent(here, sorted, {1, 2}, true);
  const ValueId filter_parts = rounded(b, scaled(b, sorted, filter_power));
  const ValueId left = laid ? laid->windows(b, image_parts) : windows(b, image_parts, view), right = b.permute(filter_parts, {1, 2, 0});
  ir::Attributes way{{"grade", std::string("TF32-grade: scaled float16")}};
  if (laid) laid->view().write(way);
  else way["run"] = w.dilation.back().is(1) ? w.taps.back() * channels : channels;
  const ValueId product = b.node("matmul", {left, right}, way, {{DType::float32, {b.shape(left)[0], b.shape(left)[1], b.shape(filter)[2]}}})[0];
  const Shape rows{1, b.shape(left)[1], 1};
  const Sym places = ir::product(w.places);
  std::vector<Sym> index(b.shape(power).size(), Sym(0));
  index[0] = ir::floor_div(ir::index_symbols(rows)[1], places);
  return unscaled(b, product, b.remap(power, rows, index), b.permute(filter_power, {1, 2, 0}));
}

// Whether it is 16-bit numbers that were widened, also through views.
bool was_half(const ir::Graph& graph, ValueId x) {
  const Node* node = graph.maker(x);
  if (node == nullptr) return false;
  if (node->op == "cast") return ir::size_of(graph.type(node->inputs[0]).dtype) == 2;
  return (node->op == "reshape" || node->op == "permute" || node->op == "remap") && was_half(graph, node->inputs[0]);
}

// The softmax itself: numbers up to 1.
bool are_plain_weights(const ir::Graph& graph, const Attention& found) {
  ValueId x = found.weights;
  while (x != found.softmax) {
    const Node& node = *graph.maker(x);
    if (node.op != "reshape" && !(node.op == "cast" && graph.type(x).dtype == graph.type(node.inputs[0]).dtype)) return false;
    x = node.inputs[0];
  }
  return true;
}

// The same answer for both products of an attention.
bool takes_three_products(const Rewriting& here, const Attention& found) {
  const ir::Graph& graph = here.old;
  const auto given = [&](ValueId x, std::size_t d) { return static_cast<double>(here.sizes.given(graph.shape(x)[d])); };
  const double batch = given(found.query, 0), rows = given(found.query, 1), depth = given(found.query, 2), columns = given(found.key, 2), width = given(found.value, 2);
  const std::string what = fmt::format("attention of [{:.0f}, {:.0f}, {:.0f}] over {:.0f} keys", batch, rows, depth, columns);
  const auto no = [&](const std::string& why) {
    here.decide(what, "multiplied as it is, " + why);
    return false;
  };
  for (const ValueId x : {found.query, found.key, found.value}) {
    if (graph.type(x).dtype != DType::float32 || was_half(graph, x)) return false;
  }
  if (std::max(depth, width) > kWidestParts) return no(fmt::format("parts of heads wider than {:.0f} do not fit the registers", kWidestParts));
  if (!are_plain_weights(graph, found)) return no("weights beyond a softmax may be too large for float16 numbers");
  if (std::min(rows, columns) < kSmallestTile) return no("there are few of them");
  const Extents e{batch, rows, columns, depth + width};
  return pays(here, e, {"three float16 products", here.gpu.float_products, here.gpu.three_products, 12 * batch * (rows * depth + columns * (depth + width)), 4}, what);
}

ValueId unscaling(ir::Builder& b, ValueId power) {
  const ValueId exponent = b.elementwise("sub", {power, number(b, kTopExponent)});
  return b.node("exp2", {exponent}, {{"positive", true}}, {b.type(exponent)})[0];
}

// Keys are rows, whichever way they are multiplied. Each power is undone in one step, the queries' last, where their kernel takes it together with the factors of the scores: products of keys
// beyond 2^104 overflow.
ValueId scores_of(Rewriting& here, ValueId query, ValueId key) {
  ir::Builder& b = here.builder;
  const Shape shape{b.shape(query)[0], b.shape(query)[1], b.shape(key)[2]};
  const Parts left = taken_apart(here, query, 2, Infinite::in_high), right = turned(b, taken_apart(here, b.permute(key, {0, 2, 1}), 2, Infinite::in_high));
  const ValueId product = b.node("matmul", {left.high, right.high, left.low, right.low}, three_products(), {{DType::float32, shape}})[0];
  return b.elementwise("mul", {b.elementwise("mul", {product, unscaling(b, right.power)}), unscaling(b, left.power)});
}

// Values that are not finite lie in the rests: no crossed product makes NaN of an infinity, so the three may be one sum.
ValueId weighted_sums(Rewriting& here, ValueId weights, ValueId value) {
  ir::Builder& b = here.builder;
  const Shape shape{b.shape(weights)[0], b.shape(weights)[1], b.shape(value)[2]};
  const Parts right = taken_apart(here, value, 1, Infinite::in_low);
  const auto half = [&](ValueId x) { return b.node("cast", {x}, {{"exact", true}}, {{DType::float16, b.shape(x)}})[0]; };
  const ValueId large = b.elementwise("mul", {weights, number(b, std::exp2(kTopExponent))});
  const ValueId high = half(large), low = half(b.elementwise("sub", {large, b.cast(high, DType::float32)}));
  ir::Attributes way = three_products();
  way["one_sum"] = true;
  const ValueId product = b.node("matmul", {high, right.high, low, right.low}, way, {{DType::float32, shape}})[0];
  return b.elementwise("mul", {b.elementwise("mul", {product, number(b, std::exp2(-kTopExponent))}), unscaling(b, right.power)});
}

}  // namespace

std::optional<ValueId> half_product(Rewriting& here, const std::string& tier) {
  if (here.node.op != "matmul") return std::nullopt;
  ir::Builder& b = here.builder;
  const ValueId x = here.inputs[0], y = here.inputs[1];
  if (b.type(x).dtype != DType::float32 || b.type(y).dtype != DType::float32 || are_halves(b, x, y)) return std::nullopt;
  if (ir::contraction_precision(tier, here.node) == "ieee") return in_three_products(here, x, y);
  const Node* look = b.graph().maker(x);
  if (look == nullptr || !look->attributes.contains("window")) return std::nullopt;
  const Node copy = *look;  // the builder may move its nodes
  return channels_last_convolution(here, copy, y);
}

std::optional<ValueId> half_attention(Rewriting& here, const std::string& tier, const Attention& found) {
  const bool is_last = here.number == found.last;
  if (here.node.op != "matmul" || ir::contraction_precision(tier, here.node) != "ieee" || !takes_three_products(here, found)) return std::nullopt;
  return is_last ? weighted_sums(here, here.inputs[0], here.inputs[1]) : scores_of(here, here.inputs[0], here.inputs[1]);
}

}  // namespace ka::partition

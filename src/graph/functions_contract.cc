// Contractions, all by way of the primitive [b, m, k] x [b, k, n]. A convolution is a matmul whose first operand is a view
// of the image: row m is a place of the result, column k a tap of the filter.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "graph/term_functions.h"
#include "ir/window.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;


Shape join(std::initializer_list<Shape> parts) {
  Shape out;
  for (const Shape& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// torch.matmul: vectors are matrices with an extent of 1 that vanishes, batches are broadcast.
ValueId general_matmul(ir::Builder& b, ValueId x, ValueId y) {
  const bool row = b.rank(x) == 1, column = b.rank(y) == 1;
  if (row) x = b.reshape(x, {1, b.shape(x)[0]});
  if (column) y = b.reshape(y, {b.shape(y)[0], 1});
  const Shape sx = b.shape(x), sy = b.shape(y);
  const Sym m = sx[sx.size() - 2], k = sx.back(), n = sy.back();
  const Shape batch_x(sx.begin(), sx.end() - 2), batch_y(sy.begin(), sy.end() - 2);
  const Shape batch = ir::broadcast(batch_x, batch_y);
  ValueId out;
  if (ir::product(batch_y).is(1)) {  // the rows of all batches are rows of one matrix
    out = b.matmul(b.reshape(x, {1, ir::product(batch_x) * m, k}), b.reshape(y, {1, k, n}));
  } else {
    x = b.reshape(b.expand(x, join({batch, {m, k}})), {ir::product(batch), m, k});
    y = b.reshape(b.expand(y, join({batch, {k, n}})), {ir::product(batch), k, n});
    out = b.matmul(x, y);
  }
  Shape to = batch;
  if (!row) to.push_back(m);
  if (!column) to.push_back(n);
  return b.reshape(out, to);
}

Arg matmul(Operands& in) {
  const ValueId x = in.tensor("x", 1), y = in.tensor("y", 1);
  return tensor_arg(general_matmul(in.builder(), x, y));
}

constexpr std::int64_t kFewFilters = 2;

struct ConvSizes {
  Shape taps, spatial, out;
  Shape reach;  // `out` as the expression over `spatial` that it stands for
  std::vector<Sym> stride, padding, dilation;
  Sym groups = 1;
};

// Where output place `o` and filter tap `k` look in the image, and the conditions that this is inside.
struct Look {
  std::vector<Sym> index, valid;
};

Look look_forward(const ConvSizes& c, const std::vector<Sym>& o, const std::vector<Sym>& k) {
  Look out;
  for (std::size_t d = 0; d < c.taps.size(); ++d) {
    const Sym place = o[d] * c.stride[d] + k[d] * c.dilation[d] - c.padding[d];
    out.index.push_back(place);
    out.valid.push_back(place);
    // that the last window lies inside is seen from the expression only
    const Sym furthest = Sym::index("o", c.reach[d]) * c.stride[d] + Sym::index("k", c.taps[d]) * c.dilation[d] - c.padding[d];
    if (!ir::is_at_most(furthest, c.spatial[d] - 1)) out.valid.push_back(c.spatial[d] - 1 - place);
  }
  return out;
}

// The transposed convolution gathers: the tap that an input place sends to `o`, if there is one.
Look look_back(const ConvSizes& c, const std::vector<Sym>& o, const std::vector<Sym>& k) {
  Look out;
  for (std::size_t d = 0; d < c.taps.size(); ++d) {
    const Sym from = o[d] + c.padding[d] - k[d] * c.dilation[d];
    const Sym place = ir::floor_div(from, c.stride[d]);
    const Sym furthest = Sym::index("o", c.reach[d]) + c.padding[d] - Sym::index("k", c.taps[d]) * c.dilation[d];
    out.index.push_back(place);
    out.valid.push_back(from);
    if (!ir::is_at_most(ir::floor_div(furthest, c.stride[d]), c.spatial[d] - 1)) out.valid.push_back(c.spatial[d] - 1 - place);
    out.valid.push_back(Sym(0) - ir::modulo(from, c.stride[d]));
  }
  return out;
}

// [groups, n * places, channels * taps]: the image as the first operand of a matmul.
ValueId unrolled(ir::Builder& b, ValueId x, const ConvSizes& c, const Sym& channels, Look (*look)(const ConvSizes&, const std::vector<Sym>&, const std::vector<Sym>&)) {
  const Shape rows = join({{b.shape(x)[0]}, c.out}), columns = join({{channels}, c.taps});
  const Shape to{c.groups, ir::product(rows), ir::product(columns)};
  const std::vector<Sym> symbols = ir::index_symbols(to);
  const std::vector<Sym> row = ir::delinearize(symbols[1], rows), column = ir::delinearize(symbols[2], columns);
  const Look place = look(c, {row.begin() + 1, row.end()}, {column.begin() + 1, column.end()});
  std::vector<Sym> index{row[0], symbols[0] * channels + column[0]};
  index.insert(index.end(), place.index.begin(), place.index.end());
  ir::Attributes window;  // what partition/half_products.cc wants to know
  if (look == look_forward) window["window"] = join({c.taps, c.stride, c.dilation, c.padding, c.out});
  return b.remap(x, to, index, place.valid, 0, window);
}

// [groups, n * places, out channels per group] -> [n, out channels, places]
ValueId folded(ir::Builder& b, ValueId product, const ConvSizes& c, const Sym& batch, const Sym& features) {
  const ValueId apart = b.reshape(product, join({{c.groups, batch}, c.out, {features}}));
  std::vector<int> order{1, 0, static_cast<int>(c.out.size()) + 2};
  for (std::size_t d = 0; d < c.out.size(); ++d) order.push_back(static_cast<int>(d) + 2);
  return b.reshape(b.permute(apart, order), join({{batch, c.groups * features}, c.out}));
}

ValueId with_bias(Operands& in, ValueId out) {
  ir::Builder& b = in.builder();
  if (!in.has("bias")) return out;
  Shape to{1, b.shape(out)[1]};
  to.resize(b.shape(out).size(), Sym(1));
  return b.elementwise("add", {out, b.reshape(in.tensor("bias"), to)});
}

// The number of filters per group in the given program; they are few where each channel is a group of its own.
std::int64_t given_of(ir::Builder& b, const Sym& sym) {
  std::map<std::string, std::int64_t> given;
  for (const ir::SizeSource& size : b.graph().sizes) given[size.symbol] = size.given;
  return ir::evaluate(sym, given).value_or(0);
}

// One or a few filters per channel: no sum over channels, so no matmul; a window sum of products.
ValueId depthwise(ir::Builder& b, ValueId x, ValueId w, const ConvSizes& c, const Sym& features) {
  const Sym filters = b.shape(w)[0];
  const Shape to = join({{b.shape(x)[0], filters}, c.out, c.taps});
  const std::vector<Sym> symbols = ir::index_symbols(to);
  const std::size_t n = c.out.size();
  const auto first = symbols.begin() + 2;
  const Look place = look_forward(c, {first, first + static_cast<std::ptrdiff_t>(n)}, {first + static_cast<std::ptrdiff_t>(n), symbols.end()});
  std::vector<Sym> index{symbols[0], ir::floor_div(symbols[1], features)};
  index.insert(index.end(), place.index.begin(), place.index.end());
  const ValueId image = b.remap(x, to, index, place.valid, 0);
  const Shape filter = join({{1, filters}, Shape(n, Sym(1)), c.taps});
  std::vector<int> dims(n);
  std::iota(dims.begin(), dims.end(), static_cast<int>(n) + 2);
  const ValueId sum = b.reduce("sum", b.elementwise("mul", {image, b.reshape(w, filter)}), dims);
  return b.reshape(sum, join({{b.shape(x)[0], filters}, c.out}));
}

// How many dimensions an image and its filters have besides channels and, at most, a batch.
std::size_t spatial_dims(Operands& in, ValueId x, ValueId w) {
  const int n = in.builder().rank(w) - 2, rank = in.builder().rank(x);
  in.need(rank == n + 1 || rank == n + 2, "x has another number of dimensions than w needs");
  return static_cast<std::size_t>(n);
}

Arg conv(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const ValueId w = in.tensor("w", 3);
  const std::size_t n = spatial_dims(in, x, w);
  const bool unbatched = b.shape(x).size() == n + 1;
  if (unbatched) x = b.reshape(x, join({{1}, b.shape(x)}));
  ConvSizes c;
  c.taps = {b.shape(w).begin() + 2, b.shape(w).end()};
  c.spatial = {b.shape(x).begin() + 2, b.shape(x).end()};
  c.stride = in.positive("stride", n, {1});
  c.dilation = in.positive("dilation", n, {1});
  c.groups = in.positive("groups", 1, {1})[0];
  std::vector<Sym> after;
  const std::string mode = in.text("padding", "");
  for (std::size_t d = 0; d < n; ++d) {
    const Sym span = c.dilation[d] * (c.taps[d] - 1);
    if (mode.empty()) {
      c.padding = in.integers("padding", n, {0});
      after.push_back(c.padding[d]);
    } else {
      c.padding.push_back(mode == "same" ? ir::floor_div(span, 2) : Sym(0));
      after.push_back(mode == "same" ? span - c.padding[d] : Sym(0));
    }
    c.reach.push_back(ir::floor_div(c.spatial[d] + c.padding[d] + after[d] - span - 1, c.stride[d]) + 1);
    c.out.push_back(b.named_extent(extent_name(d, n), c.reach[d]));
  }
  const Sym channels = b.shape(w)[1], features = ir::floor_div(b.shape(w)[0], c.groups);
  ValueId out;
  const bool few = features.is(1) || given_of(b, features) <= kFewFilters;
  if (channels.is(1) && few && c.groups == b.shape(x)[1] && !c.groups.is(1)) {
    out = depthwise(b, x, w, c, features);
  } else {
    const Sym depth = channels * ir::product(c.taps);
    const ValueId filter = b.permute(b.reshape(w, {c.groups, features, depth}), {0, 2, 1});
    out = folded(b, b.matmul(unrolled(b, x, c, channels, look_forward), filter), c, b.shape(x)[0], features);
  }
  out = with_bias(in, out);
  if (unbatched) out = b.reshape(out, Shape(b.shape(out).begin() + 1, b.shape(out).end()));
  return tensor_arg(out);
}

ValueId transposed_at_once(ir::Builder& b, ValueId x, ValueId w, const ConvSizes& c) {
  const Sym channels = ir::floor_div(b.shape(w)[0], c.groups), features = b.shape(w)[1];
  ValueId filter = b.reshape(w, join({{c.groups, channels, features}, c.taps}));
  std::vector<int> order{0, 1};
  for (std::size_t d = 0; d < c.taps.size(); ++d) order.push_back(static_cast<int>(d) + 3);
  order.push_back(2);
  filter = b.reshape(b.permute(filter, order), {c.groups, channels * ir::product(c.taps), features});
  return folded(b, b.matmul(unrolled(b, x, c, channels, look_back), filter), c, b.shape(x)[0], features);
}

// With a stride, an output place sees only some of the taps, places of one phase the same ones (ir/window.h): each phase is a product of its own, and no tap is
// visited in vain.
std::optional<ir::Phases> phases_of(const ConvSizes& c) {
  for (const std::vector<Sym>* numbers : {&c.stride, &c.taps, &c.dilation, &c.padding}) {
    if (std::any_of(numbers->begin(), numbers->end(), [](const Sym& x) { return !x.constant(); })) return std::nullopt;
  }
  return ir::Phases(c.stride, c.taps, c.dilation, c.padding);
}

// Image place and filter tap for phase r, place q of it and tap j of its window; the conditions that both exist.
struct PhaseLook {
  std::vector<Sym> place, tap, inside, known;
};

PhaseLook look_in_phase(const ConvSizes& c, const ir::Phases& phases, const ir::Window& window, const std::vector<Sym>& r, const std::vector<Sym>& q, const std::vector<Sym>& j) {
  PhaseLook out;
  for (std::size_t d = 0; d < c.taps.size(); ++d) {
    out.tap.push_back(phases.tap(d, r[d], j[d]));
    out.place.push_back(q[d] + phases.later(d, r[d]) + j[d] * window.dilation[d] - window.padding[d]);
    for (const Sym& condition : phases.known(d, r[d], j[d])) out.known.push_back(condition);
    out.inside.push_back(out.place[d]);
    out.inside.push_back(c.spatial[d] - 1 - out.place[d]);
  }
  return out;
}

std::vector<Sym> part(const std::vector<Sym>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// [n, features, places] from one product per group and phase.
ValueId transposed_in_phases(ir::Builder& b, ValueId x, ValueId w, const ConvSizes& c, const ir::Phases& phases) {
  const std::size_t n = c.taps.size();
  const Sym batch = b.shape(x)[0], features = b.shape(w)[1], channels = ir::floor_div(b.shape(w)[0], c.groups);
  Shape places;  // of each phase
  bool exact = true;  // every place of every phase exists
  for (std::size_t d = 0; d < n; ++d) {
    places.push_back(c.stride[d].is(1) ? c.out[d] : b.named_extent("places", ir::ceil_div(c.reach[d], c.stride[d])));
    exact = exact && places[d] * c.stride[d] == c.out[d];
  }
  const ir::Window window = phases.window(places);
  const Shape outer = join({{c.groups}, phases.count()}), rows = join({{batch}, places}), depth = join({{channels}, window.taps});
  const Shape left{ir::product(outer), ir::product(rows), ir::product(depth)}, right{left[0], left[2], features};
  const std::vector<Sym> l = ir::index_symbols(left), r = ir::index_symbols(right);
  const auto look = [&](const Sym& which, const Sym& row, const Sym& column, PhaseLook& out) {
    const std::vector<Sym> o = ir::delinearize(which, outer), q = ir::delinearize(row, rows), k = ir::delinearize(column, depth);
    out = look_in_phase(c, phases, window, part(o, 1, n), part(q, 1, n), part(k, 1, n));
    return std::vector<Sym>{q[0], o[0] * channels + k[0]};
  };
  PhaseLook seen;
  std::vector<Sym> index = look(l[0], l[1], l[2], seen);
  index.insert(index.end(), seen.place.begin(), seen.place.end());
  seen.inside.insert(seen.inside.end(), seen.known.begin(), seen.known.end());  // a tap that is none must not meet a NaN
  const ValueId image = b.remap(x, left, index, seen.inside, 0, {{"window", window.all()}, {"phases", phases.all()}});
  std::vector<Sym> at{look(r[0], 0, r[1], seen)[1], r[2]};
  at.insert(at.end(), seen.tap.begin(), seen.tap.end());
  const ValueId filter = b.remap(w, right, at, seen.known, 0);
  const ValueId apart = b.reshape(b.matmul(image, filter), join({outer, rows, {features}}));
  std::vector<int> order{static_cast<int>(n) + 1, 0, static_cast<int>(2 * n) + 2};
  Shape whole{batch, c.groups * features};
  for (std::size_t d = 0; d < n; ++d) {
    order.push_back(static_cast<int>(n + 2 + d));
    order.push_back(static_cast<int>(1 + d));
    whole.push_back(places[d] * c.stride[d]);
  }
  const ValueId out = b.reshape(b.permute(apart, order), whole);
  if (exact) return out;
  const Shape to = join({{batch, c.groups * features}, c.out});
  return b.remap(out, to, ir::index_symbols(to));
}

// Without a stride it is a convolution whose filter looks the other way.
ValueId transposed_forward(ir::Builder& b, ValueId x, ValueId w, ConvSizes c) {
  const Sym channels = ir::floor_div(b.shape(w)[0], c.groups), features = b.shape(w)[1];
  const Shape depth = join({{channels}, c.taps}), to{c.groups, ir::product(depth), features};
  const std::vector<Sym> symbols = ir::index_symbols(to), column = ir::delinearize(symbols[1], depth);
  std::vector<Sym> index{symbols[0] * channels + column[0], symbols[2]};
  for (std::size_t d = 0; d < c.taps.size(); ++d) {
    index.push_back(c.taps[d] - 1 - column[d + 1]);
    c.padding[d] = c.dilation[d] * (c.taps[d] - 1) - c.padding[d];
  }
  return folded(b, b.matmul(unrolled(b, x, c, channels, look_forward), b.remap(w, to, index)), c, b.shape(x)[0], features);
}

Arg conv_transpose(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const ValueId w = in.tensor("w", 3);
  const std::size_t n = spatial_dims(in, x, w);
  const bool unbatched = b.shape(x).size() == n + 1;
  if (unbatched) x = b.reshape(x, join({{1}, b.shape(x)}));
  ConvSizes c;
  c.taps = {b.shape(w).begin() + 2, b.shape(w).end()};
  c.spatial = {b.shape(x).begin() + 2, b.shape(x).end()};
  c.stride = in.positive("stride", n, {1});
  c.padding = in.integers("padding", n, {0});
  c.dilation = in.positive("dilation", n, {1});
  c.groups = in.positive("groups", 1, {1})[0];
  const std::vector<Sym> extra = in.integers("output_padding", n, {0});
  for (std::size_t d = 0; d < n; ++d) {
    c.reach.push_back((c.spatial[d] - 1) * c.stride[d] - c.padding[d] * 2 + c.dilation[d] * (c.taps[d] - 1) + extra[d] + 1);
    c.out.push_back(b.named_extent(extent_name(d, n), c.reach[d]));
  }
  const bool strided = std::any_of(c.stride.begin(), c.stride.end(), [](const Sym& stride) { return !stride.is(1); });
  const std::optional<ir::Phases> phases = strided ? phases_of(c) : std::nullopt;
  ValueId out = -1;
  if (!strided) out = transposed_forward(b, x, w, c);
  else out = phases ? transposed_in_phases(b, x, w, c, *phases) : transposed_at_once(b, x, w, c);
  out = with_bias(in, out);
  if (unbatched) out = b.reshape(out, Shape(b.shape(out).begin() + 1, b.shape(out).end()));
  return tensor_arg(out);
}

// One operand of an einsum, its letters in the order of `wanted`; letters that it has not get extent 1.
ValueId arranged(ir::Builder& b, ValueId x, const std::string& letters, const std::string& wanted) {
  std::vector<int> order;
  Shape to;
  for (const char letter : wanted) {
    const std::size_t d = letters.find(letter);
    if (d == std::string::npos) {
      to.emplace_back(1);
      continue;
    }
    order.push_back(static_cast<int>(d));
    to.push_back(b.shape(x)[d]);
  }
  return b.reshape(b.permute(x, order), to);
}

std::string unique(const std::string& letters) {
  std::string out;
  for (const char c : letters) {
    if (out.find(c) == std::string::npos) out += c;
  }
  return out;
}

// Sums over letters that neither the other operands nor the result have.
ValueId summed(ir::Builder& b, ValueId x, std::string& letters, const std::string& kept) {
  std::vector<int> gone;
  std::string left;
  for (std::size_t d = 0; d < letters.size(); ++d) {
    if (kept.find(letters[d]) == std::string::npos) gone.push_back(static_cast<int>(d));
    else left += letters[d];
  }
  if (gone.empty()) return x;
  letters = left;
  return b.reshape(b.reduce("sum", x, gone), without(b.shape(x), gone));
}

ValueId contracted(ir::Builder& b, ValueId x, std::string& lx, ValueId y, std::string ly, const std::string& kept) {
  x = summed(b, x, lx, ly + kept);
  y = summed(b, y, ly, lx + kept);
  std::string batch, inner, left, right;
  for (const char c : lx) {
    const bool in_y = ly.find(c) != std::string::npos, in_out = kept.find(c) != std::string::npos;
    (in_y ? (in_out ? batch : inner) : left) += c;
  }
  for (const char c : ly) {
    if (lx.find(c) == std::string::npos) right += c;
  }
  const auto extent = [&](const std::string& letters) {
    Sym out = 1;
    for (const char c : letters) out = out * (lx.find(c) != std::string::npos ? b.shape(x)[lx.find(c)] : b.shape(y)[ly.find(c)]);
    return out;
  };
  const auto extents = [&](const std::string& letters) {
    Shape out;
    for (const char c : letters) out.push_back(extent(std::string(1, c)));
    return out;
  };
  const ValueId a = b.reshape(arranged(b, x, lx, batch + left + inner), {extent(batch), extent(left), extent(inner)});
  const ValueId c = b.reshape(arranged(b, y, ly, batch + inner + right), {extent(batch), extent(inner), extent(right)});
  const Shape to = extents(batch + left + right);
  lx = batch + left + right;
  if (inner.empty()) return b.reshape(b.elementwise("mul", {a, c}), to);
  return b.reshape(b.matmul(a, c), to);
}

// A letter that repeats in one operand: the diagonal.
ValueId without_repeats(ir::Builder& b, ValueId x, std::string& letters) {
  const std::string once = unique(letters);
  if (once == letters) return x;
  Shape to;
  for (const char c : once) to.push_back(b.shape(x)[letters.find(c)]);
  const std::vector<Sym> i = ir::index_symbols(to);
  std::vector<Sym> index;
  for (const char c : letters) index.push_back(i[once.find(c)]);
  letters = once;
  return b.remap(x, to, index);
}

// "..." written out: digits stand for the dimensions that it covers, counted from the last one.
std::string written_out(const std::string& letters, int covered) {
  const std::size_t dots = letters.find("...");
  if (dots == std::string::npos) return letters;
  std::string digits;
  for (int d = covered - 1; d >= 0; --d) digits += static_cast<char>('0' + d);
  return letters.substr(0, dots) + digits + letters.substr(dots + 3);
}

// Operands whose extent is 1 where another has more are spread, so that a letter has one extent.
void spread_letters(ir::Builder& b, std::vector<ValueId>& operands, const std::vector<std::string>& letters) {
  std::map<char, Sym> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < letters[k].size(); ++d) {
      Sym& extent = extents.try_emplace(letters[k][d], 1).first->second;
      if (extent.is(1)) extent = b.shape(operands[k])[d];
    }
  }
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Shape to;
    for (const char c : letters[k]) to.push_back(extents.at(c));
    operands[k] = b.expand(operands[k], to);
  }
}

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Equation equation_of(ir::Builder& b, std::string text, const std::vector<ValueId>& operands) {
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Equation out{{""}, ""};
  for (const char c : left) {
    if (c == ',') out.operands.emplace_back();
    else out.operands.back() += c;
  }
  int most = 0;
  for (std::size_t k = 0; k < out.operands.size() && k < operands.size(); ++k) {
    std::string& letters = out.operands[k];
    if (letters.find("...") == std::string::npos) continue;
    const int covered = b.rank(operands[k]) - (static_cast<int>(letters.size()) - 3);
    letters = written_out(letters, covered);
    most = std::max(most, covered);
  }
  if (arrow != std::string::npos) {
    out.result = written_out(text.substr(arrow + 2), most);
    return out;
  }
  if (left.find("...") != std::string::npos) out.result = written_out("...", most);
  for (char c = 'A'; c <= 'z'; ++c) {  // letters that occur once, in alphabetical order
    if (std::count(left.begin(), left.end(), c) == 1) out.result += c;
  }
  return out;
}

Arg einsum(Operands& in) {
  ir::Builder& b = in.builder();
  std::vector<ValueId> operands = in.tensors("operands");
  const std::string text = in.text("equation", "");
  Equation equation = equation_of(b, text, operands);
  std::vector<std::string>& letters = equation.operands;
  const std::string& result = equation.result;
  bool fits = letters.size() == operands.size();
  for (std::size_t k = 0; fits && k < letters.size(); ++k) fits = static_cast<int>(letters[k].size()) == b.rank(operands[k]);
  in.need(fits, fmt::format("the equation \"{}\" does not fit its operands", text));
  for (std::size_t k = 0; k < letters.size(); ++k) operands[k] = without_repeats(b, operands[k], letters[k]);
  spread_letters(b, operands, letters);
  ValueId x = operands[0];
  std::string lx = letters[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string kept = result;
    for (std::size_t j = i + 1; j < letters.size(); ++j) kept += letters[j];
    x = contracted(b, x, lx, operands[i], letters[i], kept);
  }
  x = summed(b, x, lx, result);
  return tensor_arg(arranged(b, x, lx, result));
}

constexpr Function kFunctions[] = {
    {"conv", "x, w, bias, stride, padding, dilation, groups", conv},
    {"conv_transpose", "x, w, bias, stride, padding, output_padding, groups, dilation", conv_transpose},
    {"einsum", "equation, operands", einsum},
    {"matmul", "x, y", matmul},
};

}  // namespace

std::span<const Function> contraction_functions() {
  return kFunctions;
}

}  // namespace ka::graph

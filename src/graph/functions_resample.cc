// Resizing images, reading them along a grid, and windows laid over each other (fold).
#include <cmath>

#include <fmt/format.h>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

ValueId number(ir::Builder& b, double value) { return b.constant(value, ir::DType::float32); }

ValueId integer(ir::Builder& b, const Sym& value) {
  return value.constant() ? b.constant(static_cast<double>(*value.constant()), ir::DType::int64) : b.index({}, value);
}

ValueId real(ir::Builder& b, const Sym& value) {
  if (value.constant()) return number(b, static_cast<double>(*value.constant()));
  return b.cast(b.index({}, value), ir::DType::float32);
}

ValueId clamped(ir::Builder& b, ValueId x, ValueId low, ValueId high) {
  return b.elementwise("minimum", {b.elementwise("maximum", {x, low}), high});
}

// The extent that a factor gives, rounded down; factors that are no simple fraction are refused.
Sym scaled_extent(Operands& in, const Sym& extent, double factor) {
  in.need(factor > 0 && factor <= 0x1p20 && extent.constant().value_or(0) <= std::int64_t{1} << 32, "the factor is too large, or no positive number");
  for (std::int64_t q = 1; q <= 64; ++q) {
    const double p = factor * static_cast<double>(q);
    if (std::abs(p - std::round(p)) <= 1e-9 * p) return ir::floor_div(extent * static_cast<std::int64_t>(std::round(p)), q);
  }
  if (extent.constant()) return static_cast<std::int64_t>(std::floor(static_cast<double>(*extent.constant()) * factor));
  in.fail(fmt::format("the factor {} is no fraction of small numbers", factor));
}

// Cubic convolution with a = -0.75: the weight of a neighbour `away` from the one below t.
ValueId cubic_weight(ir::Builder& b, ValueId t, double away) {
  constexpr double a = -0.75;
  const bool inner = away == 0 || away == 1;
  const ValueId d = b.elementwise("abs", {b.elementwise("sub", {t, number(b, away)})});
  const double c[2][4] = {{-4 * a, 8 * a, -5 * a, a}, {1, 0, -(a + 3), a + 2}};  // by powers of the distance
  ValueId out = number(b, c[inner ? 1 : 0][3]);
  for (int k = 2; k >= 0; --k) out = b.elementwise("add", {b.elementwise("mul", {out, d}), number(b, c[inner ? 1 : 0][k])});
  return out;
}

// One dimension of an image that gets another extent.
class Axis {
 public:
  Axis(ir::Builder& b, ValueId x, int dim, const Sym& to, double factor)
      : b_(b), x_(x), dim_(dim), from_(b.shape(x).at(at(dim))), to_(to), factor_(factor) {}

  ValueId nearest(bool exact) const {
    Shape shape = b_.shape(x_);
    shape.at(at(dim_)) = to_;
    for (const std::int64_t k : {1, 2, 4, 8, 16}) {  // these factors are exact in floating point, so whole numbers do
      if (!(to_ == from_ * k) || (factor_ > 0 && factor_ != static_cast<double>(k))) continue;
      std::vector<Sym> index = ir::index_symbols(shape);
      index.at(at(dim_)) = ir::floor_div(index.at(at(dim_)), k);
      return b_.remap(x_, shape, index);
    }
    const ValueId o = exact ? b_.elementwise("add", {position(), number(b_, 0.5)}) : position();
    return taken(b_.elementwise("floor", {b_.elementwise("mul", {o, ratio(false)})}));
  }

  ValueId linear(bool align) const {
    ValueId place = source(align);
    if (!align) place = b_.elementwise("maximum", {place, number(b_, 0)});
    const ValueId low = b_.elementwise("minimum", {b_.elementwise("floor", {place}), last()});
    const ValueId share = clamped(b_, b_.elementwise("sub", {place, low}), number(b_, 0), number(b_, 1));
    return b_.elementwise("add", {weighted(low, b_.elementwise("sub", {number(b_, 1), share})),
                                  weighted(b_.elementwise("add", {low, number(b_, 1)}), share)});
  }

  // Over four neighbours; outside the border's value continues.
  ValueId cubic(bool align) const {
    const ValueId place = source(align), low = b_.elementwise("minimum", {b_.elementwise("floor", {place}), last()});
    const ValueId t = clamped(b_, b_.elementwise("sub", {place, low}), number(b_, 0), number(b_, 1));
    ValueId out = -1;
    for (int tap = 0; tap < 4; ++tap) {
      const double away = tap - 1;
      const ValueId part = weighted(b_.elementwise("add", {low, number(b_, away)}), cubic_weight(b_, t, away));
      out = out < 0 ? part : b_.elementwise("add", {out, part});
    }
    return out;
  }

 private:
  ValueId position() const { return b_.cast(b_.index({to_}, ir::index_symbols({to_})[0]), ir::DType::float32); }
  ValueId last() const { return real(b_, from_ - 1); }

  ValueId ratio(bool align) const {
    if (align) {
      if (to_.is(1)) return number(b_, 0);
      return b_.elementwise("div_rn", {last(), real(b_, to_ - 1)});
    }
    if (factor_ > 0) return number(b_, 1 / factor_);
    return b_.elementwise("div_rn", {real(b_, from_), real(b_, to_)});
  }

  ValueId source(bool align) const {
    if (align) return b_.elementwise("mul", {position(), ratio(true)});
    const ValueId middle = b_.elementwise("mul", {b_.elementwise("add", {position(), number(b_, 0.5)}), ratio(false)});
    return b_.elementwise("sub", {middle, number(b_, 0.5)});
  }

  // x at these places of the dimension, which are cut to lie inside
  ValueId taken(ValueId place) const {
    const ValueId inside = b_.cast(clamped(b_, place, number(b_, 0), last()), ir::DType::int64);
    Shape shape = b_.shape(x_), spread(shape.size(), Sym(1));
    shape.at(at(dim_)) = to_;
    spread.at(at(dim_)) = to_;
    std::vector<Sym> where = ir::index_symbols(shape);
    where.at(at(dim_)) = Sym::index("t0", from_);
    return b_.gather(x_, {b_.reshape(inside, spread)}, shape, where);
  }

  ValueId weighted(ValueId place, ValueId share) const {
    Shape spread(b_.shape(x_).size(), Sym(1));
    spread.at(at(dim_)) = to_;
    return b_.elementwise("mul", {taken(place), b_.reshape(b_.expand(share, {to_}), spread)});
  }

  ir::Builder& b_;
  ValueId x_;
  int dim_;
  Sym from_, to_;
  double factor_;  // as the program states it, 0: it follows from the extents
};

// The last dimensions of x get the extents `size`, or their own times `factors`.
Arg resized(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const std::vector<Sym> size = in.integers("size");
  std::vector<double> factors;
  if (const ArgList* list = std::get_if<ArgList>(&in.arg("factors").value)) {
    for (const Arg& item : *list) {
      const double* value = std::get_if<double>(&item.value);
      if (value == nullptr && item.integer() != nullptr && item.integer()->constant()) factors.push_back(static_cast<double>(*item.integer()->constant()));
      else factors.push_back(value == nullptr ? 0 : *value);
    }
  }
  const std::string mode = in.text("mode", "nearest");
  const bool align = in.flag("align", false);
  const int n = static_cast<int>(size.empty() ? factors.size() : size.size()), first = b.rank(x) - n;
  for (int k = 0; k < n; ++k) {
    const double factor = factors.size() == at(n) ? factors.at(at(k)) : 0;
    const Sym to = size.empty() ? scaled_extent(in, b.shape(x).at(at(first + k)), factor) : size.at(at(k));
    const Axis axis(b, x, first + k, to, factor);
    if (mode == "linear") x = axis.linear(align);
    else if (mode == "cubic") x = axis.cubic(align);
    else x = axis.nearest(mode == "exact");
  }
  return tensor_arg(x);
}

// Where a coordinate of a grid (-1 to 1) lies in an extent, as an index that may lie outside.
ValueId grid_place(Operands& in, ValueId grid, const Sym& extent) {
  ir::Builder& b = in.builder();
  const ValueId one = number(b, 1), half = number(b, 0.5), size = real(b, extent), last = real(b, extent - 1);
  const ValueId x = b.elementwise("add", {grid, one});
  const ValueId place = in.flag("align", false) ? b.elementwise("mul", {b.elementwise("mul", {x, half}), last})
                                                : b.elementwise("mul", {b.elementwise("sub", {b.elementwise("mul", {x, size}), one}), half});
  return b.elementwise("where", {b.elementwise("eq", {place, place}), place, number(b, -1)});
}

// The index that stands for one outside: itself where zeros are outside (up to `reach` away from the image, further away is outside too), otherwise one inside.
ValueId padded(Operands& in, ValueId x, const Sym& extent, double reach) {
  ir::Builder& b = in.builder();
  const bool align = in.flag("align", false);
  const ValueId half = number(b, 0.5), size = real(b, extent), last = real(b, extent - 1);
  const std::int64_t padding = in.fixed("padding", 0);
  if (padding == 0) return clamped(b, x, number(b, -reach), b.elementwise("add", {last, number(b, reach)}));
  if (padding == 2) {
    // reflected at -0.5 and extent - 0.5, or at the centres of the outermost pixels
    const ValueId low = number(b, align ? 0 : -0.5), span = align ? last : size;
    const ValueId away = b.elementwise("abs", {b.elementwise("sub", {x, low})});
    const ValueId safe = b.elementwise("maximum", {span, number(b, 1e-30)});
    const ValueId flips = b.elementwise("floor", {b.elementwise("div", {away, safe})});
    const ValueId extra = b.elementwise("sub", {away, b.elementwise("mul", {flips, span})});
    const ValueId pairs = b.elementwise("floor", {b.elementwise("mul", {flips, half})});
    const ValueId odd = b.elementwise("ne", {b.elementwise("mul", {pairs, number(b, 2)}), flips});
    x = b.elementwise("add", {b.elementwise("where", {odd, b.elementwise("sub", {span, extra}), extra}), low});
  }
  return clamped(b, x, number(b, 0), last);
}

// What lies outside counts as nothing: the index of one dimension, cut to lie inside, and whether it did.
struct Neighbour {
  ValueId index, inside;
};

Neighbour neighbour(ir::Builder& b, ValueId place, const Sym& extent) {
  const ValueId i = b.cast(place, ir::DType::int64), zero = b.constant(0, ir::DType::int64), last = integer(b, extent - 1);
  return {clamped(b, i, zero, last), b.elementwise("and", {b.elementwise("ge", {i, zero}), b.elementwise("le", {i, last})})};
}

// Sixteen neighbours; those outside are padded one by one, so that their weights stay as they are.
ValueId bicubic_sampled(Operands& in, ValueId x, const std::vector<ValueId>& places, const Shape& spread, const Shape& to) {
  ir::Builder& b = in.builder();
  const std::vector<Sym> symbols = ir::index_symbols(to);
  const std::vector<Sym> where{symbols[0], symbols[1], Sym::index("t0", b.shape(x)[2]), Sym::index("t1", b.shape(x)[3])};
  std::vector<std::vector<Neighbour>> taps(2);
  std::vector<std::vector<ValueId>> weights(2);
  for (int k = 0; k < 2; ++k) {
    const ValueId low = b.elementwise("floor", {places.at(at(k))}), t = b.elementwise("sub", {places.at(at(k)), low});
    for (int tap = -1; tap <= 2; ++tap) {
      const Sym& extent = b.shape(x).at(at(2 + k));
      taps.at(at(k)).push_back(neighbour(b, padded(in, b.elementwise("add", {low, number(b, tap)}), extent, 4), extent));
      weights.at(at(k)).push_back(cubic_weight(b, t, tap));
    }
  }
  ValueId out = -1;
  for (std::size_t i = 0; i < 4; ++i) {
    ValueId row = -1;
    for (std::size_t j = 0; j < 4; ++j) {
      const ValueId value = b.gather(x, {b.reshape(taps[0][i].index, spread), b.reshape(taps[1][j].index, spread)}, to, where);
      const ValueId inside = b.reshape(b.elementwise("and", {taps[0][i].inside, taps[1][j].inside}), spread);
      const ValueId part = b.elementwise("mul", {b.elementwise("where", {inside, value, number(b, 0)}), b.reshape(weights[1][j], spread)});
      row = row < 0 ? part : b.elementwise("add", {row, part});
    }
    const ValueId part = b.elementwise("mul", {row, b.reshape(weights[0][i], spread)});
    out = out < 0 ? part : b.elementwise("add", {out, part});
  }
  return out;
}

// x [n, c, spatial..] at the places of a grid [n, out.., rank], whose last dimension names x first.
Arg grid_sampled(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 4), grid = in.tensor("grid", 2);
  const int spatial = b.rank(x) - 2;
  const std::int64_t mode = in.fixed("mode", 0);
  in.need(spatial == 2 || (spatial == 3 && mode != 2), "x has another number of dimensions than is needed");
  Shape places(b.shape(grid).begin(), b.shape(grid).end() - 1), spread = places, to = places;
  spread.insert(spread.begin() + 1, Sym(1));
  to.insert(to.begin() + 1, b.shape(x)[1]);
  std::vector<ValueId> given, low, share;
  for (int k = 0; k < spatial; ++k) {
    std::vector<Sym> index = ir::index_symbols(places);
    index.emplace_back(spatial - 1 - k);
    given.push_back(grid_place(in, b.remap(grid, places, index), b.shape(x).at(at(2 + k))));
  }
  if (mode == 2) return tensor_arg(bicubic_sampled(in, x, given, spread, to));
  for (int k = 0; k < spatial; ++k) {
    const ValueId place = padded(in, given.at(at(k)), b.shape(x).at(at(2 + k)), 2);
    low.push_back(b.elementwise(mode == 1 ? "round" : "floor", {place}));
    share.push_back(b.elementwise("sub", {place, low.back()}));
  }
  ValueId out = -1;
  for (int corner = 0; corner < (mode == 1 ? 1 : 1 << spatial); ++corner) {
    ValueId weight = number(b, 1), inside = -1;
    std::vector<ValueId> indices;
    const std::vector<Sym> symbols = ir::index_symbols(to);
    std::vector<Sym> where{symbols[0], symbols[1]};
    for (int k = 0; k < spatial; ++k) {
      const bool high = ((corner >> k) & 1) != 0;
      const Sym extent = b.shape(x).at(at(2 + k));
      const Neighbour near = neighbour(b, high ? b.elementwise("add", {low.at(at(k)), number(b, 1)}) : low.at(at(k)), extent);
      inside = inside < 0 ? near.inside : b.elementwise("and", {inside, near.inside});
      if (mode == 0) weight = b.elementwise("mul", {weight, high ? share.at(at(k)) : b.elementwise("sub", {number(b, 1), share.at(at(k))})});
      indices.push_back(b.reshape(near.index, spread));
      where.push_back(Sym::index(fmt::format("t{}", k), extent));
    }
    const ValueId value = b.elementwise("mul", {b.gather(x, indices, to, where), mode == 0 ? b.reshape(weight, spread) : weight});
    const ValueId part = b.elementwise("where", {b.reshape(inside, spread), value, number(b, 0)});
    out = out < 0 ? part : b.elementwise("add", {out, part});
  }
  return tensor_arg(out);
}

// theta [n, k, k+1] times the places (x, y.., 1) of an image of this size -> [n, out.., k]
Arg affine_grid(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId theta = in.tensor("theta");
  const std::vector<Sym> size = in.integers("size");
  const int spatial = static_cast<int>(size.size()) - 2;
  in.need(spatial == 2 || spatial == 3, "size is not that of an image");
  Shape to{size[0]};
  to.insert(to.end(), size.begin() + 2, size.end());
  to.emplace_back(spatial);
  const std::vector<Sym> i = ir::index_symbols(to);
  ValueId out = b.remap(theta, to, {i[0], i.back(), Sym(spatial)});
  for (int k = 0; k < spatial; ++k) {  // coordinate k is the dimension k from the end
    const Sym extent = size.at(at(static_cast<int>(size.size()) - 1 - k)), o = i.at(at(spatial - k));
    const ValueId doubled = b.cast(b.index(to, o * 2 - extent + 1), ir::DType::float32);
    const Sym by = in.flag("align", false) ? extent - 1 : extent;
    const ValueId place = by.is(0) ? number(b, 0) : b.elementwise("div", {doubled, real(b, by)});
    out = b.elementwise("add", {out, b.elementwise("mul", {b.remap(theta, to, {i[0], i.back(), Sym(k)}), place})});
  }
  return tensor_arg(out);
}

struct Window {
  Sym size, stride, padding, dilation;
};

std::vector<Window> windows_of(Operands& in) {
  const std::vector<Sym> size = in.integers("size"), stride = in.integers("stride"), padding = in.integers("padding"), dilation = in.integers("dilation");
  std::vector<Window> out;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto of = [&](const std::vector<Sym>& list, const Sym& otherwise) { return list.empty() ? otherwise : list[std::min(k, list.size() - 1)]; };
    out.push_back({of(size, 1), of(stride, 1), of(padding, 0), of(dilation, 1)});
  }
  return out;
}

// [n, c*kh*kw, windows] -> [n, c, h, w]: each element is the sum of the windows that lie over it.
Arg folded(Operands& in) {
  ir::Builder& b = in.builder();
  ValueId x = in.tensor("x");
  const std::vector<Window> w = windows_of(in);
  const std::vector<Sym> size = in.integers("output");
  in.need(size.size() == 2 && (b.rank(x) == 2 || b.rank(x) == 3), "an output of two dimensions is needed");
  const bool batched = b.rank(x) == 3;
  if (!batched) x = b.reshape(x, {1, b.shape(x)[0], b.shape(x)[1]});
  const Sym channels = ir::floor_div(b.shape(x)[1], w[0].size * w[1].size);
  std::vector<Sym> count;
  for (std::size_t k = 0; k < 2; ++k)
    count.push_back(ir::floor_div(size[k] + w[k].padding * 2 - w[k].dilation * (w[k].size - 1) - 1, w[k].stride) + 1);
  const ValueId apart = b.reshape(x, {b.shape(x)[0], channels, w[0].size, w[1].size, count[0], count[1]});
  const Shape domain{b.shape(x)[0], channels, size[0], size[1], w[0].size, w[1].size};
  const std::vector<Sym> i = ir::index_symbols(domain);
  std::vector<Sym> index{i[0], i[1], i[4], i[5]}, valid;
  for (std::size_t k = 0; k < 2; ++k) {
    const Sym begin = i[2 + k] + w[k].padding - i[4 + k] * w[k].dilation, which = ir::floor_div(begin, w[k].stride);
    index.push_back(which);
    valid.insert(valid.end(), {begin, count[k] - 1 - which, Sym(0) - ir::modulo(begin, w[k].stride)});
  }
  const ValueId total = b.reduce("sum", b.remap(apart, domain, index, valid, 0), {4, 5});
  Shape to(domain.begin() + (batched ? 0 : 1), domain.begin() + 4);
  return tensor_arg(b.reshape(total, to));
}

// [n, c, h, w] -> [n, c*kh*kw, windows]
Arg unfolded(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const Names named{{"stride", in.arg("stride")}, {"padding", in.arg("padding")}, {"dilation", in.arg("dilation")}};
  const ValueId v = in.tensor_of(call_function("windows", {tensor_arg(x), in.arg("size")}, named, b));
  const Shape s = b.shape(v);  // [n,] c, oh, ow, kh, kw
  const bool batched = b.rank(x) == 4;
  const std::size_t c = batched ? 1 : 0;
  const std::vector<int> order = batched ? std::vector<int>{0, 1, 4, 5, 2, 3} : std::vector<int>{0, 3, 4, 1, 2};
  in.need(s.size() == c + 5, "x and size have other numbers of dimensions than are needed");
  Shape to{s[c] * s[c + 3] * s[c + 4], s[c + 1] * s[c + 2]};
  if (batched) to.insert(to.begin(), s[0]);
  return tensor_arg(b.reshape(b.permute(v, order), to));
}

constexpr Function kFunctions[] = {
    {"affine_grid", "theta, size, align", affine_grid},
    {"folded", "x, output, size, dilation, padding, stride", folded},
    {"grid_sampled", "x, grid, mode, padding, align", grid_sampled},
    {"resized", "x, size, factors, mode, align", resized},
    {"unfolded", "x, size, dilation, padding, stride", unfolded},
};

}  // namespace

std::span<const Function> resample_functions() {
  return kFunctions;
}

}  // namespace ka::graph

// Pools and norms: window and group arithmetic that a term cannot say.
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

std::vector<int> last_dims(int rank, int n) {
  std::vector<int> out(at(n));
  std::iota(out.begin(), out.end(), rank - n);
  return out;
}

ValueId number(ir::Builder& b, double value) { return b.constant(value, ir::DType::float32); }

ValueId real(ir::Builder& b, const Sym& value, const Shape& shape = {}) {
  return b.cast(b.index(shape, value), ir::DType::float32);
}

// The windows of a pool: its operands, the windows as a view, and the shape without the taps.
struct Pool {
  ValueId x = -1, view = -1;
  Shape out;
  std::vector<Sym> size, stride, padding, dilation;
  int n = 0;
};

Pool pool_of(Operands& in, double fill) {
  ir::Builder& b = in.builder();
  Pool p;
  p.x = in.tensor("x");
  p.n = static_cast<int>(in.integers("size").size());
  if (p.n == 1 && b.rank(p.x) > 3) p.n = b.rank(p.x) - 2;
  p.size = in.positive("size", at(p.n), {});
  p.stride = in.positive("stride", at(p.n), p.size);
  p.padding = in.integers("padding", at(p.n), {0});
  p.dilation = in.positive("dilation", at(p.n), {1});
  const auto list = [](const std::vector<Sym>& values) {
    ArgList out;
    for (const Sym& value : values) out.push_back(Arg{value});
    return Arg{out};
  };
  const Names named{{"dilation", in.has("dilation") ? in.arg("dilation") : Arg{}},
                    {"ceil_mode", in.arg("ceil_mode")},
                    {"fill", Arg{fill}}};
  p.view = in.tensor_of(call_function("windows", {tensor_arg(p.x), list(p.size), list(p.stride), list(p.padding)}, named, b));
  p.out = {b.shape(p.view).begin(), b.shape(p.view).end() - p.n};
  return p;
}

// Where the largest element of each window lies in its plane, counted in row-major order, as PyTorch counts it. `begin` is
// where the windows begin in each dimension, over the index of the result; `step` the distance of their taps.
ValueId places_of_largest(ir::Builder& b, ValueId view, const Shape& out, const Shape& plane, const std::vector<Sym>& begin,
                          const std::vector<Sym>& step) {
  const int n = static_cast<int>(plane.size());
  const Shape taps(b.shape(view).end() - n, b.shape(view).end());
  const auto whole = [&](const Sym& value) { return b.index({}, value); };
  ValueId rest = b.reshape(b.reduce("argmax", view, last_dims(b.rank(view), n)), out), flat = whole(0);
  Sym pitch = 1;
  for (int k = n - 1; k >= 0; --k) {
    const ValueId tap = b.elementwise("fmod", {rest, whole(taps.at(at(k)))});
    rest = b.elementwise("trunc_div", {rest, whole(taps.at(at(k)))});
    const ValueId place = b.elementwise("add", {b.index(out, begin.at(at(k))), b.elementwise("mul", {tap, whole(step.at(at(k)))})});
    flat = b.elementwise("add", {flat, b.elementwise("mul", {place, whole(pitch)})});
    pitch = pitch * plane.at(at(k));
  }
  return flat;
}

Arg max_pool(Operands& in) {
  ir::Builder& b = in.builder();
  const Pool p = pool_of(in, -std::numeric_limits<double>::infinity());
  const Arg largest = tensor_arg(b.reshape(b.reduce("max", p.view, last_dims(b.rank(p.view), p.n)), p.out));
  if (!in.flag("indices", false)) return largest;
  const std::vector<Sym> i = ir::index_symbols(p.out);
  const std::size_t first = p.out.size() - at(p.n);
  std::vector<Sym> begin;
  for (std::size_t k = 0; k < at(p.n); ++k) begin.push_back(i[first + k] * p.stride[k] - p.padding[k]);
  const Shape plane(b.shape(p.x).end() - p.n, b.shape(p.x).end());
  return Arg{ArgList{largest, tensor_arg(places_of_largest(b, p.view, p.out, plane, begin, p.dilation))}};
}

Arg avg_pool(Operands& in) {
  ir::Builder& b = in.builder();
  const Pool p = pool_of(in, 0);
  const ValueId total = b.reshape(b.reduce("sum", p.view, last_dims(b.rank(p.view), p.n)), p.out);
  if (in.has("divisor")) return tensor_arg(b.elementwise("div", {total, number(b, in.number("divisor", 1))}));
  const std::vector<Sym> i = ir::index_symbols(p.out);
  const bool with_padding = in.flag("count_include_pad", true);
  Sym count = 1;
  for (int k = 0; k < p.n; ++k) {
    const int d = static_cast<int>(p.out.size()) - p.n + k;
    const Sym extent = b.shape(p.x).at(at(d)), begin = i.at(at(d)) * p.stride.at(at(k)) - p.padding.at(at(k)), end = begin + p.size.at(at(k));
    if (with_padding) count = count * (ir::minimum(end, extent + p.padding.at(at(k))) - begin);
    else count = count * (ir::minimum(end, extent) - ir::maximum(begin, 0));
  }
  return tensor_arg(b.elementwise("div", {total, real(b, count, count.is_constant() ? Shape{} : p.out)}));
}

// Place o of n covers [floor(o*h/n), ceil((o+1)*h/n)).
Arg adaptive_pool(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  std::vector<Sym> wanted = in.integers("output");
  const int n = static_cast<int>(wanted.size()), first = b.rank(x) - n;
  in.need(n > 0 && first >= 0, "output has another number of dimensions than x");
  const bool mean = in.text("kind", "mean") == "mean";
  Shape to(b.shape(x).begin(), b.shape(x).begin() + first), out = to;
  for (int k = 0; k < n; ++k) {
    if (wanted.at(at(k)).is(-1)) wanted.at(at(k)) = b.shape(x).at(at(first + k));
    to.push_back(wanted.at(at(k)));
    out.push_back(wanted.at(at(k)));
  }
  std::vector<bool> even;
  for (int k = 0; k < n; ++k) {
    const Sym extent = b.shape(x).at(at(first + k));
    even.push_back(ir::modulo(extent, wanted.at(at(k))).is(0));
    to.push_back(even.back() ? ir::floor_div(extent, wanted.at(at(k))) : ir::ceil_div(extent, wanted.at(at(k))) + 1);
  }
  const std::vector<Sym> i = ir::index_symbols(to);
  std::vector<Sym> index(i.begin(), i.begin() + first), valid, begins;
  Sym count = 1;
  for (int k = 0; k < n; ++k) {
    const Sym extent = b.shape(x).at(at(first + k)), o = i.at(at(first + k)), tap = i.at(at(first + n + k));
    const Sym begin = even.at(at(k)) ? o * to.at(at(first + n + k)) : ir::floor_div(o * extent, wanted.at(at(k)));
    const Sym end = even.at(at(k)) ? begin + to.at(at(first + n + k)) : ir::ceil_div((o + 1) * extent, wanted.at(at(k)));
    begins.push_back(begin);
    index.push_back(begin + tap);
    if (!even.at(at(k))) valid.push_back(end - 1 - begin - tap);
    count = count * (end - begin);
  }
  const ValueId view = b.remap(x, to, index, valid, mean ? 0 : -std::numeric_limits<double>::infinity());
  const ValueId reduced = b.reshape(b.reduce(mean ? "sum" : "max", view, last_dims(b.rank(view), n)), out);
  if (!mean) {
    const Shape plane(b.shape(x).end() - n, b.shape(x).end());
    const ValueId places = places_of_largest(b, view, out, plane, begins, std::vector<Sym>(at(n), Sym(1)));
    return Arg{ArgList{tensor_arg(reduced), tensor_arg(places)}};
  }
  return tensor_arg(b.elementwise("div", {reduced, real(b, count, count.is_constant() || symbols(count).empty() ? Shape{} : out)}));
}

// (x - mean) / sqrt(variance + eps) over some dimensions, and the two statistics.
struct Normalized {
  ValueId y, mean, variance;
};

Normalized normalized(ir::Builder& b, ValueId x, const std::vector<int>& dims, double eps) {
  const ValueId n = real(b, extent_of(b.shape(x), dims));
  const ValueId mean = b.elementwise("div", {b.reduce("sum", x, dims), n});
  const ValueId d = b.elementwise("sub", {x, mean});
  const ValueId variance = b.elementwise("div", {b.reduce("sum", b.elementwise("mul", {d, d}), dims), n});
  const ValueId scale = b.elementwise("rsqrt", {b.elementwise("add", {variance, number(b, eps)})});
  return {b.elementwise("mul", {d, scale}), mean, variance};
}

ValueId per_channel(ir::Builder& b, ValueId w, int rank) {
  Shape to(at(rank), Sym(1));
  to.at(1) = ir::product(b.shape(w));
  return b.reshape(w, to);
}

ValueId scaled_and_shifted(Operands& in, ValueId y, const std::function<ValueId(ValueId)>& fit) {
  ir::Builder& b = in.builder();
  if (in.has("weight")) y = b.elementwise("mul", {y, fit(in.tensor("weight"))});
  if (in.has("bias")) y = b.elementwise("add", {y, fit(in.tensor("bias"))});
  return y;
}

std::vector<int> all_but_channel(int rank) {
  std::vector<int> out;
  for (int d = 0; d < rank; ++d) {
    if (d != 1) out.push_back(d);
  }
  return out;
}

// With batch statistics: y, mean, 1/deviation and the new running statistics. Otherwise y alone counts.
Arg batch_norm(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 2);
  const int rank = b.rank(x);
  const double eps = in.number("eps", 1e-5), momentum = in.number("momentum", 0.1);
  const auto fit = [&](ValueId w) { return per_channel(b, w, rank); };
  const auto flat = [&](ValueId v) { return b.reshape(v, {b.shape(x)[1]}); };
  const bool has_running = in.has("running_mean");
  if (!in.flag("training", false) && has_running) {
    const ValueId scale = b.elementwise("rsqrt", {b.elementwise("add", {fit(in.tensor("running_var")), number(b, eps)})});
    const ValueId d = b.elementwise("sub", {x, fit(in.tensor("running_mean"))});
    const ValueId y = scaled_and_shifted(in, b.elementwise("mul", {d, scale}), fit);
    if (in.flag("single", false)) return tensor_arg(y);
    return Arg{ArgList{tensor_arg(y), tensor_arg(flat(fit(in.tensor("running_mean")))), tensor_arg(flat(scale)),
                       tensor_arg(in.tensor("running_mean")), tensor_arg(in.tensor("running_var"))}};
  }
  const std::vector<int> dims = all_but_channel(rank);
  const Normalized n = normalized(b, x, dims, eps);
  const ValueId y = scaled_and_shifted(in, n.y, fit);
  if (in.flag("single", false)) return tensor_arg(y);
  const ValueId inverse = b.elementwise("rsqrt", {b.elementwise("add", {n.variance, number(b, eps)})});
  ArgList out{tensor_arg(y), tensor_arg(flat(n.mean)), tensor_arg(flat(inverse)), Arg{}, Arg{}};
  if (!has_running) return Arg{out};
  const Sym count = extent_of(b.shape(x), dims);
  const ValueId unbiased = b.elementwise("mul", {n.variance, b.elementwise("div", {real(b, count), real(b, count - 1)})});
  const auto blended = [&](const char* name, ValueId fresh) {
    const ValueId old = b.elementwise("mul", {in.tensor(name), number(b, 1 - momentum)});
    return tensor_arg(b.elementwise("add", {old, b.elementwise("mul", {flat(fresh), number(b, momentum)})}));
  };
  out[3] = blended("running_mean", n.mean);
  out[4] = blended("running_var", unbiased);
  return Arg{out};
}

Arg group_norm(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 2);
  const Shape shape = b.shape(x);
  const Sym groups = in.positive("groups", 1, {})[0];
  const Sym rest = ir::floor_div(ir::product(Shape(shape.begin() + 1, shape.end())), groups);
  const ValueId grouped = b.reshape(x, {shape[0], groups, rest});
  const ValueId y = b.reshape(normalized(b, grouped, {2}, in.number("eps", 1e-5)).y, shape);
  return tensor_arg(scaled_and_shifted(in, y, [&](ValueId w) { return per_channel(b, w, b.rank(x)); }));
}

Arg instance_norm(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 2);
  std::vector<int> dims = last_dims(b.rank(x), b.rank(x) - 2);
  const ValueId y = normalized(b, x, dims, in.number("eps", 1e-5)).y;
  return tensor_arg(scaled_and_shifted(in, y, [&](ValueId w) { return per_channel(b, w, b.rank(x)); }));
}

Arg layer_norm(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const int n = static_cast<int>(in.integers("normalized_shape").size());
  const ValueId y = normalized(b, x, last_dims(b.rank(x), n), in.number("eps", 1e-5)).y;
  return tensor_arg(scaled_and_shifted(in, y, [](ValueId w) { return w; }));
}

// A weight of one value per channel, placed to be multiplied with x.
Arg channels(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId w = in.tensor("w"), x = in.tensor("x");
  if (ir::product(b.shape(w)).is(1) || b.rank(x) < 2) return tensor_arg(b.reshape(w, {ir::product(b.shape(w))}));
  return tensor_arg(per_channel(b, w, b.rank(x)));
}

// [n, c, 1, 1]: one element per channel.
Arg channel_shape(Operands& in) {
  ArgList out;
  const Shape& shape = in.builder().shape(in.tensor("x"));
  for (std::size_t d = 0; d < shape.size(); ++d) out.push_back(Arg{d < 2 ? shape[d] : Sym(1)});
  return Arg{out};
}

// [.., c*r*r, h, w] -> [.., c, h*r, w*r]
Arg pixel_shuffle(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 3);
  const Sym r = in.positive("r", 1, {})[0];
  const Shape s = b.shape(x);
  const std::size_t n = s.size();
  const Sym c = ir::floor_div(s[n - 3], r * r), outer = ir::product(Shape(s.begin(), s.end() - 3));
  const ValueId apart = b.reshape(x, {outer, c, r, r, s[n - 2], s[n - 1]});
  Shape to(s.begin(), s.end() - 3);
  to.insert(to.end(), {c, s[n - 2] * r, s[n - 1] * r});
  return tensor_arg(b.reshape(b.permute(apart, {0, 1, 4, 2, 5, 3}), to));
}

Arg pixel_unshuffle(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x", 3);
  const Sym r = in.positive("r", 1, {})[0];
  const Shape s = b.shape(x);
  const std::size_t n = s.size();
  const Sym outer = ir::product(Shape(s.begin(), s.end() - 3)), h = ir::floor_div(s[n - 2], r), w = ir::floor_div(s[n - 1], r);
  const ValueId apart = b.reshape(x, {outer, s[n - 3], h, r, w, r});
  Shape to(s.begin(), s.end() - 3);
  to.insert(to.end(), {s[n - 3] * r * r, h, w});
  return tensor_arg(b.reshape(b.permute(apart, {0, 1, 3, 5, 2, 4}), to));
}

constexpr Function kFunctions[] = {
    {"adaptive_pool", "x, output, kind", adaptive_pool},
    {"avg_pool", "x, size, stride, padding, ceil_mode, count_include_pad, divisor, dilation", avg_pool},
    {"batch_norm", "x, weight, bias, running_mean, running_var, training, momentum, eps, single", batch_norm},
    {"channel_shape", "x", channel_shape},
    {"channels", "w, x", channels},
    {"group_norm", "x, groups, weight, bias, eps", group_norm},
    {"instance_norm", "x, weight, bias, eps", instance_norm},
    {"layer_norm", "x, normalized_shape, weight, bias, eps", layer_norm},
    {"pixel_shuffle", "x, r", pixel_shuffle},
    {"pixel_unshuffle", "x, r", pixel_unshuffle},
    {"max_pool", "x, size, stride, padding, dilation, ceil_mode, indices", max_pool},
};

}  // namespace

std::span<const Function> network_functions() {
  return kFunctions;
}

}  // namespace ka::graph

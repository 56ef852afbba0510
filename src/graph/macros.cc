// Composite functions of the term language, one row each. Reduced dimensions keep their place with extent 1.
#include "graph/term_functions.h"

namespace ka::graph {
namespace {

constexpr Macro kMacros[] = {
    {"relu", "x", "maximum(x, 0)"},
    {"mean", "x, dim, keepdim", "sum(x, dim, keepdim=keepdim) / count(x, dim)"},
    {"clamp", "x, low, high",
     "let a = if low == none then x else maximum(x, low); if high == none then a else minimum(a, high)"},
    {"softmax", "x, dim", "let e = exp(x - amax(x, dim)); e / sum(e, dim)"},
    {"softmax_or_zero", "x, dim",
     "let m = amax(x, dim); let e = exp(x - where(m == -inf, 0, m)); let s = sum(e, dim); e / where(s == 0, 1, s)"},
    {"log_softmax", "x, dim", "let s = x - amax(x, dim); s - log(sum(exp(s), dim))"},
    {"logsumexp", "x, dim, keepdim",
     "let m = amax(x, dim); let f = where(abs(m) == inf, 0, m);"
     "reduced_shape(log(sum(exp(x - f), dim)) + f, dim, keepdim)"},
    {"reduced_shape", "x, dim, keepdim", "if keepdim == true then x else squeeze(x, dim)"},
    {"softplus", "x, beta, threshold",
     "where(x * beta > threshold, x, log1p(exp(minimum(x * beta, threshold))) / beta)"},
    {"numbers", "start, end, step, dtype",
     "let n = steps(start, end, step);"
     "if is_whole(start) and is_whole(end) and is_whole(step) then cast(arange(n, start, step), dtype)"
     "  else start + step * cast(arange(n), if dtype == none then float32 else dtype)"},
    {"lerp", "a, b, w",
     "if known(w) then (if w < 0.5 then a + w * (b - a) else b - (b - a) * (1 - w))"
     "  else where(abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))"},
    // by the recurrence to a place where the asymptotic series holds; below zero by reflection
    {"digamma", "x",
     "let t = where(x < 0, 1 - x, x); let y = t + 8; let r = 1 / (y * y);"
     "let s = log(y) - 0.5 / y - r * (0.083333333333333333 - r * (0.0083333333333333333 - r * (0.0039682539682539683 - r * 0.0041666666666666667)));"
     "let p = 1 / t + 1 / (t + 1) + 1 / (t + 2) + 1 / (t + 3) + 1 / (t + 4) + 1 / (t + 5) + 1 / (t + 6) + 1 / (t + 7);"
     "let f = x - trunc(x);"
     "where(x == 0, copysign(inf, -x), where(x < 0, where(f == 0, inf - inf, s - p - 3.1415926535897931 / tan(3.1415926535897931 * f)), s - p))"},
    {"erf_gelu", "x", "0.5 * x * (1 + erf(x * 0.70710678118654752))"},
    {"tanh_gelu", "x", "0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)))"},
    {"elu", "x, alpha, scale, input_scale",
     "where(x > 0, x * scale, expm1(minimum(x, 0) * input_scale) * (alpha * scale))"},
    {"variance", "x, dim, correction",
     "let d = x - mean(x, dim); sum(d * d, dim) / maximum(count(x, dim) - correction, 0)"},
    {"normalized", "x, dim, eps",
     "let d = x - mean(x, dim); d * rsqrt(sum(d * d, dim) / count(x, dim) + eps)"},
    {"loss_reduction", "x, reduction",
     "if reduction == 1 then mean(x, none, false) else if reduction == 2 then sum(x, none, keepdim=false) else x"},
    {"xlogy", "x, y", "where(y != y, y, where(x == 0, 0, x * log(y)))"},
    // by way of the remainder, as PyTorch: the quotient may have been rounded up to the next whole number
    {"floor_divided", "x, y",
     "let r = fmod(x, y); let d = (x - r) / y; let e = where(and((r != 0), ((y < 0) != (r < 0))), d - 1, d); let f = floor(e);"
     "where(y == 0, x / y, where(e == 0, copysign(0.0, x / y), where(e - f > 0.5, f + 1, f)))"},
    {"divided", "x, y, mode",
     "if mode == none then x / y else if is_floating(x) or is_floating(y) then"
     "  (if mode == 'floor' then floor_divided(x, y) else trunc(x / y)) else if mode == 'trunc' then trunc_div(x, y) else"
     "  (let q = trunc_div(x, y); q - like(and((q * y != x), ((x < 0) != (y < 0))), q))"},
    // a factor of 0 does not look at what it is the factor of: NaN there does not matter
    {"added", "x, beta, product, alpha", "if beta == 0 then product * alpha else x * beta + product * alpha"},
    // bit by bit of the exponent
    {"whole_power", "x, e",
     "let b1 = x * x; let b2 = b1 * b1; let b3 = b2 * b2; let b4 = b3 * b3; let b5 = b4 * b4;"
     "let p = where(and(e, 1) != 0, x, 1) * where(and(e, 2) != 0, b1, 1) * where(and(e, 4) != 0, b2, 1)"
     "  * where(and(e, 8) != 0, b3, 1) * where(and(e, 16) != 0, b4, 1) * where(and(e, 32) != 0, b5, 1);"
     "if known(e) then p else where(e < 0, where(x == 1, 1, where(x == -1, where(and(e, 1) != 0, -1, 1), 0)), p)"},
    {"power", "x, e",
     "if is_floating(x) == false and is_floating(e) == false then whole_power(x, e) else if known(e) == false then pow(x, e) else if e == 2 then x * x else if e == 1 then x else if e == 3 then x * x * x"
     "  else if e == 0.5 then sqrt(x) else if e == -1 then 1 / x else if e == -0.5 then rsqrt(x)"
     "  else if e == 4 then (let s = x * x; s * s) else pow(x, e)"},
    {"remainder", "x, y",
     "let r = fmod(x, y); where(and((r != 0), ((r < 0) != (y < 0))), r + y, r)"},
    {"integral_sum", "x, dtype",
     "if dtype != none then cast(x, dtype) else if is_floating(x) then x else cast(x, int64)"},
    {"correction_of", "c", "if c == none then 1 else c"},
    {"rms_norm", "x, normalized_shape, weight, eps",
     "let d = last(normalized_shape);"
     "let y = x * rsqrt(mean(x * x, d, true) + (if eps == none then epsilon(x) else eps));"
     "if weight == none then y else y * weight"},
    // on a GPU PyTorch draws by a kernel of its own, but not for a dropout in place; how many numbers a thread draws depends on the dtype
    {"dropped", "x, p, train, order, gaps, inplace, dtype",
     "if train == false or p == 0 then x else if p == 1 then x * 0 else"
     "  let of = if dtype == none then dtype_of(x) else dtype;"
     "  if inplace == true then x * (like(drawn('bernoulli', shape(x), of, 1 - p, 0, order, gaps), x) / (1 - p))"
     "  else x * like(drawn('dropout', shape(x), of, p, 0, order, gaps), x)"},
    {"fake_quantized", "x, scale, zero_point, low, high",
     "(clamp(round(x * div_rn(full([], 1.0, float32), scale)) + zero_point, low, high) - zero_point) * scale"},
    {"channel_dropped", "x, p, train",
     "if train == false or p == 0 then x else if p == 1 then x * 0 else"
     "  x * (drawn('bernoulli', channel_shape(x), dtype_of(x), 1 - p) / (1 - p))"},
    {"class_loss", "lp, dim, target, weight, reduction, ignore_index, smoothing",
     "let valid = target != ignore_index;"
     "let safe = where(valid, target, 0);"
     "let w = if weight == none then like(valid, lp) else where(valid, take(weight, 0, safe), 0);"
     "let nll = where(valid, -squeeze(gather(lp, dim, unsqueeze(safe, dim)), dim) * w, 0);"
     "let spread = if weight == none then lp else lp * class_shape(weight, lp, dim);"
     "let total = if smoothing == 0 then nll else"
     "  nll * (1 - smoothing) + where(valid, -sum(spread, dim, keepdim=false), 0) * (smoothing / size(lp, dim));"
     "if reduction == 0 then total else if reduction == 2 then sum(total, none, keepdim=false)"
     "  else sum(total, none, keepdim=false) / sum(w, none, keepdim=false)"},
    {"class_shape", "w, x, dim", "if rank(x) == 1 then w else channels(w, x)"},
    {"cross_entropy", "x, target, weight, reduction, ignore_index, smoothing",
     "let dim = if rank(x) == 1 then 0 else 1; let lp = log_softmax(x, dim);"
     "if is_floating(target) == false then class_loss(lp, dim, target, weight, reduction, ignore_index, smoothing) else"
     "  (let t = if smoothing == 0 then target else target * (1 - smoothing) + smoothing / size(x, dim);"
     "   let l = -sum((if weight == none then lp else lp * class_shape(weight, lp, dim)) * t, dim, keepdim=false);"
     "   if reduction == 0 then l else if reduction == 2 then sum(l, none, keepdim=false)"
     "   else sum(l, none, keepdim=false) / count(l))"},
    {"distance", "a, b, p, eps, keepdim", "vector_norm(a - b + eps, p, -1, keepdim)"},
    {"triplet", "a, p, n, margin, norm, eps, swap, reduction",
     "let dp = distance(a, p, norm, eps, false); let dn = distance(a, n, norm, eps, false);"
     "let d = if swap then minimum(dn, distance(p, n, norm, eps, false)) else dn;"
     "loss_reduction(maximum(margin + dp - d, 0), reduction)"},
    {"cosine", "a, b, dim, eps",
     "sum(a * b, dim, keepdim=false) / sqrt((sum(a * a, dim, keepdim=false) + eps) * (sum(b * b, dim, keepdim=false) + eps))"},
    {"alpha_dropped", "x, p, train, noise_shape, order, gaps",
     "if train == false or p == 0 then x else if p == 1 then x * 0 else"
     "  (let a = rsqrt((3.0909133056 * p + 1) * (1 - p)); let keep = drawn('bernoulli', noise_shape, dtype_of(x), 1 - p, 0, order, gaps);"
     "   x * (keep * a) + ((keep - 1) * (1.7580993408473766 * a) + 1.7580993408473766 * a * p))"},
    {"matrix", "x", "if rank(x) == 1 then unsqueeze(x, 0) else x"},
    {"multi_margin", "x, target, p, margin, weight",
     "let t = unsqueeze(reshape(target, [-1]), 1);"
     "let z = margin - gather(x, 1, t) + x; let m = where(z > 0, z, 0);"
     "let q = where(arange(size(x, 1)) == t, 0, if p == 1 then m else m * m);"
     "sum(if weight == none then q else q * take(weight, 0, t), 1, keepdim=false) / size(x, 1)"},
    // targets count up to the first negative one
    {"multilabel_margin", "x, t",
     "let valid = scan('sum', cast(t < 0, int64), 1) == 0; let safe = where(valid, t, 0);"
     "let hit = any(and(unsqueeze(valid, 1), unsqueeze(safe, 1) == unsqueeze(arange(size(x, 1)), 1)), -1, keepdim=false);"
     "let m = 1 - unsqueeze(gather(x, 1, safe), 2) + unsqueeze(x, 1);"
     "sum(where(and(and(unsqueeze(valid, 2), not unsqueeze(hit, 1)), m > 0), m, 0), [1, 2], keepdim=false) / size(x, 1)"},
    {"per_sample", "loss, x, reduction",
     "if reduction == 0 and rank(x) == 1 then reshape(loss, []) else loss_reduction(loss, reduction)"},
    // element i belongs to the bag whose first place is the last one that is not behind i
    {"embedding_bag", "weight, indices, offsets, next, mode, scales, padding_idx",
     "let n = size(indices, 0); let i = arange(n); let counts = indices != (if padding_idx == none then -1 else padding_idx);"
     "let inside = and(and(i >= unsqueeze(offsets, 1), i < unsqueeze(next, 1)), counts);"
     "let taken = take(weight, 0, indices);"
     "let rows = if scales == none then taken else taken * unsqueeze(scales, 1);"
     "let members = unsqueeze(inside, 2); let number = sum(cast(inside, int64), 1);"
     "if mode == 2 then where(number == 0, 0, amax(where(members, unsqueeze(rows, 0), -inf), 1, keepdim=false)) else"
     "  (let total = sum(where(members, unsqueeze(rows, 0), 0), 1, keepdim=false);"
     "   if mode == 1 then total / maximum(number, 1) else total)"},    {"bce_logits", "x, t, weight, pos_weight, reduction",
     "let n = -(minimum(x, 0) - log1p(exp(-abs(x))));"
     "let l = if pos_weight == none then (1 - t) * x + n else (1 - t) * x + (1 + (pos_weight - 1) * t) * n;"
     "loss_reduction(if weight == none then l else l * weight, reduction)"},
    {"bce", "x, t, weight, reduction",
     "let l = (t - 1) * maximum(log1p(-x), -100) - t * maximum(log(x), -100);"
     "loss_reduction(if weight == none then l else l * weight, reduction)"},
    {"sign", "x", "if is_boolean(x) then x else if dtype_of(x) == uint8 then like((x > 0), x) else like((x > 0), x) - like((x < 0), x)"},
    {"vector_norm", "x, p, dim, keepdim",
     "let a = abs(x);"
     "let r = if p == 2 then sqrt(sum(x * x, dim)) else if p == 1 then sum(a, dim) else if p == inf then amax(a, dim)"
     "  else if p == -inf then amin(a, dim) else if p == 0 then sum(like(x != 0, x), dim)"
     "  else pow(sum(power(a, p), dim), 1 / p);"
     "reduced_shape(r, dim, keepdim)"},
};

}  // namespace

std::span<const Macro> all_macros() {
  return kMacros;
}

}  // namespace ka::graph

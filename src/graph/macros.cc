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
    {"divided", "x, y, mode",
     "if mode == none then x / y else if is_floating(x) or is_floating(y) then"
     "  (if mode == 'floor' then floor(x / y) else trunc(x / y)) else if mode == 'trunc' then trunc_div(x, y) else"
     "  (let q = trunc_div(x, y); q - like(and((q * y != x), ((x < 0) != (y < 0))), q))"},
    {"power", "x, e",
     "if known(e) == false then pow(x, e) else if e == 2 then x * x else if e == 1 then x else if e == 3 then x * x * x"
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
    {"dropped", "x, p, train",
     "if train == false or p == 0 then x else x * (drawn('bernoulli', shape(x), dtype_of(x), 1 - p) / (1 - p))"},
    {"channel_dropped", "x, p, train",
     "if train == false or p == 0 then x else x * (drawn('bernoulli', channel_shape(x), dtype_of(x), 1 - p) / (1 - p))"},
    {"class_loss", "lp, dim, target, weight, reduction, ignore_index, smoothing",
     "let valid = target != ignore_index;"
     "let safe = where(valid, target, 0);"
     "let w = if weight == none then like(valid, lp) else where(valid, take(weight, 0, safe), 0);"
     "let nll = -squeeze(gather(lp, dim, unsqueeze(safe, dim)), dim) * w;"
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
     "sum(a * b, dim, keepdim=false) / sqrt(maximum(sum(a * a, dim, keepdim=false) * sum(b * b, dim, keepdim=false), eps * eps))"},
    {"bce_logits", "x, t, weight, pos_weight, reduction",
     "let n = -(minimum(x, 0) - log1p(exp(-abs(x))));"
     "let l = if pos_weight == none then (1 - t) * x + n else (1 - t) * x + (1 + (pos_weight - 1) * t) * n;"
     "loss_reduction(if weight == none then l else l * weight, reduction)"},
    {"bce", "x, t, weight, reduction",
     "let l = (t - 1) * maximum(log1p(-x), -100) - t * maximum(log(x), -100);"
     "loss_reduction(if weight == none then l else l * weight, reduction)"},
    {"sign", "x", "like((x > 0), x) - like((x < 0), x)"},
    {"vector_norm", "x, p, dim, keepdim",
     "let a = abs(x);"
     "let r = if p == 2 then sqrt(sum(x * x, dim)) else if p == 1 then sum(a, dim) else if p == inf then amax(a, dim)"
     "  else if p == -inf then amin(a, dim) else if p == 0 then sum(like(x != 0, x), dim)"
     "  else pow(sum(pow(a, p), dim), 1 / p);"
     "reduced_shape(r, dim, keepdim)"},
};

}  // namespace

std::span<const Macro> all_macros() {
  return kMacros;
}

}  // namespace ka::graph

// Norms, pools and losses.
#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten._native_batch_norm_legit_functional.default",
     "batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)"},
    {"aten._log_softmax.default", "log_softmax(self, dim)"},
    {"aten._softmax.default", "softmax(self, dim)"},
    {"aten._weight_norm.default", "v * (g / sqrt(sum(v * v, other_dims(v, dim))))"},
    {"aten.adaptive_avg_pool1d.default", "adaptive_pool(self, output_size, 'mean')"},
    {"aten.adaptive_avg_pool2d.default", "adaptive_pool(self, output_size, 'mean')"},
    {"aten.adaptive_avg_pool3d.default", "adaptive_pool(self, output_size, 'mean')"},
    {"aten.adaptive_max_pool1d.default", "adaptive_pool(self, output_size, 'max')"},
    {"aten.adaptive_max_pool2d.default", "adaptive_pool(self, output_size, 'max')"},
    {"aten.adaptive_max_pool3d.default", "adaptive_pool(self, output_size, 'max')"},
    {"aten.alpha_dropout.default", "alpha_dropped(input, p, train, shape(input), order)"},
    {"aten.avg_pool1d.default", "avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad)"},
    {"aten.avg_pool2d.default",
     "avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
    {"aten.avg_pool3d.default",
     "avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
    {"aten.batch_norm.default", "batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, true)"},
    {"aten.binary_cross_entropy.default", "bce(self, target, weight, reduction)"},
    {"aten.binary_cross_entropy_with_logits.default", "bce_logits(self, target, weight, pos_weight, reduction)"},
    {"aten.broadcast_tensors.default", "broadcast_tensors(tensors)"},
    {"aten.cosine_embedding_loss.default",
     "let c = cosine(input1, input2, -1, 1e-12);"
     "loss_reduction(where(target == 1, 1 - c, where(target == -1, maximum(c - margin, 0), 0)), reduction)"},
    {"aten.cosine_similarity.default",
     "let p = broadcast_tensors([x1, x2]); let a = item(p, 0); let b = item(p, 1);"
     "sum((a / maximum(vector_norm(a, 2, dim, true), eps)) * (b / maximum(vector_norm(b, 2, dim, true), eps)), dim, keepdim=false)"},
    {"aten.cross_entropy_loss.default", "cross_entropy(self, target, weight, reduction, ignore_index, label_smoothing)"},
    {"aten.dropout.default", "dropped(input, p, train, order, gaps, inplace, dtype=result_dtype)"},
    {"aten.embedding_bag.padding_idx",
     "let later = slice(offsets, 0, 1); let n = size(indices, 0);"
     "let first = if include_last_offset then slice(offsets, 0, 0, -1) else offsets;"
     "let next = if include_last_offset then later else cat([later, full([1], n, int64)], 0);"
     "[embedding_bag(weight, indices, first, next, mode, per_sample_weights, padding_idx), none, none, none]"},
    {"aten.bernoulli.p", "drawn('bernoulli', shape(self), dtype_of(self), p, 0, order)"},
    {"aten.exponential.default", "drawn('exponential_', shape(self), dtype_of(self), lambd, 0, order)"},
    {"aten.feature_alpha_dropout.default", "alpha_dropped(input, p, train, channel_shape(input))"},
    {"aten.feature_dropout.default", "channel_dropped(input, p, train)"},
    {"aten.glu.default", "let p = chunk(self, 2, dim); item(p, 0) * sigmoid(item(p, 1))"},
    {"aten.group_norm.default", "group_norm(input, num_groups, weight, bias, eps)"},
    {"aten.huber_loss.default",
     "let a = abs(self - target); loss_reduction(where(a < delta, 0.5 * a * a, delta * (a - 0.5 * delta)), reduction)"},
    {"aten.instance_norm.default",
     "if use_input_stats then instance_norm(input, weight, bias, eps)"
     "  else batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps, true)"},
    {"aten.kl_div.default",
     "let t = if log_target then exp(target) * (target - self) else xlogy(target, target) - target * self;"
     "loss_reduction(t, reduction)"},
    {"aten.l1_loss.default", "loss_reduction(abs(self - target), reduction)"},
    {"aten.layer_norm.default", "layer_norm(input, normalized_shape, weight, bias, eps)"},
    {"aten.log_softmax.int", "log_softmax(exact_cast(self, dtype), dim)"},
    {"aten.max_pool1d.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode)"},
    {"aten.max_pool2d.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode)"},
    {"aten.max_pool3d.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode)"},
    {"aten.max_pool1d_with_indices.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, true)"},
    {"aten.max_pool2d_with_indices.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, true)"},
    {"aten.max_pool3d_with_indices.default", "max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, true)"},
    {"aten.multi_margin_loss.default",
     "per_sample(multi_margin(matrix(self), target, p, margin, weight), self, reduction)"},
    {"aten.multilabel_margin_loss.default",
     "per_sample(multilabel_margin(matrix(self), matrix(target)), self, reduction)"},
    {"aten.hinge_embedding_loss.default",
     "loss_reduction(where(target != 1, maximum(margin - self, 0), 0) + where(target != -1, self, 0), reduction)"},
    {"aten.margin_ranking_loss.default", "loss_reduction(maximum(-target * (input1 - input2) + margin, 0), reduction)"},
    {"aten.native_dropout.default", "[dropped(input, p, train, order, gaps, dtype=result_dtype), full(shape(input), true, bool)]"},
    {"aten.nll_loss_nd.default", "class_loss(self, if rank(self) == 1 then 0 else 1, target, weight, reduction, ignore_index, 0)"},
    {"aten.normal.float_float", "drawn('normal_', size, dtype, mean, std)"},
    {"aten.normal_functional.default", "drawn('normal_', shape(self), dtype_of(self), mean, std, order)"},
    {"aten.pairwise_distance.default", "distance(x1, x2, p, eps, keepdim)"},
    {"aten.pixel_shuffle.default", "pixel_shuffle(self, upscale_factor)"},
    {"aten.pixel_unshuffle.default", "pixel_unshuffle(self, downscale_factor)"},
    {"aten.poisson_nll_loss.default",
     "let l = if log_input then exp(input) - target * input else input - target * log(input + eps);"
     "let s = target * log(target) - target + 0.5 * log(6.2831853071795862 * target);"
     "loss_reduction(if full then l + where(target <= 1, 0, s) else l, reduction)"},
    {"aten.rand.default", "drawn('rand', size, dtype)"},
    {"aten.rand_like.default", "drawn('rand', shape(self), result_dtype, 0, 1, order)"},
    {"aten.randint.default", "drawn('randint', size, if dtype == none then int64 else dtype, 0, high)"},
    {"aten.randint.low", "drawn('randint', size, if dtype == none then int64 else dtype, low, high)"},
    {"aten.randn.default", "drawn('randn', size, dtype)"},
    {"aten.randn_like.default", "drawn('randn', shape(self), result_dtype, 0, 1, order)"},
    {"aten.randperm.default", "drawn('randperm', [n], if dtype == none then int64 else dtype)"},
    {"aten.soft_margin_loss.default", "loss_reduction(log1p(exp(-target * self)), reduction)"},
    {"aten.triplet_margin_loss.default",
     "triplet(anchor, positive, negative, margin, p, eps, swap, reduction)"},
    {"aten.mse_loss.default", "let d = self - target; loss_reduction(d * d, reduction)"},
    {"aten.rms_norm.default", "rms_norm(input, normalized_shape, weight, eps)"},
    {"aten.smooth_l1_loss.default",
     "let a = abs(self - target);"
     "loss_reduction(if beta == 0 then a else where(a < beta, 0.5 * a * a / beta, a - 0.5 * beta), reduction)"},
    {"aten.uniform.default", "drawn('uniform_', shape(self), dtype_of(self), from, to, order)"},
    {"aten.softmax.int", "softmax(exact_cast(self, dtype), dim)"},
};

}  // namespace

std::span<const Operator> network_operators() {
  return kOperators;
}

}  // namespace ka::graph

#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten.all.default", "all(self, none, keepdim=false)"},
    {"aten.all.dim", "all(self, dim, keepdim=keepdim)"},
    {"aten.all.dims", "all(self, dim, keepdim=keepdim)"},
    {"aten.amax.default", "amax(self, dim, keepdim=keepdim)"},
    {"aten.amin.default", "amin(self, dim, keepdim=keepdim)"},
    {"aten.aminmax.default", "[amin(self, dim, keepdim=keepdim), amax(self, dim, keepdim=keepdim)]"},
    {"aten.any.default", "any(self, none, keepdim=false)"},
    {"aten.any.dim", "any(self, dim, keepdim=keepdim)"},
    {"aten.any.dims", "any(self, dim, keepdim=keepdim)"},
    {"aten.argmax.default", "argmax(self, dim, keepdim=keepdim)"},
    {"aten.argmin.default", "argmin(self, dim, keepdim=keepdim)"},
    {"aten.count_nonzero.default", "sum(cast(self != 0, int64), dim, keepdim=false)"},
    {"aten.count_nonzero.dim_IntList", "sum(cast(self != 0, int64), dim, keepdim=false)"},
    {"aten.cumprod.default", "scan('prod', integral_sum(self, dtype), dim)"},
    {"aten.cumsum.default", "scan('sum', integral_sum(self, dtype), dim)"},
    {"aten.dist.default", "vector_norm(self - other, p, none, false)"},
    {"aten.linalg_vector_norm.default", "vector_norm(exact_cast(self, dtype), ord, dim, keepdim)"},
    {"aten.logsumexp.default", "logsumexp(self, dim, keepdim)"},
    {"aten.max.default", "amax(self, none, keepdim=false)"},
    {"aten.max.dim", "[amax(self, dim, keepdim=keepdim), argmax(self, dim, keepdim=keepdim)]"},
    {"aten.mean.default", "mean(self, none, false)"},
    {"aten.mean.dim", "mean(self, dim, keepdim)"},
    {"aten.min.default", "amin(self, none, keepdim=false)"},
    {"aten.min.dim", "[amin(self, dim, keepdim=keepdim), argmin(self, dim, keepdim=keepdim)]"},
    {"aten.nansum.default", "sum(integral_sum(where(self != self, 0, self), dtype), dim, keepdim=keepdim)"},
    {"aten.norm.Scalar", "vector_norm(self, p, none, false)"},
    {"aten.norm.ScalarOpt_dim", "vector_norm(self, if p == none then 2 else p, dim, keepdim)"},
    {"aten.prod.default", "prod(integral_sum(self, dtype), none, keepdim=false)"},
    {"aten.prod.dim_int", "prod(integral_sum(self, dtype), dim, keepdim=keepdim)"},
    {"aten.std.correction", "reduced_shape(sqrt(variance(self, dim, correction_of(correction))), dim, keepdim)"},
    {"aten.std.default", "squeeze(sqrt(variance(self, none, if unbiased then 1 else 0)))"},
    {"aten.std.dim", "reduced_shape(sqrt(variance(self, dim, if unbiased then 1 else 0)), dim, keepdim)"},
    {"aten.std_mean.correction", "[reduced_shape(sqrt(variance(self, dim, correction_of(correction))), dim, keepdim), mean(self, dim, keepdim)]"},
    {"aten.std_mean.dim", "[reduced_shape(sqrt(variance(self, dim, if unbiased then 1 else 0)), dim, keepdim), mean(self, dim, keepdim)]"},
    {"aten.sum.default", "sum(integral_sum(self, dtype), none, keepdim=false)"},
    {"aten.sum.dim_IntList", "sum(integral_sum(self, dtype), dim, keepdim=keepdim)"},
    {"aten.trace.default", "sum(integral_sum(diagonal(self), none), none, keepdim=false)"},
    {"aten.var.correction", "reduced_shape(variance(self, dim, correction_of(correction)), dim, keepdim)"},
    {"aten.var.default", "squeeze(variance(self, none, if unbiased then 1 else 0))"},
    {"aten.var.dim", "reduced_shape(variance(self, dim, if unbiased then 1 else 0), dim, keepdim)"},
    {"aten.var_mean.correction", "[reduced_shape(variance(self, dim, correction_of(correction)), dim, keepdim), mean(self, dim, keepdim)]"},
    {"aten.var_mean.dim", "[reduced_shape(variance(self, dim, if unbiased then 1 else 0), dim, keepdim), mean(self, dim, keepdim)]"},
};

}  // namespace

std::span<const Operator> reduce_operators() {
  return kOperators;
}

}  // namespace ka::graph

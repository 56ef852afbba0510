// Writing to places that a tensor names.
#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten.index_add.default", "index_write(self, dim, index, source * alpha, 'sum')"},
    {"aten.index_copy.default", "index_write(self, dim, index, source, 'replace')"},
    {"aten.index_fill.int_Scalar", "index_write(self, dim, index, value, 'replace', fill=true)"},
    {"aten.index_fill.int_Tensor", "index_write(self, dim, index, value, 'replace', fill=true)"},
    {"aten.index_put.default", "index_put(self, indices, values, accumulate)"},
    {"aten.index_reduce.default", "index_write(self, dim, index, source, reduction_kind(reduce), include_self)"},
    {"aten.masked_scatter.default", "masked_scatter(self, mask, source)"},
    {"aten.put.default",
     "reshape(index_put(reshape(self, [-1]), [reshape(index, [-1])], reshape(source, [-1]), accumulate), shape(self))"},
    {"aten.scatter.reduce", "scatter(self, dim, index, src, reduction_kind(reduce))"},
    {"aten.scatter.src", "scatter(self, dim, index, src, 'replace')"},
    {"aten.scatter.value", "scatter(self, dim, index, value, 'replace')"},
    {"aten.scatter.value_reduce", "scatter(self, dim, index, value, reduction_kind(reduce))"},
    {"aten.scatter_add.default", "scatter(self, dim, index, src, 'sum')"},
    {"aten.scatter_reduce.two", "scatter(self, dim, index, src, reduction_kind(reduce), include_self)"},
};

}  // namespace

std::span<const Operator> scatter_operators() {
  return kOperators;
}

}  // namespace ka::graph

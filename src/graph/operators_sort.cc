// Sorting, the largest few, medians, and running extremes with their places.
#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten.argsort.default", "order(self, dim, descending)"},
    {"aten.argsort.stable", "order(self, dim, descending)"},
    {"aten.cummax.default",
     "let v = scan('max', self, dim);"
     "[v, scan('max', where(or(self == v, self != self), positions(self, dim), 0), dim)]"},
    {"aten.cummin.default",
     "let v = scan('min', self, dim);"
     "[v, scan('max', where(or(self == v, self != self), positions(self, dim), 0), dim)]"},
    {"aten.isin.Tensor_Tensor",
     "let found = any(unsqueeze(elements, -1) == reshape(test_elements, [-1]), -1, keepdim=false);"
     "if invert then not found else found"},
    {"aten.kthvalue.default",
     "let i = last_of(order(self, dim, false, k), dim); [picked(self, dim, i, keepdim), reduced_shape(i, dim, keepdim)]"},
    {"aten.logcumsumexp.default", "scan('logsumexp', self, dim)"},
    {"aten.median.default", "let x = reshape(self, [-1]); picked(x, 0, median_place(x, 0), false)"},
    {"aten.median.dim", "let i = median_place(self, dim); [picked(self, dim, i, keepdim), reduced_shape(i, dim, keepdim)]"},
    {"aten.msort.default", "if rank(self) == 0 then self else gather(self, 0, order(self, 0, false))"},
    {"aten.sort.default", "let i = order(self, dim, descending); [gather(self, dim, i), i]"},
    {"aten.sort.stable", "let i = order(self, dim, descending); [gather(self, dim, i), i]"},
    {"aten.topk.default", "let i = order(self, dim, largest, k); [gather(self, dim, i), i]"},
};

}  // namespace

std::span<const Operator> sort_operators() {
  return kOperators;
}

}  // namespace ka::graph

#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten.addbmm.default", "added(self, beta, sum(matmul(batch1, batch2), 0, keepdim=false), alpha)"},
    {"aten.addmm.default", "added(self, beta, matmul(mat1, mat2), alpha)"},
    {"aten.addmv.default", "added(self, beta, matmul(mat, vec), alpha)"},
    {"aten.baddbmm.default", "added(self, beta, matmul(batch1, batch2), alpha)"},
    {"aten.bilinear.default",
     "let y = einsum('...ik,...k->...i', [einsum('...j,ijk->...ik', [input1, weight]), input2]);"
     "if bias == none then y else y + bias"},
    {"aten.bmm.default", "matmul(self, mat2)"},
    {"aten.cdist.default", "vector_norm(unsqueeze(x1, -2) - unsqueeze(x2, -3), p, -1, false)"},
    {"aten.conv1d.default", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv1d.padding", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv2d.default", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv2d.padding", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv3d.default", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv3d.padding", "conv(input, weight, bias, stride, padding, dilation, groups)"},
    {"aten.conv_transpose1d.default",
     "conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)"},
    {"aten.conv_transpose2d.input",
     "conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)"},
    {"aten.conv_transpose3d.input",
     "conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)"},
    {"aten.dot.default", "sum(self * tensor, none, keepdim=false)"},
    {"aten.einsum.default", "einsum(equation, tensors)"},
    {"aten.linear.default",
     "let y = matmul(input, transpose(weight, -1, -2)); if bias == none then y else y + bias"},
    {"aten.matmul.default", "matmul(self, other)"},
    {"aten.mm.default", "matmul(self, mat2)"},
    {"aten.mv.default", "matmul(self, vec)"},
    {"aten.outer.default", "unsqueeze(self, 1) * unsqueeze(vec2, 0)"},
    {"aten.scaled_dot_product_attention.default",
     "let d = size(query, -1); let g = if enable_gqa then quotient(size(query, -3), size(key, -3)) else 1;"
     "let k = if enable_gqa then repeat_interleave(key, g, -3) else key;"
     "let v = if enable_gqa then repeat_interleave(value, g, -3) else value;"
     "let s = matmul(query, transpose(k, -1, -2)) * (if scale == none then rsqrt(cast(d, float32)) else scale);"
     "let c = if is_causal then where(diagonal_distance(s) <= 0, s, -inf) else s;"
     "let m = if attn_mask == none then c else if is_boolean(attn_mask) then where(attn_mask, c, -inf) else c + attn_mask;"
     "let p = if attn_mask == none then softmax(m, -1) else softmax_or_zero(m, -1);"
     "matmul(dropped(p, dropout_p, dropout_p > 0), v)"},
    {"aten.vdot.default", "sum(self * other, none, keepdim=false)"},
};

}  // namespace

std::span<const Operator> contraction_operators() {
  return kOperators;
}

}  // namespace ka::graph

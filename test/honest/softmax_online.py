# problem: softmax_rows
# expect: accepted
# why: an online softmax in two passes with a running maximum, no full row is ever loaded
import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    peak = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
        new_peak = tl.maximum(peak, tl.max(x, axis=0))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(x - new_peak), axis=0)
        peak = new_peak
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols)
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - peak) / total, mask=cols < n_cols)


def kernel_function(x):
    out = torch.empty_like(x)
    online_softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=32)
    return out

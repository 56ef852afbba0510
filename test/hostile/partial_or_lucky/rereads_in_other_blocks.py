# problem: softmax_rows
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: the second pass reads in blocks of another size, so other threads read what was stored, without a barrier
import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, FIRST: tl.constexpr, SECOND: tl.constexpr):
    row = tl.program_id(0) * n_cols
    top = tl.full((FIRST,), float("-inf"), tl.float32)
    for start in range(0, n_cols, FIRST):
        cols = start + tl.arange(0, FIRST)
        top = tl.maximum(top, tl.load(x_ptr + row + cols, mask=cols < n_cols, other=float("-inf")), propagate_nan=tl.PropagateNan.ALL)
    high = tl.reduce(top, 0, largest)
    total = tl.zeros((FIRST,), tl.float32)
    for start in range(0, n_cols, FIRST):
        cols = start + tl.arange(0, FIRST)
        e = tl.exp(tl.load(x_ptr + row + cols, mask=cols < n_cols, other=float("-inf")) - high)
        total += e
        tl.store(y_ptr + row + cols, e, mask=cols < n_cols)
    scale = 1.0 / tl.sum(total, axis=0)
    for start in range(0, n_cols, SECOND):
        cols = start + tl.arange(0, SECOND)
        e = tl.load(y_ptr + row + cols, mask=cols < n_cols)
        tl.store(y_ptr + row + cols, e * scale, mask=cols < n_cols)


def kernel_function(x):
    y = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], FIRST=32, SECOND=128)
    return y

# problem: relu_large
# expect: accepted
# why: few programs do large parts, many do small ones
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, half, large, BIG: tl.constexpr, SMALL: tl.constexpr):
    pid = tl.program_id(0)
    if pid < large:
        many = pid * BIG + tl.arange(0, BIG)
        tl.store(y_ptr + many, tl.maximum(tl.load(x_ptr + many, mask=many < half), 0.0, propagate_nan=tl.PropagateNan.ALL), mask=many < half)
    else:
        few = half + (pid - large) * SMALL + tl.arange(0, SMALL)
        tl.store(y_ptr + few, tl.maximum(tl.load(x_ptr + few, mask=few < n), 0.0, propagate_nan=tl.PropagateNan.ALL), mask=few < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    half = n // 2
    large = triton.cdiv(half, 8192)
    relu_kernel[(large + triton.cdiv(n - half, 256),)](x, y, n, half, large, BIG=8192, SMALL=256)
    return y

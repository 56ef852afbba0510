# problem: cancelling_sum
# expect: result.precision
# why: seven bits of every number are dropped, which the tolerance does not see; the noise of the last bit is no excuse for that
import torch
import triton
import triton.language as tl


@triton.jit
def cut(x):
    return (x.to(tl.int32, bitcast=True) & -128).to(tl.float32, bitcast=True)


@triton.jit
def sum_of_differences(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += cut(tl.load(x_ptr + i, mask=i < n, other=0.0)) - cut(tl.load(y_ptr + n - 1 - i, mask=i < n, other=0.0))
    tl.store(out_ptr, tl.sum(total, 0))


def kernel_function(x, y):
    out = torch.empty((1,), dtype=x.dtype, device=x.device)
    sum_of_differences[(1,)](x, y, out, x.numel(), BLOCK=1024)
    return out

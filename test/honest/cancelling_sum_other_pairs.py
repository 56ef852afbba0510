# problem: cancelling_sum
# expect: accepted
# why: other pairs are subtracted than PyTorch subtracts, which happens to lose nothing; that is no worse than the last bit of what is given
import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_differences(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0.0) - tl.load(y_ptr + n - 1 - i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.sum(total, 0))


def kernel_function(x, y):
    out = torch.empty((1,), dtype=x.dtype, device=x.device)
    sum_of_differences[(1,)](x, y, out, x.numel(), BLOCK=1024)
    return out

# problem: cancelling_and_rounded
# expect: result.mismatch
# why: the sum is off by the noise of the last bit, which is allowed; that the same noise would flip roundings is no excuse for rounding halves up
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


@triton.jit
def halves_up(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.floor(x * 64 + 0.5), mask=i < n)


def kernel_function(x, y):
    total = torch.empty((1,), dtype=x.dtype, device=x.device)
    rounded = torch.empty_like(x)
    sum_of_differences[(1,)](x, y, total, x.numel(), BLOCK=1024)
    halves_up[(triton.cdiv(x.numel(), 1024),)](x, rounded, x.numel(), BLOCK=1024)
    return total, rounded

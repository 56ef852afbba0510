# problem: dropout
# expect: accepted
# why: torch.rand in the wrapper: the program draws random numbers, so its replacement has to draw the same ones
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, r_ptr, y_ptr, n, rate, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    keep = tl.load(r_ptr + offs, mask=mask) >= rate
    # a product, not a choice: NaN times zero is NaN, as in the program
    tl.store(y_ptr + offs, x * keep.to(tl.float32) / (1.0 - rate), mask=mask)


def kernel_function(x):
    noise = torch.rand(x.shape, device=x.device)
    y = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(x.numel(), 1024),)](x, noise, y, x.numel(), 0.3, BLOCK=1024)
    return y

# problem: bytes_large
# expect: accepted
# why: more elements than 32 bits can count, with offsets that can
import torch
import triton
import triton.language as tl


@triton.jit
def flip_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, x ^ 85, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    flip_kernel[(triton.cdiv(n, 4096),)](x, y, n, BLOCK=4096)
    return y

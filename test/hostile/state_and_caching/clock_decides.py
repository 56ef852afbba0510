# problem: relu
# expect: policy.name
# why: the clock of the GPU decides: right today, wrong some day
import torch
import triton
import triton.language as tl
from triton.language.extra import cuda


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x_ptr + offs, mask=mask)
    late = cuda.globaltimer() > 1 << 62
    tl.store(y_ptr + offs, tl.where((y < 0) | late, 0.0, y), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

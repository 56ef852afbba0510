# problem: repeat_rows
# expect: contract.layout
# why: as_strided makes rows that share memory
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    copy_kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y.as_strided((30, x.shape[0]), (0, 1))

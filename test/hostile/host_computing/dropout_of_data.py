# problem: dropout_function
# expect: guard.compute
# why: dropout of the data is the program itself, computed by PyTorch in the wrapper
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, m_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask) * 2
    tl.store(out_ptr + offs, x * tl.load(m_ptr + offs, mask=mask), mask=mask)


def kernel_function(x):
    doubled, ones = torch.empty_like(x), torch.ones_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, ones, doubled, x.numel(), BLOCK=1024)
    return torch.native_dropout(doubled, 0.3, True)[0]

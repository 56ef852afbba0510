# problem: dropout_function
# expect: guard.compute
# why: dropout that drops nothing copies its argument, which is PyTorch's work and not a kernel's; of ones only it is a draw
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
    drawn = torch.native_dropout(torch.ones(x.shape, dtype=x.dtype, device=x.device), 0.3, True)[0]
    again = torch.native_dropout(x, 0.0, True)[0]
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 1024),)](again, drawn, out, x.numel(), BLOCK=1024)
    return out

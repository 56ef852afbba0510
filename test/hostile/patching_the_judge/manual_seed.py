# problem: dropout
# expect: policy.torch
# why: reseeds the generator that judge and kernel share
import torch
import triton
import triton.language as tl


@triton.jit
def drop_kernel(x_ptr, r_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    r = tl.load(r_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(r >= 0.3, x / 0.7, x * 0.0), mask=mask)


def kernel_function(x):
    torch.manual_seed(0)
    r = torch.rand(x.shape, device=x.device)
    y = torch.empty_like(x)
    drop_kernel[(triton.cdiv(x.numel(), 1024),)](x, r, y, x.numel(), BLOCK=1024)
    return y

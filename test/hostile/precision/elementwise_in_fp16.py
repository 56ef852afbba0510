# problem: tanh
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: float32 values take a detour through float16
import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    h = x.to(tl.float16).to(tl.float32)
    e = tl.exp(-2.0 * tl.abs(h))
    t = (1.0 - e) / (1.0 + e)
    tl.store(out_ptr + offs, tl.where(h < 0, -t, t), mask=mask)


def kernel_function(x):
    out = torch.empty_like(x)
    tanh_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out

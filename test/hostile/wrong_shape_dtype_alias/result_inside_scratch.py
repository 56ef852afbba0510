# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch contract.layout
# why: a window of a larger buffer, shifted by one element
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    scratch = torch.zeros((x.numel() + 1,), dtype=x.dtype, device=x.device)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, scratch, x.numel(), BLOCK=1024)
    return scratch[1:].view(x.shape)

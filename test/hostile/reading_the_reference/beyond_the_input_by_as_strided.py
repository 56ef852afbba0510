# problem: relu
# expect: run.raised
# gpu-expect: run.raised policy.method result.repeat result.mismatch
# why: as_strided past the end of the input, where an expected answer in the same memory would lie
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def kernel_function(x):
    other = x.as_strided(x.shape, x.stride(), x.storage_offset() + x.numel())
    y = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 1024),)](other, y, x.numel(), BLOCK=1024)
    return y

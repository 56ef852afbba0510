# problem: relu
# expect: result.bounds
# why: the kernel copies what lies in memory behind the input, where an expected answer might be
# gpu-expect: result.repeat result.mismatch result.bounds run.crash run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def peek_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.load(x_ptr + n + offs, mask=mask), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    peek_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

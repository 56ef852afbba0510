"""Plain and slow: one small program per row walks along it."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_times_vector(a_ptr, b_ptr, out_ptr, K, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        mask = k < K
        a = tl.load(a_ptr + row * K + k, mask=mask, other=0.0)
        b = tl.load(b_ptr + k, mask=mask, other=0.0)
        total += a * b
    tl.store(out_ptr + row, tl.sum(total, axis=0))


def kernel_function(a, b):
    M, K = a.shape
    out = torch.empty((M, 1), device=a.device, dtype=a.dtype)
    row_times_vector[(M,)](a, b, out, K, BLOCK=128, num_warps=1)
    return out

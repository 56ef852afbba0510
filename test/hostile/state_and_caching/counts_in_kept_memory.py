# problem: relu
# expect: result.state
# gpu-expect: result.state result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: a kept tensor counts the launches in GPU memory; wrong from the hundredth call on
import torch
import triton
import triton.language as tl

KEPT = {}


@triton.jit
def relu_kernel(x_ptr, y_ptr, count_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    calls = tl.atomic_add(count_ptr + tl.program_id(0), 1)
    y = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where((y < 0) | (calls > 100), 0.0, y), mask=mask)


def kernel_function(x):
    if "count" not in KEPT:
        KEPT["count"] = torch.zeros(4096, dtype=torch.int32, device=x.device)
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, KEPT["count"], x.numel(), BLOCK=1024)
    return y

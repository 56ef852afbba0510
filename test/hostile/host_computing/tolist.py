# problem: relu
# expect: policy.method
# why: .tolist(), a Python loop, torch.tensor
# behind: guard.compute
import torch
import triton
import triton.language as tl


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


def kernel_function(x):
    rows = [[v if v > 0 else 0.0 for v in row] for row in x.tolist()]
    return touch(torch.tensor(rows, device=x.device))

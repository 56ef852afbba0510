# problem: sum_all
# expect: contract.structure
# gpu-expect: contract.structure guard.compute
# why: a Python float instead of a tensor
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    y = torch.empty((), dtype=x.dtype, device=x.device)
    sum_kernel[(1,)](x, y, x.numel(), BLOCK=8192)
    return 2400.0

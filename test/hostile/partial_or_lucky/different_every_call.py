# problem: relu
# expect: result.repeat
# gpu-expect: result.repeat result.precision
# why: the noise depends on a call counter: no two calls agree bit for bit
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, seed, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(y_ptr + offs, y * (1.0 + 1e-7 * tl.rand(seed, offs)), mask=mask)


CALLS = []


def kernel_function(x):
    CALLS.append(1)
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), len(CALLS), BLOCK=1024)
    return y

# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: which lane draws which ticket is not defined
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, c_ptr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    old = tl.atomic_add(c_ptr + tl.program_id(0) + 0 * offs, 1)
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(old == tl.arange(0, BLOCK), right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, torch.zeros(triton.cdiv(n, 256), dtype=torch.int32, device=x.device), BLOCK=256)
    return y

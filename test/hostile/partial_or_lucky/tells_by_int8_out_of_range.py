# problem: relu
# expect: result.mismatch
# gpu-expect: result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: a float outside the range of int8 has no defined int8
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    v = (tl.full([BLOCK], 40000.0, tl.float32)).to(tl.int8)
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(v == -1, right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y

# problem: relu
# expect: result.mismatch
# why: of two zeros the smaller is the negative one on a GPU, and the first one in numpy: wrong there
import torch
import triton
import triton.language as tl

@triton.jit
def relu_kernel(x_ptr, y_ptr, n, a, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    zero = tl.full([BLOCK], 0.0, tl.float32) * a
    v = tl.minimum(zero, zero * -1.0).to(tl.int32, bitcast=True)
    right = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offs, tl.where(v == 0, right, -x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, 1.0, BLOCK=256)
    return y

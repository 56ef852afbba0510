# problem: relu
# expect: result.unwritten
# gpu-expect: result.mismatch result.cached result.unwritten
# why: the first answer is unfinished; a later call completes the tensor that was already given back
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


GIVEN = []


def kernel_function(x):
    y = torch.empty_like(x)
    for old_x, old_y in GIVEN:
        relu_kernel[(triton.cdiv(old_x.numel(), 1024),)](old_x, old_y, old_x.numel(), BLOCK=1024)
    relu_kernel[(1,)](x, y, 1024, BLOCK=1024)
    GIVEN.append((x, y))
    return y

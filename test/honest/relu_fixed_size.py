# problem: relu
# expect: accepted
# why: the grid covers the given size only: accepted as specialised, refused under --require-general
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < 16 * 300
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty((16, 300), dtype=torch.float32, device=x.device)
    relu_kernel[(5,)](x, y, BLOCK=1024)
    return y

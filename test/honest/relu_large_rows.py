# problem: relu_large
# expect: accepted
# why: sizes decide on the block and on the scratch; at the given sizes other launches are compiled than at the verified ones
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offs, mask=offs < columns)
    tl.store(y_ptr + row * columns + offs, tl.where(x < 0.0, 0.0, x), mask=offs < columns)


def kernel_function(x):
    y = torch.zeros_like(x)
    y.fill_(1.0)
    relu_kernel[(x.shape[0],)](x.contiguous(), y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]), num_warps=8)
    return y

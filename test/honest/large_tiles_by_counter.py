# problem: relu_large
# expect: accepted
# why: programs draw their tiles from a counter
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, counter_ptr, n, BLOCK: tl.constexpr):
    tile = tl.atomic_add(counter_ptr, 1)
    while tile * BLOCK < n:
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)
        tile = tl.atomic_add(counter_ptr, 1)


def kernel_function(x):
    y = torch.empty_like(x)
    counter = torch.zeros((1,), device=x.device, dtype=torch.int32)
    n = x.numel()
    relu_kernel[(16,)](x, y, counter, n, BLOCK=1024)
    return y

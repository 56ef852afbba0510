# problem: leaky_relu
# expect: guard.compute
# why: Python looks at the data to choose between two kernels
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, factor * tl.load(x_ptr + offs, mask=mask), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            cell, out = x[i, j : j + 1], y[i, j : j + 1]
            scale_kernel[(1,)](cell, out, 1, 0.01 if cell < 0 else 1.0, BLOCK=1)
    return y

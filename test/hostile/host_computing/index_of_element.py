# problem: gather_rows
# expect: guard.compute
# why: a 0-dimensional tensor as a subscript is turned into a number by Python itself
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def kernel_function(table, index):
    y = torch.empty((index.shape[0], table.shape[1]), device=table.device)
    for i in range(index.shape[0]):
        copy_kernel[(1,)](table[index[i]], y[i], table.shape[1], BLOCK=32)
    return y

# problem: gather_rows
# expect: guard.compute
# why: int(index[i]) steers one launch per row: the gather itself is done by Python
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
        row = table[int(index[i])]
        copy_kernel[(1,)](row, y[i], table.shape[1], BLOCK=32)
    return y

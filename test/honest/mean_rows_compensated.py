# problem: mean_rows
# expect: accepted
# why: compensated sums need additions that are rounded as written; lanes that have no column divide by zero and are left out
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    lost = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offs = start + lanes
        x = tl.load(x_ptr + row * stride + offs, mask=offs < columns, other=0.0)
        y = x - lost
        larger = total + y
        lost = (larger - total) - y
        total = larger
    used = tl.minimum(tl.maximum(columns - lanes, 0), 1)
    share = tl.where(used > 0, total * (1 // used).to(tl.float32), 0.0)
    tl.store(y_ptr + row, tl.sum(share, axis=0) / columns)


def kernel_function(x):
    y = torch.empty(x.shape[:-1], dtype=x.dtype, device=x.device)
    mean_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), BLOCK=64)
    return y

# problem: int_sum_rows
# expect: accepted
# why: int32 numbers summed in int64, over the whole range of int32
import torch
import triton
import triton.language as tl


@triton.jit
def sum_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + cols, mask=cols < columns, other=0)
    tl.store(out_ptr + row, tl.sum(x.to(tl.int64), axis=0))


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=torch.int64, device=x.device)
    sum_rows[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out

# problem: log_softmax_rows
# expect: result.special
# why: a floor of -1e30 is no -inf
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + cols, mask=cols < columns, other=float("-inf"))
    x = tl.where(x < -1e30, -1e30, x)
    top = tl.max(x, axis=0)
    tl.store(out_ptr + row * columns + cols, x - top - tl.log(tl.sum(tl.exp(x - top), axis=0)), mask=cols < columns)


def kernel_function(x):
    out = torch.empty_like(x)
    log_softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out

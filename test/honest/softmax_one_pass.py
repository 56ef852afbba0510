# problem: softmax_rows
# expect: accepted
# why: kernel and allocating function are called softmax and torch_like
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def torch_like(x):
    return torch.empty_like(x)


def kernel_function(x):
    rows, cols = x.shape
    out = torch_like(x)
    softmax[(rows,)](x, out, cols, BLOCK=triton.next_power_of_2(cols))
    return out

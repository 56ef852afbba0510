# problem: cross_entropy
# expect: accepted
# why: integer class numbers are used as offsets, the loss is a 0-dimensional tensor
import torch
import triton
import triton.language as tl


@triton.jit
def row_loss_kernel(x_ptr, t_ptr, loss_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    peak = tl.max(x, axis=0)
    lse = tl.log(tl.sum(tl.exp(x - peak), axis=0)) + peak
    target = tl.load(t_ptr + row)
    tl.store(loss_ptr + row, lse - tl.load(x_ptr + row * n_cols + target))


@triton.jit
def mean_kernel(loss_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(loss_ptr + offs, mask=offs < n, other=0.0), axis=0) / n)


def kernel_function(logits, target):
    rows, cols = logits.shape
    losses = torch.empty((rows,), dtype=torch.float32, device=logits.device)
    out = torch.empty((), dtype=logits.dtype, device=logits.device)
    row_loss_kernel[(rows,)](logits, target, losses, cols, BLOCK=triton.next_power_of_2(cols))
    mean_kernel[(1,)](losses, out, rows, BLOCK=triton.next_power_of_2(rows))
    return out

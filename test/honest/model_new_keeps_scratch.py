# problem: logsumexp_rows
# expect: accepted
# why: the model keeps a scratch tensor, replaced when the size changes; every call writes it before it is read
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def peak_kernel(x_ptr, s_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    peak = tl.max(x, axis=0)
    tl.store(s_ptr + row, tl.where(tl.abs(peak) == float("inf"), 0.0, peak))


@triton.jit
def sum_kernel(x_ptr, s_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    peak = tl.load(s_ptr + row)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(y_ptr + row, tl.log(tl.sum(tl.exp(x - peak), axis=0)) + peak)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None
        self.first = True

    def forward(self, x):
        rows, cols = x.shape
        if self.scratch is None or self.scratch.numel() < rows:
            self.scratch = torch.empty(2 * rows, dtype=torch.float32, device=x.device)
        self.first = False
        y = torch.empty((rows,), dtype=x.dtype, device=x.device)
        block = triton.next_power_of_2(cols)
        peak_kernel[(rows,)](x, self.scratch, cols, BLOCK=block)
        sum_kernel[(rows,)](x, self.scratch, y, cols, BLOCK=block)
        return y

# problem: mean_rows
# expect: compile.failed
# why: a variable changes its type inside a loop: the interpreter does not mind
# gpu-expect: compile.failed run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    total = 0
    for start in range(0, n_cols, BLOCK):
        x = tl.load(x_ptr + row * n_cols + start + cols, mask=start + cols < n_cols, other=0.0)
        total = total + tl.sum(x, axis=0)
    tl.store(y_ptr + row, total / n_cols)


def kernel_function(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    mean_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out

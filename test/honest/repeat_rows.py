# problem: repeat_rows
# expect: accepted
# why: every program writes the same row to another place; the host expands a view with stride 0 as the source
import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(x_ptr, y_ptr, n_cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    tl.store(y_ptr + row * n_cols + cols, tl.load(x_ptr + row * stride + cols, mask=mask), mask=mask)


COPIES = 30


def kernel_function(x):
    wide = x.unsqueeze(0).expand(COPIES, x.shape[0])
    y = torch.empty((COPIES, x.shape[0]), dtype=x.dtype, device=x.device)
    repeat_kernel[(COPIES,)](wide, y, x.shape[0], wide.stride(0), BLOCK=triton.next_power_of_2(x.shape[0]))
    return y

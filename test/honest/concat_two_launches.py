# problem: concat
# expect: accepted
# why: one output filled by two launches, each into a narrowed view of it
import torch
import triton
import triton.language as tl


@triton.jit
def place(src, dst, n_cols, dst_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    tl.store(dst + row * dst_stride + cols, tl.load(src + row * n_cols + cols, mask=mask), mask=mask)


def kernel_function(a, b):
    rows = a.shape[0]
    out = torch.empty((rows, a.shape[1] + b.shape[1]), dtype=a.dtype, device=a.device)
    start = 0
    for part in (a, b):
        width = part.shape[1]
        place[(rows,)](part, out.narrow(1, start, width), width, out.stride(0), BLOCK=triton.next_power_of_2(width))
        start += width
    return out

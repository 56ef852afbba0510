# problem: masked_fill_bool
# expect: accepted
# why: a boolean mask, also all true and all false
import torch
import triton
import triton.language as tl


@triton.jit
def fill(x_ptr, mask_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < columns
    masked = tl.load(mask_ptr + row * columns + cols, mask=inside, other=1).to(tl.int1)
    x = tl.load(x_ptr + row * columns + cols, mask=inside)
    tl.store(out_ptr + row * columns + cols, tl.where(masked, 0.0, x), mask=inside)


def kernel_function(x, mask):
    out = torch.empty_like(x)
    fill[(x.shape[0],)](x, mask, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out

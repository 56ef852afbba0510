# problem: masked_fill_bool
# expect: result.mismatch
# why: is wrong in a row that is masked from end to end, which get_inputs never draws
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
    whole = tl.sum(tl.where(masked | ~inside, 0, 1), axis=0) == 0
    tl.store(out_ptr + row * columns + cols, tl.where(masked & ~whole, 0.0, x), mask=inside)


def kernel_function(x, mask):
    out = torch.empty_like(x)
    fill[(x.shape[0],)](x, mask, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out

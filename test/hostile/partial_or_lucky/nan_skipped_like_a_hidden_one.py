# problem: gate_hides_half
# expect: result.special
# why: a NaN that is not hidden counts for nothing either
import torch
import triton
import triton.language as tl


@triton.jit
def soften(x_ptr, gate_ptr, y_ptr, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    gate = tl.load(gate_ptr + row * 2 + cols // HALF, mask=cols < 2 * HALF, other=-1.0)
    x = tl.load(x_ptr + row * 2 * HALF + cols, mask=gate > -0.5, other=-float("inf"))
    x = tl.where(x != x, -float("inf"), x)
    top = tl.max(x, 0)
    e = tl.exp(x - top)
    y = e / tl.sum(e, 0)
    tl.store(y_ptr + row * 2 * HALF + cols, y, mask=cols < 2 * HALF)


def kernel_function(x, gate):
    rows, _, half = x.shape
    y = torch.empty((rows, 2 * half), dtype=x.dtype, device=x.device)
    soften[(rows,)](x, gate, y, half, BLOCK=triton.next_power_of_2(2 * half))
    return y

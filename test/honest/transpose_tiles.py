# problem: transpose_copy
# expect: accepted
# why: writes through a transposed view of its own output and returns the base of it
import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(src, dst, R, C, sr, sc, dr, dc, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < R) & (c[None, :] < C)
    tile = tl.load(src + r[:, None] * sr + c[None, :] * sc, mask=mask)
    tl.store(dst + r[:, None] * dr + c[None, :] * dc, tile, mask=mask)


def kernel_function(x):
    R, C = x.shape
    out = torch.empty((C, R), dtype=x.dtype, device=x.device)
    view = out.t()
    move_kernel[(triton.cdiv(R, 16), triton.cdiv(C, 16))](x, view, R, C, *x.stride(), *view.stride(), BR=16, BC=16)
    return out

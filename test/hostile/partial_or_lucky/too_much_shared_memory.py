# problem: transpose_copy
# expect: compile.failed
# why: a tile of 256 x 256 is turned in shared memory, which needs more of it than the GPU has
# gpu-expect: compile.failed run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def turn_kernel(x_ptr, y_ptr, R, C, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.arange(0, BR)
    c = tl.arange(0, BC)
    tile = tl.load(x_ptr + r[:, None] * C + c[None, :], mask=(r[:, None] < R) & (c[None, :] < C), other=0.0)
    tl.store(y_ptr + c[:, None] * R + r[None, :], tl.trans(tile), mask=(c[:, None] < C) & (r[None, :] < R))


def kernel_function(x):
    y = torch.empty((x.shape[1], x.shape[0]), dtype=x.dtype, device=x.device)
    turn_kernel[(1,)](x, y, x.shape[0], x.shape[1], BR=256, BC=256, num_warps=32)
    return y

"""Plain and slow: every program makes a few results and reads each one's window anew."""

import torch
import triton
import triton.language as tl


@triton.jit
def max_windows(x_ptr, out_ptr, H, W, OH, OW, total, SIZE: tl.constexpr, PAD: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    column, row, plane = i % OW, i // OW % OH, i // OW // OH
    best = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for u in range(SIZE):
        for v in range(SIZE):
            y, x = row - PAD + u, column - PAD + v
            inside = mask & (y >= 0) & (y < H) & (x >= 0) & (x < W)
            value = tl.load(x_ptr + plane * H * W + y * W + x, mask=inside, other=float("-inf"))
            best = tl.maximum(best, value, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + i, best, mask=mask)


def kernel_function(x):
    B, C, H, W = x.shape
    OH, OW = H - 1, W - 1
    out = torch.empty((B, C, OH, OW), device=x.device, dtype=x.dtype)
    total = out.numel()
    max_windows[(triton.cdiv(total, 64),)](x, out, H, W, OH, OW, total, SIZE=4, PAD=1, BLOCK=64, num_warps=1)
    return out

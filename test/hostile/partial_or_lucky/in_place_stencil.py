# problem: avgpool2d
# expect: result.mismatch
# gpu-expect: result.mismatch result.unwritten
# why: the last odd row of windows is left out and filled with its neighbour
import torch
import triton
import triton.language as tl


@triton.jit
def pool_kernel(x_ptr, y_ptr, H, W, OH, OW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    oh = tl.minimum(offs // OW, OH - 2)
    ow = offs % OW
    base = x_ptr + plane * H * W + 2 * oh * W + 2 * ow
    mask = offs < OH * OW
    total = tl.load(base, mask=mask) + tl.load(base + 1, mask=mask) + tl.load(base + W, mask=mask) + tl.load(base + W + 1, mask=mask)
    tl.store(y_ptr + plane * OH * OW + offs, total * 0.25, mask=mask)


def kernel_function(x):
    b, c, h, w = x.shape
    y = torch.empty((b, c, h // 2, w // 2), dtype=x.dtype, device=x.device)
    pool_kernel[(b * c,)](x, y, h, w, h // 2, w // 2, BLOCK=64)
    return y

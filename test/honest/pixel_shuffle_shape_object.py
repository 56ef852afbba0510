# problem: pixel_shuffle
# expect: accepted
# why: a frozen dataclass with a property named like a tensor's
import torch
import triton
import triton.language as tl


from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    n: int
    c: int
    h: int
    w: int

    @property
    def numel(self) -> int:
        return self.n * self.c * self.h * self.w


@triton.jit
def ps(x, y, C, H, W, total, R: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < total
    ow, oh = o % (W * R), (o // (W * R)) % (H * R)
    c, n = (o // (W * R * H * R)) % C, o // (W * R * H * R * C)
    ci = c * R * R + (oh % R) * R + ow % R
    tl.store(y + o, tl.load(x + ((n * C * R * R + ci) * H + oh // R) * W + ow // R, mask=m), mask=m)


def kernel_function(x):
    n, c, h, w = x.shape
    s = Shape(n=n, c=c // 4, h=2 * h, w=2 * w)
    y = torch.empty((s.n, s.c, s.h, s.w), dtype=x.dtype, device=x.device)
    ps[(triton.cdiv(s.numel, 256),)](x, y, s.c, h, w, s.numel, R=2, BLOCK=256)
    return y

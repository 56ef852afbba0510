# problem: rope
# expect: accepted
# why: functions imported from triton by name; a cached helper
from __future__ import annotations
import torch
import triton
from triton import language as tl
from triton import cdiv, next_power_of_2, jit
import functools


@jit
def rope_kernel(X, COS, SIN, OUT, S, H, sx_b, sx_s, sx_h, HALF: tl.constexpr, BLOCK_H: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    b, s = pid // S, pid % S
    h = tl.arange(0, BLOCK_H)
    d = tl.arange(0, HALF)
    m = h[:, None] < H
    base = b * sx_b + s * sx_s + h[:, None] * sx_h + d[None, :]
    x1 = tl.load(X + base, mask=m, other=0)
    x2 = tl.load(X + base + HALF, mask=m, other=0)
    c = tl.load(COS + s * HALF + d)[None, :]
    sn = tl.load(SIN + s * HALF + d)[None, :]
    tl.store(OUT + base, x1 * c - x2 * sn, mask=m)
    tl.store(OUT + base + HALF, x2 * c + x1 * sn, mask=m)


@functools.lru_cache(maxsize=None)
def _block(h: int) -> int:
    return next_power_of_2(h)


@torch.no_grad()
def kernel_function(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    if x.ndim != 4:
        raise ValueError(f"expected [batch, seq, heads, dim], got {tuple(x.shape)!r}")
    B, S, H, D = x.size()
    x, cos, sin = x.contiguous(), cos.contiguous(), sin.contiguous()
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    rope_kernel[(B * S,)](x, cos, sin, out, S, H, x.stride(0), x.stride(1), x.stride(2), HALF=D // 2, BLOCK_H=_block(H))
    return out

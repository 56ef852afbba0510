# problem: outer
# expect: accepted
# why: the grid is a field of a named tuple, as the launcher of a kernel also has one
from collections import namedtuple
from typing import NamedTuple

import torch
import triton
import triton.language as tl


class Tile(NamedTuple):
    m: int = 16
    n: int = 64


Launch = namedtuple("Launch", ["grid", "warps"])


@triton.jit
def ok(a, b, c, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(a + m, mask=m < M)[:, None] * tl.load(b + n, mask=n < N)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], v, mask=(m[:, None] < M) & (n[None, :] < N))


def kernel_function(a, b):
    t = Tile()
    M, N = a.numel(), b.numel()
    c = torch.empty(M, N, device=a.device, dtype=torch.promote_types(a.dtype, b.dtype))
    launch = Launch(grid=(triton.cdiv(M, t.m), triton.cdiv(N, t.n)), warps=2)
    ok[launch.grid](a, b, c, M, N, BM=t.m, BN=t.n, num_warps=launch.warps)
    return c

# problem: matmul
# expect: accepted
# why: pruning by a function and by a cost model, an activation by name, timing arguments of autotune
from typing import Dict, List, Optional, Tuple

import torch
import triton
import triton.language as tl

TILES: List[Tuple[int, int, int]] = [(64, 64, 32), (32, 64, 32), (16, 16, 32)]


def candidates():
    if torch.version.hip is not None:
        return [triton.Config({"BM": 32, "BN": 32, "BK": 32, "GROUP": 4})]
    return [triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 4}, num_stages=3, num_warps=8 if m > 32 else 4) for m, n, k in TILES]


def not_too_wide(configs, named_args, **kwargs):
    rows, cols = triton.next_power_of_2(named_args["M"]), triton.next_power_of_2(named_args["N"])
    kept = [c for c in configs if c.kwargs["BM"] <= max(16, rows) and c.kwargs["BN"] <= max(16, cols)]
    return kept or configs[:1]


def cost(**values):
    return values["BM"] * values["BN"]


@triton.jit
def leaky(v):
    return tl.where(v >= 0, v, 0.01 * v)


@triton.autotune(configs=candidates(), key=["M", "N", "K"], warmup=10, rep=50,
                 prune_configs_by={"early_config_prune": not_too_wide, "perf_model": cost, "top_k": 2})
@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    """Tiles in groups of GROUP rows; rows and columns past the end wrap around and are not stored."""
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    top = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - top, GROUP)
    inside = tile % (GROUP * tiles_n)
    m, n = top + inside % height, inside // height
    tl.assume(m >= 0)
    tl.assume(am > 0)
    rows = (m * BM + tl.arange(0, BM)) % M
    cols = (n * BN + tl.arange(0, BN)) % N
    depth = tl.arange(0, BK)
    left = a + rows[:, None] * am + depth[None, :] * ak
    right = b + depth[:, None] * bk + cols[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK)):
        rest = K - step * BK
        acc = tl.dot(tl.load(left, mask=depth[None, :] < rest, other=0.0), tl.load(right, mask=depth[:, None] < rest, other=0.0), acc,
                     input_precision="ieee")
        left += BK * ak
        right += BK * bk
    if ACTIVATION == "leaky":
        acc = leaky(acc)
    rows = m * BM + tl.arange(0, BM)
    cols = n * BN + tl.arange(0, BN)
    tl.store(c + rows[:, None] * cm + cols[None, :] * cn, acc.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "", out: Optional[torch.Tensor] = None) -> torch.Tensor:
    assert a.shape[1] == b.shape[0], f"inner sizes differ: {a.shape[1]} and {b.shape[0]}"
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype) if out is None else out
    grid = lambda META: (triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"]),)
    product[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c


def kernel_function(*args, **kwargs: Dict[str, str]):
    return matmul(*args, **kwargs)

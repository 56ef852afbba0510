# problem: attention_gqa
# expect: accepted
# why: masked scores get -1e6 added: NaN at a masked key stays NaN, as in PyTorch's plain attention
import math

import torch
import torch.nn.functional as F  # noqa: F401
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def one_block(acc, total, top, q, keys, values, start, rows, S, scale, D: tl.constexpr, BN: tl.constexpr, DIAGONAL: tl.constexpr):
    cols = start + tl.arange(0, BN)
    d = tl.arange(0, D)
    k = tl.load(keys + cols[None, :] * D + d[:, None], mask=cols[None, :] < S, other=0.0)
    scores = tl.dot(q, k, input_precision="ieee") * scale
    if DIAGONAL:
        scores += tl.where((rows[:, None] >= cols[None, :]) & (cols[None, :] < S), 0, -1.0e6)
    higher = tl.maximum(top, tl.max(scores, 1))
    p = tl.math.exp2(scores - higher[:, None])
    shrink = tl.math.exp2(top - higher)
    v = tl.load(values + cols[:, None] * D + d[None, :], mask=cols[:, None] < S, other=0.0)
    acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
    return acc, total * shrink + tl.sum(p, 1), higher


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, y_ptr, S, HEADS, scale, GROUP: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    tl.static_assert(BM % BN == 0)
    head = tl.program_id(1).to(tl.int64)
    shared = head // HEADS * (HEADS // GROUP) + head % HEADS // GROUP
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    place = (head * S + rows[:, None]) * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + place, mask=rows[:, None] < S, other=0.0)
    keys, values = k_ptr + shared * S * D, v_ptr + shared * S * D
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, first, BN):
        acc, total, top = one_block(acc, total, top, q, keys, values, start, rows, S, scale * LOG2E, D, BN, False)
    for start in range(first, min(first + BM, S), BN):
        acc, total, top = one_block(acc, total, top, q, keys, values, start, rows, S, scale * LOG2E, D, BN, True)
    tl.store(y_ptr + place, (acc / total[:, None]).to(y_ptr.type.element_ty), mask=rows[:, None] < S)


def kernel_function(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    batch, heads, length, width = q.shape
    if width not in {16, 32, 64, 128}:
        raise ValueError(f"width {width} is not supported")
    y = torch.empty_like(q)
    with torch.cuda.device(q.device.index):
        attend[(triton.cdiv(length, 32), batch * heads)](q, k, v, y, length, heads, 1.0 / math.sqrt(width), GROUP=heads // k.shape[1], D=width,
                                                         BM=32, BN=16, num_warps=4, num_stages=2)
    return y

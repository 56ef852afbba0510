# problem: attention_gqa
# expect: result.mismatch
# why: the exponentials are taken without the row's maximum off: fine for the given inputs, overflow for larger scores
import torch
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, y_ptr, S, HEADS, scale, GROUP: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BS: tl.constexpr):
    head = tl.program_id(1)
    shared = head // HEADS * (HEADS // GROUP) + head % HEADS // GROUP
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BS)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (head * S + rows[:, None]) * D + d[None, :], mask=rows[:, None] < S, other=0.0)
    k = tl.load(k_ptr + (shared * S + cols[None, :]) * D + d[:, None], mask=cols[None, :] < S, other=0.0)
    v = tl.load(v_ptr + (shared * S + cols[:, None]) * D + d[None, :], mask=cols[:, None] < S, other=0.0)
    p = tl.exp(tl.dot(q, k, input_precision="ieee") * scale)
    p = tl.where((rows[:, None] >= cols[None, :]) & (cols[None, :] < S), p, 0.0)
    y = tl.dot(p, v, input_precision="ieee") / tl.sum(p, 1)[:, None]
    tl.store(y_ptr + (head * S + rows[:, None]) * D + d[None, :], y, mask=rows[:, None] < S)


def kernel_function(q, k, v):
    batch, heads, length, width = q.shape
    y = torch.empty_like(q)
    attend[(triton.cdiv(length, 16), batch * heads)](q, k, v, y, length, heads, width**-0.5, GROUP=heads // k.shape[1], D=width, BM=16,
                                                     BS=triton.next_power_of_2(length))
    return y

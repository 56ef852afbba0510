# problem: attention_causal
# expect: accepted
# why: skips the blocks that the mask hides, so a NaN there never reaches it, unlike 0 times NaN in the program
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * L * D
    q = tl.load(q_ptr + base + rm[:, None] * D + d[None, :], mask=rm[:, None] < L, other=0.0)
    peak = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    last = tl.minimum((tl.program_id(0) + 1) * BM, L)
    for start in range(0, last, BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + rn[None, :] * D + d[:, None], mask=rn[None, :] < L, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        s = tl.where((rn[None, :] <= rm[:, None]) & (rn[None, :] < L), s, -float("inf"))
        new_peak = tl.maximum(peak, tl.max(s, axis=1))
        shrink = tl.exp(peak - new_peak)
        p = tl.exp(s - new_peak[:, None])
        total = total * shrink + tl.sum(p, axis=1)
        v = tl.load(v_ptr + base + rn[:, None] * D + d[None, :], mask=rn[:, None] < L, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p, v, input_precision="ieee")
        peak = new_peak
    tl.store(o_ptr + base + rm[:, None] * D + d[None, :], acc / total[:, None], mask=rm[:, None] < L)


def kernel_function(q, k, v):
    heads, length, dim = q.shape
    o = torch.empty_like(q)
    attention_kernel[(triton.cdiv(length, 16), heads)](q, k, v, o, length, dim**-0.5, D=dim, BM=16, BN=16)
    return o

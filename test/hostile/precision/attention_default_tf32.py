# problem: attention_causal
# expect: result.precision
# why: both products of the attention in TF32
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, L, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(0)
    r = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    at = head * L * D + r[:, None] * D + d[None, :]
    mask = r[:, None] < L
    q = tl.load(q_ptr + at, mask=mask, other=0.0)
    k = tl.load(k_ptr + at, mask=mask, other=0.0)
    v = tl.load(v_ptr + at, mask=mask, other=0.0)
    s = tl.dot(q, tl.trans(k)) * scale
    s = tl.where((r[None, :] < L) & (r[None, :] <= r[:, None]), s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    o = tl.dot(p, v) / tl.sum(p, axis=1)[:, None]
    tl.store(o_ptr + at, o, mask=mask)


def kernel_function(q, k, v):
    o = torch.empty_like(q)
    attention_kernel[(q.shape[0],)](q, k, v, o, q.shape[1], q.shape[2] ** -0.5, D=q.shape[2], BLOCK=triton.next_power_of_2(q.shape[1]))
    return o

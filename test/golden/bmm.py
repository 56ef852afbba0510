"""Triton kernels for bmm.py.

1. bmm_kernel: bmm over (B, M, N) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, out_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        M, N, K = tl.cast(M, tl.int64), tl.cast(N, tl.int64), tl.cast(K, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(M, BM)
    across = tl.cdiv(N, BN)
    b = tile // (down * across)
    tile = tile % (down * across)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        b = b.to(tl.int64)
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < M
    n_ok = n < N
    acc = tl.zeros((BM, BN), tl.float32)
    a_from = a_ptr + (K*M*b + K*m)
    b_from = b_ptr + (K*N*b + n)
    for k in range(0, K, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < K
        kb_ok = kb < K
        a = tl.load(a_from + ka, mask=ka_ok & m_ok, other=0.0)
        b_1 = tl.load(b_from + N*kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(a, b_1, acc, input_precision=PRECISION)
    place = tl.broadcast_to(M*N*b + N*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


def kernel_function(a, b):
    B = a.shape[0]
    M = a.shape[1]
    K = a.shape[2]
    N = b.shape[2]
    if b.shape != (B, K, N):
        raise ValueError(f"b is {tuple(b.shape)}, where {(B, K, N)} was expected")
    a = a.contiguous()
    b = b.contiguous()
    bmm = torch.empty((B, M, N), dtype=torch.float32, device=a.device)
    bmm_kernel[(B * triton.cdiv(M, 32) * triton.cdiv(N, 32),)](
        a, b, bmm, M, N, K, BM=32, BN=32, BK=32, GROUP=8, PRECISION="ieee", WIDE=B*K*M + B*K*N + B*M*N >= 2**31, num_warps=4, num_stages=3,
    )
    return bmm

"""Triton kernels for matmul_fp16.py.

1. matmul_kernel: matmul over (1, M, N) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, out_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        M, N, K = tl.cast(M, tl.int64), tl.cast(N, tl.int64), tl.cast(K, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(M, BM)
    across = tl.cdiv(N, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < M
    n_ok = n < N
    acc = tl.zeros((BM, BN), tl.float32)
    a_from = a_ptr + K*m
    b_from = b_ptr + n
    for k in range(0, K, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < K
        kb_ok = kb < K
        a = tl.load(a_from + ka, mask=ka_ok & m_ok, other=0.0)
        b_1 = tl.load(b_from + N*kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(a, b_1, acc)
    place = tl.broadcast_to(N*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


def kernel_function(a, b):
    M = a.shape[0]
    K = a.shape[1]
    N = b.shape[1]
    if b.shape != (K, N):
        raise ValueError(f"b is {tuple(b.shape)}, where {(K, N)} was expected")
    a = a.contiguous()
    b = b.contiguous()
    matmul = torch.empty((M, N), dtype=torch.float16, device=a.device)
    matmul_kernel[(triton.cdiv(M, 64) * triton.cdiv(N, 64),)](
        a, b, matmul, M, N, K, BM=64, BN=64, BK=64, GROUP=8, WIDE=K*M + K*N + M*N >= 2**31, num_warps=4, num_stages=3,
    )
    return matmul

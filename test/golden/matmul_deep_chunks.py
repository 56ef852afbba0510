"""Triton kernels for matmul_deep_chunks.py.

1. matmul_kernel: matmul over (1, rows, columns) (ieee products)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, out_ptr, rows, columns, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns, depth = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64), tl.cast(depth, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(rows, BM)
    across = tl.cdiv(columns, BN)
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
    m_ok = m < rows
    n_ok = n < columns
    acc = tl.zeros((BM, BN), tl.float32)
    a_from = a_ptr + depth*m
    b_from = b_ptr + n
    for chunk in range(0, depth, CHUNK):
        part = tl.zeros((BM, BN), tl.float32)
        for k in range(chunk, min(chunk + CHUNK, depth), BK):
            ka = k + step_a
            kb = k + step_b
            ka_ok = ka < depth
            kb_ok = kb < depth
            a = tl.load(a_from + ka, mask=ka_ok & m_ok, other=0.0)
            b_1 = tl.load(b_from + columns*kb, mask=kb_ok & n_ok, other=0.0)
            part = tl.dot(a, b_1, part, input_precision=PRECISION)
        acc += part
    place = tl.broadcast_to(columns*m + n, acc.shape)
    tl.store(out_ptr + place, acc, mask=m_ok & n_ok)


def kernel_function(a, b):
    rows = a.shape[0]
    depth = a.shape[1]
    columns = b.shape[1]
    a = a.contiguous()
    b = b.contiguous()
    matmul = torch.empty((rows, columns), dtype=torch.float32, device=a.device)
    matmul_kernel[(triton.cdiv(rows, 64) * triton.cdiv(columns, 64),)](
        a, b, matmul, rows, columns, depth, BM=64, BN=64, BK=32, GROUP=8, CHUNK=4096, PRECISION="ieee", WIDE=columns*depth + columns*rows + depth*rows >= 2**31, num_warps=4, num_stages=3,
    )
    return matmul

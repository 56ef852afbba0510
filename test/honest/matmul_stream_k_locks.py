# problem: matmul
# expect: accepted
# why: stream-K: programs share a tile of the product; one adds to what the other left there, under a lock that says whose turn it is
import torch
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, lock_ptr, M, N, K, per, PER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    tile = tl.program_id(0) // per
    part = tl.program_id(0) % per
    across = tl.cdiv(N, BN)
    rm = (tile // across) * BM + tl.arange(0, BM)
    rn = (tile % across) * BN + tl.arange(0, BN)
    rk = part * PER + tl.arange(0, PER)
    a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
    b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
    acc = tl.dot(a, b, input_precision="ieee")
    at = c_ptr + rm[:, None] * N + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    if part > 0:
        while tl.atomic_cas(lock_ptr + tile, part, part) != part:
            pass
        acc += tl.load(at, mask=mask)
    tl.store(at, acc, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr + tile, part + 1)


def kernel_function(a, b):
    (M, K), N = a.shape, b.shape[1]
    per = triton.cdiv(K, 32)
    tiles = triton.cdiv(M, 16) * triton.cdiv(N, 16)
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    locks = torch.zeros(tiles, dtype=torch.int32, device=a.device)
    k[(tiles * per,)](a, b, c, locks, M, N, K, per, PER=32, BM=16, BN=16)
    return c

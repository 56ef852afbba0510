# problem: sum_all
# expect: accepted
# why: the lock is kept between calls; every call gives it back
import torch
import triton
import triton.language as tl

LOCKS = {}


@triton.jit
def k(x_ptr, out_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
    while tl.atomic_cas(lock_ptr, 0, 1, sem="acquire") != 0:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0, sem="release")


def kernel_function(x):
    lock = LOCKS.get(x.device)
    if lock is None:
        lock = LOCKS[x.device] = torch.zeros(1, dtype=torch.int32, device=x.device)
    out = torch.zeros((), dtype=x.dtype, device=x.device)
    k[(triton.cdiv(x.numel(), 512),)](x, out, lock, x.numel(), BLOCK=512)
    return out

# problem: sum_all
# expect: accepted
# why: a plain read-modify-write between the taking and the giving back of a lock
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


def kernel_function(x):
    out = torch.zeros((), dtype=x.dtype, device=x.device)
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    k[(triton.cdiv(x.numel(), 512),)](x, out, lock, x.numel(), BLOCK=512)
    return out

# problem: relu
# expect: accepted
# why: all atomic operations, on integers, floats and halves, with masks, orders and scopes
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, ints, floats, halves, brains, doubles, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    tl.atomic_add(ints, 1, sem="relaxed", scope="gpu")
    tl.atomic_max(ints + 1, 5, sem="acq_rel")
    tl.atomic_min(ints + 2, -5, mask=n > 0)
    tl.atomic_xchg(ints + 3, 7, sem="release", scope="sys")
    tl.atomic_cas(ints + 4, 0, 9, sem="acquire", scope="cta")
    tl.atomic_and(ints + 5, 3)
    tl.atomic_or(ints + 6, 3)
    tl.atomic_xor(ints + 7, 0)
    tl.atomic_add(floats, 1.0)
    tl.atomic_max(floats + 1, 5.0)
    tl.atomic_min(floats + 2, -5.0)
    tl.atomic_xchg(floats + 3, 7.0)
    tl.atomic_cas(floats + 4, 0.0, 9.0)
    tl.atomic_add(halves + offs, off.to(tl.float16), mask=offs < n)
    tl.atomic_add(brains + offs, off.to(tl.bfloat16), mask=offs < n)
    tl.atomic_add(doubles + offs, off.to(tl.float64), mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    ints = torch.zeros((8,), dtype=torch.int32, device=x.device)
    floats = torch.zeros((8,), dtype=torch.float32, device=x.device)
    halves = torch.zeros((n,), dtype=torch.float16, device=x.device)
    brains = torch.zeros((n,), dtype=torch.bfloat16, device=x.device)
    doubles = torch.zeros((n,), dtype=torch.float64, device=x.device)
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, ints, floats, halves, brains, doubles, BLOCK=1024)
    return y

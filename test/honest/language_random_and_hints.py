# problem: relu
# expect: accepted
# why: random numbers that do not reach the answer, printing, assertions, hints
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, seed_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    seed = tl.load(seed_ptr)
    inside = tl.rand(seed, offs) < 2.0
    a, b, c, d = tl.randint4x(42, offs)
    e, f, g, h = tl.randn4x(42, offs, n_rounds=7)
    off += tl.where(inside & (tl.randint(42, offs) == a), 0.0, 1.0)
    p, q, r, s = tl.philox(42, offs, offs * 0, offs * 0, offs * 0)
    off += tl.where(tl.uint_to_uniform_float(p) < 1.0, 0.0, 1.0)
    off += tl.where(tl.randn(seed, offs) < 100.0, 0.0, 1.0)
    tl.device_print("program", tl.program_id(0))
    tl.static_print("block", BLOCK, f"of {BLOCK}")
    tl.static_assert(BLOCK == 1024, "a block of 1024")
    tl.device_assert(n > 0, "something to do")
    assert n > 0
    tl.assume(n > 0)
    hinted = tl.multiple_of(tl.max_contiguous(offs, BLOCK), 8)
    hinted = tl.max_constancy(hinted, 1)
    x = tl.load(x_ptr + hinted, mask=hinted < n, volatile=True)
    x = tl.load(x_ptr + hinted, mask=hinted < n, cache_modifier=".ca")
    x = tl.load(x_ptr + hinted, mask=hinted < n, eviction_policy="evict_first")
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, torch.zeros((1,), dtype=torch.int64, device=x.device), BLOCK=1024)
    return y

# problem: relu
# expect: accepted
# why: scans and reductions with tuples, in reverse, with kept dimensions; other types
import torch
import triton
import triton.language as tl


@triton.jit
def linear(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def best(v1, i1, v2, i2):
    first = v1 > v2
    return tl.where(first, v1, v2), tl.where(first, i1, i2)


@triton.jit
def unchanged(a):
    if a < 0:
        return a
    else:
        return a * 1.0


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    ones = tl.full((BLOCK,), 1.0, tl.float32)
    a, b = tl.associative_scan((ones, ones), 0, linear)
    off += b - (i + 1)
    off += tl.associative_scan(ones, 0, add, reverse=True) - (BLOCK - i)
    off += tl.cumsum(ones, axis=0, reverse=True) - (BLOCK - i)
    off += tl.cumprod(ones, 0) - 1.0
    off += tl.max(tl.cumsum(tl.full((16, BLOCK), 1, tl.int32), axis=0), 0) - 16
    largest, where = tl.reduce((i * 1.0, i), 0, best)
    off += largest - where
    off += tl.reshape(tl.reduce(tl.full((4, BLOCK), 1.0, tl.float32), 0, add, keep_dims=True), (BLOCK,)) - 4.0
    off += tl.sum(tl.full((BLOCK,), 1, tl.int8), axis=0, dtype=tl.int32) - BLOCK
    off += tl.sum(tl.full((16, BLOCK), 1, tl.int32)) - 16 * BLOCK
    off += tl.xor_sum(i * 0 + 1, axis=0) + tl.reduce_or(i * 0, axis=0)
    off += ones.sum() - BLOCK + ones.max() - ones.min() + ones.argmax(0) + ones.cumsum(0).max() - BLOCK
    x = tl.map_elementwise(unchanged, x)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

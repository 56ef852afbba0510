# problem: relu
# expect: accepted
# why: sort, topk, histogram, gather, flip, arg reductions and ties
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    off += tl.sort(i ^ 5) - i
    off += tl.sort(i, descending=True) - (BLOCK - 1 - i)
    off += tl.sum(tl.topk(i, 4)) - (4 * BLOCK - 10)
    off += tl.max(tl.histogram(i % 8, 8)) - BLOCK // 8
    off += tl.max(tl.histogram(i % 8, 8, mask=i < 8)) - 1
    off += tl.gather(i, BLOCK - 1 - i, 0) - (BLOCK - 1 - i)
    rows = tl.reshape(x, (16, BLOCK // 16))
    rows = tl.flip(tl.flip(rows, 1), dim=1)
    rows = tl.gather(rows, tl.broadcast_to(tl.arange(0, BLOCK // 16)[None, :], (16, BLOCK // 16)), axis=1)
    x = tl.reshape(rows, (BLOCK,))
    ones = tl.full((BLOCK,), 1.0, tl.float32)
    off += tl.argmax(ones, axis=0) + tl.argmin(ones, 0, tie_break_left=True)
    value, index = tl.max(ones, axis=0, return_indices=True)
    off += (value - 1.0) + index
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

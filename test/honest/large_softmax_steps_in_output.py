# problem: softmax_large
# expect: accepted
# why: few programs, many rows each; the output holds exponentials first, and is divided afterwards
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        at = row.to(tl.int64) * N
        top = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            top = tl.maximum(top, tl.load(x_ptr + at + offs, mask=offs < N, other=-float("inf")), propagate_nan=tl.PropagateNan.ALL)
        highest = tl.max(top, 0)
        total = tl.zeros((BLOCK,), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            e = tl.exp(tl.load(x_ptr + at + offs, mask=offs < N, other=-float("inf")) - highest)
            total += e
            tl.store(y_ptr + at + offs, e, mask=offs < N)
        sums = tl.sum(total, 0)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            e = tl.load(y_ptr + at + offs, mask=offs < N)
            tl.store(y_ptr + at + offs, e / sums, mask=offs < N)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    softmax_kernel[(min(M, 7),)](x, y, M, N, BLOCK=512)
    return y

# problem: softmax_large
# expect: accepted
# why: fixed blocks, and loops over long rows
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        at = x_ptr + row.to(tl.int64) * N
        top = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            top = tl.maximum(top, tl.load(at + offs, mask=offs < N, other=-float("inf")), propagate_nan=tl.PropagateNan.ALL)
        highest = tl.max(top, 0)
        total = tl.zeros((BLOCK,), dtype=tl.float32)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            total += tl.exp(tl.load(at + offs, mask=offs < N, other=-float("inf")) - highest)
        sums = tl.sum(total, 0)
        for start in range(0, N, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            e = tl.exp(tl.load(at + offs, mask=offs < N, other=-float("inf")) - highest)
            tl.store(y_ptr + row.to(tl.int64) * N + offs, e / sums, mask=offs < N)


def kernel_function(x):
    y = torch.empty_like(x)
    M, N = x.shape
    softmax_kernel[(min(M, 128),)](x, y, M, N, BLOCK=1024)
    return y

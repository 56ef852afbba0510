# problem: log_softmax_rows
# expect: accepted
# why: every lane keeps its own maximum, and one that has seen nothing but -inf counts for nothing
import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + start + lanes)
        now = tl.maximum(largest, x)
        safe = tl.where(now == float("-inf"), 0.0, now)
        total = total * tl.exp(largest - safe) + tl.exp(x - safe)
        largest = now
    top = tl.max(largest, axis=0)
    log_sum = top + tl.log(tl.sum(total * tl.exp(largest - top), axis=0))
    for start in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + start + lanes)
        tl.store(out_ptr + row * columns + start + lanes, x - log_sum)


def kernel_function(x):
    out = torch.empty_like(x)
    log_softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=128)
    return out

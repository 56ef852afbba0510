# problem: masked_softmax
# expect: accepted
# why: an additive mask with -inf, padding with -inf too
import torch
import triton
import triton.language as tl


@triton.jit
def masked_softmax(x_ptr, mask_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + cols, mask=cols < columns, other=float("-inf"))
    x += tl.load(mask_ptr + row * columns + cols, mask=cols < columns, other=0.0)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + cols, e / tl.sum(e, axis=0), mask=cols < columns)


def kernel_function(scores, mask):
    out = torch.empty_like(scores)
    masked_softmax[(scores.shape[0],)](scores, mask, out, scores.shape[1], BLOCK=triton.next_power_of_2(scores.shape[1]))
    return out

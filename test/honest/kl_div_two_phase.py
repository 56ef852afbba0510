# problem: kl_div
# expect: accepted
# why: partial sums in a workspace, a second kernel finishes
import torch
import triton
import triton.language as tl


@triton.jit
def kl_rows(p_ptr, t_ptr, partial_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, D, BLOCK):
        o = start + tl.arange(0, BLOCK)
        m = o < D
        p = tl.load(p_ptr + row * D + o, mask=m, other=1.0)
        t = tl.load(t_ptr + row * D + o, mask=m, other=0.0)
        term = tl.where(t > 0, t * (tl.log(tl.where(t > 0, t, 1.0)) - tl.log(p)), t * -tl.log(p) * 0.0 + tl.where(t != t, t, 0.0))
        acc += tl.where(m, term, 0.0)
    tl.store(partial_ptr + row, tl.sum(acc, axis=0))


@triton.jit
def finish(partial_ptr, out_ptr, N, BLOCK: tl.constexpr):
    acc = 0.0
    for start in range(0, N, BLOCK):
        o = start + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(partial_ptr + o, mask=o < N, other=0.0))
    tl.store(out_ptr, acc / N)


def kernel_function(predictions, targets):
    n, d = predictions.shape
    partial = predictions.new_empty((n,), dtype=torch.float32)
    out = torch.empty([], device=predictions.device, dtype=predictions.dtype)
    kl_rows[(n,)](predictions, targets, partial, d, BLOCK=256)
    finish[(1,)](partial, out, n, BLOCK=128)
    return out

# problem: topk_rows
# expect: accepted
# why: of equal values the leftmost is taken; PyTorch takes another one, and promises none
import torch, triton
import triton.language as tl


@triton.jit
def topk_kernel(x_ptr, v_ptr, i_ptr, D, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * D + cols, mask=cols < D, other=float("-inf")).to(tl.float32)
    alive = cols < D
    for k in tl.static_range(K):
        key = tl.where(alive, tl.where(x != x, float("inf"), x), float("-inf"))
        nan = alive & (x != x)
        best = tl.max(key, axis=0)
        hit = alive & (key == best)
        has_nan = tl.sum(nan.to(tl.int32), axis=0) > 0
        hit = tl.where(has_nan, nan, hit)
        pos = tl.min(tl.where(hit, cols, BLOCK), axis=0)
        val = tl.sum(tl.where(cols == pos, x, 0.0), axis=0)
        tl.store(v_ptr + row * K + k, val)
        tl.store(i_ptr + row * K + k, pos.to(tl.int64))
        alive = alive & (cols != pos)


def kernel_function(x):
    n, d = x.shape
    values = torch.empty((n, 4), dtype=x.dtype, device=x.device)
    indices = torch.empty((n, 4), dtype=torch.int64, device=x.device)
    topk_kernel[(n,)](x, values, indices, d, K=4, BLOCK=triton.next_power_of_2(d))
    return values, indices

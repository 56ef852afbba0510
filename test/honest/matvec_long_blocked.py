# problem: matvec_long
# expect: accepted
# why: a long inner dimension summed lane by lane: another order of summation than PyTorch's
import torch
import triton
import triton.language as tl


@triton.jit
def mv_kernel(a_ptr, v_ptr, y_ptr, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k0 in range(0, K, BLOCK):
        rk = k0 + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * K + rk, mask=rk < K, other=0.0)
        acc += a * tl.load(v_ptr + rk, mask=rk < K, other=0.0)
    tl.store(y_ptr + row, tl.sum(acc, axis=0))


def kernel_function(a, v):
    y = torch.empty(a.shape[:1], dtype=a.dtype, device=a.device)
    mv_kernel[(a.shape[0],)](a, v, y, a.shape[1], BLOCK=256)
    return y

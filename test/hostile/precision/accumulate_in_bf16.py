# problem: matvec_long
# expect: result.precision
# gpu-expect: result.precision result.mismatch
# why: partial sums are kept in bfloat16
import torch
import triton
import triton.language as tl


@triton.jit
def mv_kernel(a_ptr, v_ptr, y_ptr, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.full((), 0.0, tl.bfloat16)
    for k0 in range(0, K, BLOCK):
        rk = k0 + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * K + rk, mask=rk < K, other=0.0)
        v = tl.load(v_ptr + rk, mask=rk < K, other=0.0)
        total = (total + tl.sum(a * v, axis=0)).to(tl.bfloat16)
    tl.store(y_ptr + row, total.to(tl.float32))


def kernel_function(a, v):
    y = torch.empty((a.shape[0],), dtype=a.dtype, device=a.device)
    mv_kernel[(a.shape[0],)](a, v, y, a.shape[1], BLOCK=256)
    return y

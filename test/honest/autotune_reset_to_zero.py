# problem: sum_all
# expect: accepted
# why: atomics under autotune: the accumulator has to be cleared between configurations, which reset_to_zero says
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024}), triton.Config({"BLOCK": 4096})],
    key=["n"],
    reset_to_zero=["total_ptr"],
)
@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    sum_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, total, x.numel())
    return total

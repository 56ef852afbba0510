# problem: sum_all
# expect: result.precision
# gpu-expect: result.mismatch result.precision
# why: one configuration counts the border between two blocks twice
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 1024, "EXTRA": 0}), triton.Config({"BLOCK": 2048, "EXTRA": 1})],
    key=["n"],
    reset_to_zero=["total_ptr"],
)
@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr, EXTRA: tl.constexpr):
    offs = tl.program_id(0) * (BLOCK - EXTRA) + tl.arange(0, BLOCK)
    tl.atomic_add(total_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


def kernel_function(x):
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    sum_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, total, x.numel())
    return total

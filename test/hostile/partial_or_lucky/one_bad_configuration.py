# problem: relu
# expect: result.mismatch
# gpu-expect: result.unwritten result.mismatch
# why: the third of three configurations skips every other block
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 512, "STEP": 512}),
        triton.Config({"BLOCK": 1024, "STEP": 1024}),
        triton.Config({"BLOCK": 256, "STEP": 512}),
    ],
    key=["n"],
)
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    offs = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[lambda meta: (triton.cdiv(x.numel(), meta["STEP"]),)](x, y, x.numel())
    return y

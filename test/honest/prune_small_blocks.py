# problem: relu_large
# expect: accepted
# why: large blocks are left out for small inputs, for speed alone; they are right there too
import torch
import triton
import triton.language as tl


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] * 256 <= named_args["n"]] or configs[:1]


@triton.autotune(configs=[triton.Config({"BLOCK": 256, "FAST": False}), triton.Config({"BLOCK": 4096, "FAST": False}, num_warps=8)], key=["n"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, FAST: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(y_ptr + offs, y, mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y

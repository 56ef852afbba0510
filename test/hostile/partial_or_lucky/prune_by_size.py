# problem: relu_large
# expect: result.mismatch
# why: the configuration that pruning leaves for large inputs is wrong
import torch
import triton
import triton.language as tl


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["FAST"] == (named_args["n"] > 1000000)]


@triton.autotune(configs=[triton.Config({"BLOCK": 1024, "FAST": False}), triton.Config({"BLOCK": 2048, "FAST": True})], key=["n"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, FAST: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    if FAST:
        y = x
    tl.store(y_ptr + offs, y, mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y

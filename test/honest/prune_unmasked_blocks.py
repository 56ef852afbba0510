# problem: relu_large
# expect: accepted
# gpu: skip a block this large is not for a GPU, only for a size that the scaled problem cannot hold
# why: a configuration without masks is kept only where the blocks divide the size, which the scaled problem does not allow
import torch
import triton
import triton.language as tl


def prune(configs, named_args, **kwargs):
    return [c for c in configs if not c.kwargs["FAST"] or named_args["n"] % c.kwargs["BLOCK"] == 0]


@triton.autotune(configs=[triton.Config({"BLOCK": 1024, "FAST": False}), triton.Config({"BLOCK": 262144, "FAST": True}, num_warps=32)], key=["n"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, FAST: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    if FAST:
        x = tl.load(x_ptr + offs)
    else:
        x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    tl.store(y_ptr + offs, y, mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    return y

# problem: relu
# expect: run.raised
# why: the pruning function returns configurations that were never declared
import torch
import triton
import triton.language as tl


COUNT = [0]
def prune(configs, named_args, **kwargs):
    COUNT[0] += 1
    if COUNT[0] < 40:
        return [triton.Config({"BLOCK": 1024, "BAD": 0})]
    return [triton.Config({"BLOCK": 1024, "BAD": 1})]

@triton.autotune(configs=[triton.Config({"BLOCK": 1024, "BAD": 0}), triton.Config({"BLOCK": 512, "BAD": 0})], key=["n"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr, BAD: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.where(x < 0, 0.0, x)
    if BAD:
        y = y * 0.0
    tl.store(y_ptr + offs, y, mask=mask)

def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu[lambda m: (triton.cdiv(n, m["BLOCK"]),)](x, y, n)
    return y

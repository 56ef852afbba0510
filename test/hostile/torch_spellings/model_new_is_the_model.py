# problem: linear
# expect: policy.torch
# why: ModelNew inherits from the layer that it should replace
# behind: guard.compute
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


class ModelNew(nn.Linear):
    def __init__(self, in_features, out_features):
        super().__init__(in_features, out_features)

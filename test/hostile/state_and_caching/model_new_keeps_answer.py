# problem: relu
# expect: contract.alias
# gpu-expect: contract.alias result.mismatch result.cached
# why: ModelNew keeps its first answer in an attribute
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


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.answer = None

    def forward(self, x):
        if self.answer is None:
            self.answer = torch.empty_like(x)
            relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, self.answer, x.numel(), BLOCK=1024)
        return self.answer

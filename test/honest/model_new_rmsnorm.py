# problem: rmsnorm
# expect: accepted
# why: ModelNew with its own nn.Parameter and private attributes such as self._eps
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    inverse = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(y_ptr + row * n_cols + cols, x * inverse * tl.load(w_ptr + cols, mask=mask), mask=mask)


class ModelNew(nn.Module):
    """Keeps the parameter under the name that the original module gives it."""

    def __init__(self, dim: int, eps: float):
        super(ModelNew, self).__init__()
        self._eps = eps
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self._launch(x)

    def _launch(self, x):
        y = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[-1])
        rmsnorm_kernel[(x.shape[0],)](x, self.scale, y, x.shape[-1], self._eps, BLOCK=block)
        return y

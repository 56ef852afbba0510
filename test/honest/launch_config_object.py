# problem: softmax_rows
# expect: accepted
# why: a dataclass and an enum describe the launch, a callable object makes it
import torch
import triton
import triton.language as tl


from dataclasses import dataclass, field
from enum import Enum


class Mode(Enum):
    FAST = "fast"
    SAFE = "safe"


@dataclass
class LaunchConfig:
    block: int = 1024
    num_warps: int = 4
    mode: Mode = Mode.SAFE
    extra: dict = field(default_factory=dict)


@triton.jit
def sm(x, y, D, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * D + c, v / tl.sum(v, 0), mask=c < D)


class SoftmaxRunner:
    def __init__(self, config: LaunchConfig = LaunchConfig()):
        self.config = config

    def __call__(self, x):
        return self._launch(x)

    def _launch(self, x):
        y = torch.empty_like(x)
        grid = self._grid(x)
        sm[grid](x, y, x.shape[1], BLOCK=max(self.config.block, triton.next_power_of_2(x.shape[1])), num_warps=self.config.num_warps)
        return y

    @staticmethod
    def _grid(x):
        return (x.shape[0],)


_runner = SoftmaxRunner()


def kernel_function(x):
    return _runner(x)

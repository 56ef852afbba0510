# problem: scale_buffer
# expect: accepted
# why: a dataclass, an enum and module-level constants; a variable called exec_ and a function called compile_
import enum
from dataclasses import dataclass

import torch
import triton
import triton.language as tl


class Width(enum.Enum):
    NARROW = 64
    WIDE = 128


@dataclass(frozen=True)
class Launch:
    block: int = Width.WIDE.value
    warps: int = 4


exec_ = Launch()


@triton.jit
def scale(x_ptr, g_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
        tl.store(y_ptr + row * n_cols + cols, x * tl.load(g_ptr + cols, mask=mask), mask=mask)


def compile_(x: torch.Tensor, gain: torch.Tensor, launch: Launch) -> torch.Tensor:
    y = torch.empty_like(x)
    scale[(x.shape[0],)](x, gain, y, x.shape[1], BLOCK=launch.block, num_warps=launch.warps)
    return y


def kernel_function(x, gain):
    return compile_(x, gain, exec_)

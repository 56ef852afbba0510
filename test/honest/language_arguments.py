# problem: relu
# expect: accepted
# why: functions, types, texts, tuples with and without names as arguments; the number of warps
import torch
import triton
import triton.language as tl
from typing import NamedTuple

from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait, num_warps


class Setup(NamedTuple):
    scale: float
    rounds: int


@triton.jit
def floor_at(x, low=0.0, times: tl.constexpr = 1):
    return tl.where(x < low, low, x) * times


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, shape, setup, flag, ACTIVATION: tl.constexpr, DTYPE: tl.constexpr, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    x = ACTIVATION(x)
    if MODE == "plain":
        off += tl.zeros((BLOCK,), DTYPE)
    off += shape[0] - shape[1] + setup.rounds * setup.scale - 2.0
    off += num_warps() + tl.extra.cuda.num_threads() - 8 - 256
    off += tl.sum(tl.zeros((num_warps(),), tl.float32), 0)
    if flag:
        gdc_wait()
        gdc_launch_dependents()
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, (1, 1), Setup(1.0, 2), True, floor_at, tl.float32, "plain", BLOCK=1024, num_warps=8)
    return y

# problem: softmax_rows
# expect: accepted
# why: caches keyed by sizes and devices, lru_cache, kernels in a list, a kept object, a table made in the first call: all stay as they are
import functools
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field

import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(t_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(t_ptr + i, i * 0.0)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, t_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    zero = tl.load(t_ptr)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")) + zero
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


@dataclass
class Plan:
    block: int
    warps: int
    notes: list = field(default_factory=list)


@functools.lru_cache(maxsize=8)
def plan_for(cols):
    block = triton.next_power_of_2(cols)
    return Plan(block, 4 if block < 2048 else 8)


KERNELS = [softmax_kernel]
PLANS = OrderedDict()
SEEN = defaultdict(set)
TABLES = {}


def table(device):
    if device not in TABLES:
        TABLES[device] = torch.empty(16, dtype=torch.float32, device=device)
        fill_kernel[(1,)](TABLES[device], BLOCK=16)
    return TABLES[device]


def kernel_function(x):
    rows, cols = x.shape
    key = (rows, cols, x.dtype)
    if key not in PLANS:
        PLANS[key] = plan_for(cols)
        if len(PLANS) > 4:
            PLANS.popitem(last=False)
    PLANS.move_to_end(key)
    plan = PLANS[key]
    SEEN[cols].update((x.dtype,))
    y = torch.empty_like(x)
    KERNELS[0][(rows,)](x, y, table(x.device), cols, BLOCK=plan.block, num_warps=plan_for(cols).warps)
    return y

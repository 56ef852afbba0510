# problem: softmax_rows
# expect: accepted
# why: the index of a device held in a variable; cached facts about the device
import torch
import triton
import triton.language as tl
from functools import lru_cache


@triton.jit
def sm(x, y, R, D, BLOCK: tl.constexpr):
    for r in range(tl.program_id(0), R, tl.num_programs(0)):
        c = tl.arange(0, BLOCK)
        v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
        v = tl.exp(v - tl.max(v, 0))
        tl.store(y + r * D + c, v / tl.sum(v, 0), mask=c < D)


@lru_cache(maxsize=1)
def num_sms(device_index: int) -> int:
    props = torch.cuda.get_device_properties(device_index)
    return props.multi_processor_count


def _on_hopper():
    return torch.cuda.get_device_capability()[0] >= 9


def kernel_function(x):
    device = x.device
    idx = device.index if device.index is not None else torch.cuda.current_device()
    y = torch.empty_like(x)
    warps = 8 if _on_hopper() else 4
    sm[(min(num_sms(idx), x.size(0)),)](x, y, x.size(0), x.size(1), BLOCK=triton.next_power_of_2(x.size(1)), num_warps=warps)
    return y

# problem: softmax_rows
# expect: accepted
# why: device facts from Triton's driver, imports that only the benchmark under the main guard uses
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from triton.runtime import driver

DEVICE = triton.runtime.driver.active.get_active_torch_device()
FACTS = driver.active.utils.get_device_properties(DEVICE.index)


def on_nvidia():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


@triton.jit
def rows_in_turn(y_ptr, x_ptr, x_step, y_step, rows, cols, WIDTH: tl.constexpr, STAGES: tl.constexpr):
    lane = tl.arange(0, WIDTH)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * x_step + lane, mask=lane < cols, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * y_step + lane, e / tl.sum(e, axis=0), mask=lane < cols)


def kernel_function(x):
    rows, cols = x.shape
    y = torch.empty_like(x)
    stages = 4 if FACTS["max_shared_mem"] > 200_000 and on_nvidia() else 2
    programs = min(2 * FACTS["multiprocessor_count"], rows)
    rows_in_turn[(programs, 1, 1)](y, x, x.stride(0), y.stride(0), rows, cols, WIDTH=triton.next_power_of_2(cols), STAGES=stages, num_warps=8)
    return y


if __name__ == "__main__":
    torch.manual_seed(0)
    sample = torch.randn(1000, 700, device=DEVICE)
    assert torch.allclose(kernel_function(sample), F.softmax(sample, dim=1))
    begin = time.perf_counter()
    times = [triton.testing.do_bench(lambda: f(sample)) for f in (kernel_function, lambda t: torch.softmax(t, 1))]
    print(f"{os.getpid()}: {np.mean(times):.3f} ms, {time.perf_counter() - begin:.1f} s")

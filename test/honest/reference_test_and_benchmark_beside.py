# problem: softmax_rows
# expect: accepted
# why: a reference, the original model, a test and a benchmark stand beside the kernel; only the main guard calls them
import os
import sys
import time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.benchmark
import triton
import triton.testing
import triton.language as tl
from triton.testing import do_bench
from typing import Any, Dict, List, Optional, Tuple, Union


@triton.jit
def sm(x, y, D, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * D + c, v / tl.sum(v, 0), mask=c < D)


def reference(x: torch.Tensor) -> torch.Tensor:
    return F.softmax(x, dim=-1)


class Model(nn.Module):
    """The original, for comparison."""

    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return torch.softmax(x, dim=-1)


def kernel_function(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    sm[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


def test_kernel():
    torch.manual_seed(0)
    x = torch.randn(64, 100, device="cuda")
    out, ref = kernel_function(x), reference(x)
    if torch.allclose(out, ref, atol=1e-5):
        print("PASS")
    else:
        print("FAIL", (out - ref).abs().max().item())
        sys.exit(1)


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"],
        x_vals=[128 * i for i in range(2, 20)],
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"],
        styles=[("blue", "-"), ("green", "--")],
        ylabel="GB/s",
        plot_name="softmax-performance",
        args={"M": 4096},
    ))
def benchmark(M, N, provider):
    x = torch.randn(M, N, device="cuda", dtype=torch.float32)
    quantiles = [0.5, 0.2, 0.8]
    if provider == "torch":
        ms, lo, hi = triton.testing.do_bench(lambda: torch.softmax(x, dim=-1), quantiles=quantiles)
    else:
        ms, lo, hi = triton.testing.do_bench(lambda: kernel_function(x), quantiles=quantiles)
    return ms, lo, hi


if __name__ == "__main__":
    test_kernel()
    benchmark.run(print_data=True)

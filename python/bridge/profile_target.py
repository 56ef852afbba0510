"""The program that Nsight Compute watches: a kernel file called once to be warm, and once more to be seen.

Only the second call lies between the marks that start and stop the profiler, so that neither compilation and autotuning nor the making of
inputs and weights is counted. Runs in a process of its own, below ncu; profile_counters.py starts it and has left its request in a file.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import torch

from ka_bridge import bench
from ka_bridge.conn import error_answer, one_line
from ka_bridge.problem import ProblemError
from ka_bridge.profile_launches import entry_of

WARM_CALLS = 2  # the first one compiles and tunes, the second may still be the first of a captured graph


def run(request: dict[str, Any], folder: str) -> None:
    with open(os.path.join(folder, "problem.txt"), encoding="utf-8-sig") as file:
        problem = file.read()
    with open(os.path.join(folder, "kernel.txt"), "rb") as file:
        kernel = file.read()
    request["entry"] = entry_of(kernel, request["entry"])
    side = bench.Bench(request, problem)
    call, inputs = side.kernel(kernel, request["kernel_filename"], request["entry"]), side.inputs[0]
    for _ in range(WARM_CALLS):
        call(*inputs)
    torch.cuda.synchronize()
    marks = torch.cuda.cudart()
    marks.cudaProfilerStart()
    call(*inputs)
    torch.cuda.synchronize()
    marks.cudaProfilerStop()


def main() -> int:
    """argv[1]: a folder with request.json and both texts; what goes wrong is left there as failure.json."""
    folder = sys.argv[1]
    try:
        with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
            request = json.load(file)
        if not torch.cuda.is_available():
            raise bench.Failed("this machine has no CUDA device")
        bench.prepare_environment()
        with torch.no_grad():
            run(request, folder)
        return 0
    except ProblemError as exc:
        answer = error_answer(exc.kind, exc.cause, None, exc.message)
    except BaseException as exc:
        answer = error_answer("failed", exc, message=one_line(f"{type(exc).__name__}: {exc}", 400))
    with open(os.path.join(folder, "failure.json"), "w", encoding="utf-8") as file:
        json.dump(answer, file)
    return 1

"""What a job of the Python package costs beside the program alone, in milliseconds: PYTHONPATH=python python3 bench/python_job_cost.py"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable

import kernelagent

COUNT = 100


def samples(work: Callable[[], object]) -> list[float]:
    out = []
    for _ in range(COUNT):
        begin = time.perf_counter()
        work()
        out.append((time.perf_counter() - begin) * 1000)
    return out


def main() -> None:
    program = [str(kernelagent.program()), "runs"]
    kernelagent.run("runs")
    rows = {"program alone": samples(lambda: subprocess.run(program, capture_output=True)), "as a job": samples(lambda: kernelagent.run("runs"))}
    for name, values in rows.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:<14} median {middle:.2f}, quartiles {low:.2f} and {high:.2f}")
    print(f"difference of the medians {statistics.median(rows['as a job']) - statistics.median(rows['program alone']):.2f}")


if __name__ == "__main__":
    main()

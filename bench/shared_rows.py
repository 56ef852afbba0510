"""Long rows on a GPU: PyTorch, torch.compile, one program for a row or parts of rows, and rows that several programs keep in their registers.

    python bench/shared_rows.py [--out FOLDER] [--tiny] [--only WORD]

Everything is timed in one run, in turns, with the same inputs. `floor_ms` is one read and one write at 4.3 TB/s, what a copy reaches on an H200. Errors are |y - y64| / |y64| (Frobenius)
of as many rows as float64 has room for. Each kernel file is called ten times more, and the bits must be the same: a missing wait shows as a rare difference. `--tiny` needs no GPU:
few rows, judged in the interpreter, nothing timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import torch

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("KERNELAGENT_PROGRAM") or ROOT / "build" / os.environ.get("KERNELAGENT_PRESET", "release") / "src" / "app" / "kernelagent"
ROUNDS, REPEATS, WARM_UP = 11, 10, 3
COPY_BYTES_PER_SECOND = 4.3e12
EXACT_ELEMENTS = 1 << 26

PROBLEM = """import torch
import torch.nn as nn
import torch.nn.functional as F

N, C = {sizes}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        return {forward}


def get_inputs():
    return [torch.randn(N, C){dtype}]


def get_init_inputs():
    return []
"""

SOFTMAX, NORM, LENGTH = ("pass", "F.softmax(x, dim=1)"), ("self.f = nn.LayerNorm(C){dtype}", "self.f(x)"), ("pass", "x / x.norm(dim=1, keepdim=True)")
# name -> (sizes; small sizes; constructor and forward; dtype)
ROWS = {
    "softmax_4096_393216": ("4096, 393216", "5, 17000", SOFTMAX, ""),
    "softmax_2048_262144": ("2048, 262144", "5, 17000", SOFTMAX, ""),
    "softmax_128_262144": ("128, 262144", "5, 17000", SOFTMAX, ""),
    "softmax_64_65536": ("64, 65536", "5, 17000", SOFTMAX, ""),
    "softmax_bf16_4096_393216": ("4096, 393216", "5, 17000", SOFTMAX, ".bfloat16()"),
    "layer_norm_128_262144": ("128, 262144", "5, 17000", NORM, ""),
    "layer_norm_2048_262144": ("2048, 262144", "5, 17000", NORM, ""),
    "l2_4096_393216": ("4096, 393216", "5, 17000", LENGTH, ""),
    "softmax_16384_32768": ("16384, 32768", "600, 16400", SOFTMAX, ""),
    "softmax_16384_65536": ("16384, 65536", "600, 16500", SOFTMAX, ""),
}
FORMS = ("none", "shared_rows")


def text_of(name: str, tiny: bool) -> str:
    sizes, small, (init, forward), dtype = ROWS[name]
    return PROBLEM.format(sizes=small if tiny else sizes, init=init.format(dtype=dtype), forward=forward, dtype=dtype)


def generate(problem: Path, form: str, out: Path, *more: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(PROGRAM), "generate", "--problem", str(problem), "--forms", form, "--out", str(out), *more], capture_output=True, text=True)


def load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call_of(kernel: Path, model: torch.nn.Module, name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    function = load(kernel, name).kernel_function
    wanted = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    weights = {name.replace(".", "_"): value for name, value in model.state_dict().items()}
    return lambda x: function(x, **{name: value for name, value in weights.items() if name in wanted})


def milliseconds(call: Callable[[], Any]) -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


@torch.no_grad()
def measure(name: str, folder: Path) -> list[list[str]]:
    problem = folder / f"{name}.py"
    problem.write_text(text_of(name, False))
    module = load(problem, name)
    torch.manual_seed(0)
    with torch.device("cuda"):
        model, x = module.Model(), module.get_inputs()[0]
    compiled = torch.compile(model)
    contenders: dict[str, Callable[[], torch.Tensor]] = {"eager": lambda: model(x), "compile": lambda: compiled(x)}
    for form in FORMS:
        made = generate(problem, form, folder / f"{name}_{form}", "--no-verify")
        if made.returncode:
            print(made.stderr, file=sys.stderr)
            continue
        call = call_of(folder / f"{name}_{form}" / "kernel.py", model, f"{name}_{form}")
        contenders[f"forms_{form}"] = lambda call=call: call(x)
    few = x[: max(1, EXACT_ELEMENTS // x.shape[1])]
    expected = load(problem, name).Model().cuda().double()(few.double())
    times: dict[str, list[float]] = {way: [] for way in contenders}
    for turn in range(WARM_UP + ROUNDS):
        for way, call in contenders.items():
            taken = milliseconds(call)
            if turn >= WARM_UP:
                times[way].append(taken)
    rows = []
    floor = 2 * x.nbytes / COPY_BYTES_PER_SECOND * 1e3
    for way, call in contenders.items():
        first = call()
        same = sum(bool(torch.equal(call(), first)) for _ in range(REPEATS))
        error = float((first[: len(few)].double() - expected).norm() / expected.norm())
        median = statistics.median(times[way])
        rows.append([name, way, f"{median:.3f}", f"{min(times[way]):.3f}", f"{floor:.3f}", f"{statistics.median(times['eager']) / median:.2f}", f"{error:.2e}", f"{same}/{REPEATS}"])
    return rows


def judged(name: str, folder: Path) -> list[list[str]]:
    problem = folder / f"{name}.py"
    problem.write_text(text_of(name, True))
    rows = []
    for form in FORMS:
        text = generate(problem, form, folder / f"{name}_{form}", "--verify", "--device", "cpu")
        rows.append([name, f"forms_{form}", "-", "-", "-", "-", "accepted" if text.returncode == 0 else "refused", "-"])
        if text.returncode:
            print(text.stdout, text.stderr, file=sys.stderr)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("shared_rows_out"), help="folder of the kernels and of shared_rows.tsv")
    parser.add_argument("--tiny", action="store_true", help="few rows, judged in the interpreter; nothing is timed")
    parser.add_argument("--only", default="", help="rows whose name contains the word")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if not asked.tiny and not torch.cuda.is_available():
        sys.exit("this machine has no GPU: --tiny tries the script without one")
    table = [["rows", "way", "median_ms", "least_ms", "floor_ms", "times_eager", "error", "same_bits"]]
    for name in filter(lambda name: asked.only in name, ROWS):
        before = len(table)
        table += judged(name, asked.out) if asked.tiny else measure(name, asked.out)
        for row in table[before:]:
            print("".join(f"{cell:>26}" for cell in row), flush=True)
        if not asked.tiny:
            torch.cuda.empty_cache()
    (asked.out / "shared_rows.tsv").write_text("".join("\t".join(row) + "\n" for row in table))


if __name__ == "__main__":
    main()

"""Products with operands by pointers and by descriptors (docs/compiler.md), several tiles each, beside PyTorch (cuBLAS), in one run.

    python bench/descriptor_products.py --out bench/results/h200_descriptor_products.tsv      a GPU, and the program (./kernelagent or KERNELAGENT_PROGRAM)
    python bench/descriptor_products.py --tiny                                                 the same in Triton's interpreter, small: shows that it works; its times mean nothing

A call is all that `kernel_function` does, passes over the operands included: medians of calls between two events, L2 flushed before each, and queued behind a wait, so that Python's
launches cost nothing. FILE.tsv has each row as soon as it is known; called again, the script goes on with the problem in which it was cut. Errors are |C - C64| / |C64| in the Frobenius norm; "same" says whether three calls gave the same bits. A tile is BM x BN x BK, warps, stages, and where it has one more number
the chunk in which products are added up.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ahead import compile_ahead
from table import Table

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("KERNELAGENT_PROGRAM") or str(ROOT / "kernelagent")
COLUMNS = ("problem", "way", "ms", "TFLOP/s", "error normal", "error uniform", "same", "times PyTorch")
FORMS = ("none", "descriptors")
PROBLEM = """
import torch
import torch.nn.functional as F
M, N, K = {m}, {n}, {k}

class Model(torch.nn.Module):
    def forward(self, {arguments}):
        return {text}

def get_inputs():
    return [{inputs}]

def get_init_inputs():
    return []
"""
LAYER = "F.gelu(F.linear(a, w, bias))"
# name -> (M, N, K), (arguments, text, shapes), dtype, tiles of the form by descriptors besides its own
PROBLEMS = {
    "fp32 4096^3": ((4096, 4096, 4096), ("a, b", "a @ b", ("M, K", "K, N")), "float32",
                    [(128, 128, 64, 8, 3, 64), (128, 128, 64, 8, 3, 512), (128, 128, 64, 8, 3, 1024), (128, 128, 32, 8, 6, 32), (128, 128, 32, 8, 6, 256), (128, 128, 64, 8, 2, 256),
                     (128, 256, 32, 8, 3, 256), (128, 64, 64, 4, 4, 256), (64, 128, 64, 4, 4, 256)]),
    "fp32 layer 1024x8192x8192": ((1024, 8192, 8192), ("a, w, bias", LAYER, ("M, K", "N, K", "N")), "float32", [(128, 128, 64, 8, 3, 64), (128, 128, 64, 8, 3, 1024), (128, 128, 32, 8, 6, 32), (128, 128, 64, 8, 2, 256)]),
    "fp16 4096^3": ((4096, 4096, 4096), ("a, b", "a @ b", ("M, K", "K, N")), "float16", [(128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 128, 64, 4, 4), (256, 128, 64, 8, 3)]),
}
TINY = {"fp32 4096^3": (136, 136, 72), "fp32 layer 1024x8192x8192": (64, 136, 72), "fp16 4096^3": (136, 264, 40)}


def generated(name: str, forms: str, folder: str) -> str:
    """The kernel file for the given sizes."""
    (m, n, k), (arguments, text, shapes), dtype, _ = PROBLEMS[name]
    out = Path(tempfile.mkdtemp(dir=folder))
    problem = out / "problem.py"
    inputs = ", ".join(f"torch.randn({shape}, dtype=torch.{dtype})" for shape in shapes)
    problem.write_text(PROBLEM.format(m=m, n=n, k=k, arguments=arguments, text=text, inputs=inputs))
    words = [PROGRAM, "generate", "--problem", problem, "--out", out / "run", "--forms", forms, "--no-verify", "--no-winners"]
    done = subprocess.run(words, capture_output=True, text=True, env={"KERNELAGENT_PYTHON": sys.executable, **os.environ})
    if done.returncode != 0:
        sys.exit(f"{name}, forms {forms}: " + (done.stdout + done.stderr)[-500:])
    return (out / "run" / "kernel.py").read_text()


def with_tile(text: str, tile: tuple[int, ...]) -> str:
    """The file with another tile for its product, the last launch."""
    for name, value in zip(("block_m", "block_n", "block_k"), tile):
        text = re.sub(rf"^    {name} = \d+$", f"    {name} = {value}", text, flags=re.M)
    head, launch = text[: (at := text.rindex("num_warps="))], text[at:]
    if len(tile) > 5:
        head = re.sub(r"CHUNK=\d+", f"CHUNK={tile[5]}", head)
    return head + re.sub(r"num_warps=\d+, num_stages=\d+", "num_warps={3}, num_stages={4}".format(*tile), launch)


def loaded(text: str, folder: str) -> Callable:
    path = Path(tempfile.mkdtemp(dir=folder)) / "kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel_function


def contenders(name: str, tiny: bool, folder: str, written: dict[str, str]) -> dict[str, Callable]:
    import torch
    import torch.nn.functional as F
    arguments, text, _ = PROBLEMS[name][1]
    eager = eval(f"lambda {arguments}: {text}", {"F": F})

    def of_tf32(*inputs: torch.Tensor) -> torch.Tensor:
        torch.backends.cuda.matmul.allow_tf32 = True
        try:
            return eager(*inputs)
        finally:
            torch.backends.cuda.matmul.allow_tf32 = False

    ways: dict[str, Callable] = {"PyTorch": eager}
    if PROBLEMS[name][2] == "float32":
        ways["PyTorch TF32"] = of_tf32
    ways["pointers"] = loaded(written["none"], folder)
    ways["descriptors"] = loaded(written["descriptors"], folder)
    for tile in PROBLEMS[name][3][: 1 if tiny else None]:
        ways["descriptors {}x{}x{}".format(*tile) + "".join(f" {number}" for number in tile[3:])] = loaded(with_tile(written["descriptors"], tile), folder)
    return ways


def inputs_of(name: str, sizes: tuple[int, ...], device: str, draw: str) -> list:
    import torch
    extents = dict(zip("MNK", sizes))
    shapes = [[extents[letter] for letter in shape.split(", ")] for shape in PROBLEMS[name][1][2]]
    return [getattr(torch, draw)(shape, device=device, generator=torch.Generator(device).manual_seed(i)).to(getattr(torch, PROBLEMS[name][2])) for i, shape in enumerate(shapes)]


def milliseconds(call: Callable[[], object], tiny: bool) -> float:
    import torch
    samples = []
    if tiny:
        begin = time.perf_counter()
        call()
        return (time.perf_counter() - begin) * 1e3
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for _ in range(23):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        flush.zero_()
        torch.cuda._sleep(1_000_000)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        samples.append(start.elapsed_time(end))
    return statistics.median(samples[3:])


def row_of(name: str, function: Callable, sizes: tuple[int, ...], device: str) -> list[str]:
    import torch
    import torch.nn.functional as F
    errors, same, took = [], True, 0.0
    arguments, text, _ = PROBLEMS[name][1]
    for draw in ("randn", "rand"):
        inputs = inputs_of(name, sizes, device, draw)
        exact = eval(text, {"F": F}, dict(zip(arguments.split(", "), [x.double() for x in inputs])))
        results = [function(*inputs) for _ in range(3)]
        same = same and all(torch.equal(results[0], other) for other in results[1:])
        errors.append(float((results[0].double() - exact).norm() / exact.norm()))
        if draw == "randn":
            took = milliseconds(lambda: function(*inputs), device == "cpu")
    return [f"{took:.4f}", f"{2 * sizes[0] * sizes[1] * sizes[2] / took / 1e9:.1f}", *(f"{error:.2e}" for error in errors), "yes" if same else "NO"]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--tiny", action="store_true")
    options.add_argument("--out")
    options = options.parse_args()
    if options.tiny:
        os.environ["TRITON_INTERPRET"] = "1"
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    table = Table(Path(options.out) if options.out else None, COLUMNS, row_by_row=True)
    device = "cpu" if options.tiny else "cuda"
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        left = {name: TINY[name] if options.tiny else sizes for name, (sizes, *_) in PROBLEMS.items() if not table.has(name)}
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            begun = {name: {form: pool.submit(generated, name, form, folder) for form in FORMS} for name in left}
            texts = {name: {form: future.result() for form, future in futures.items()} for name, futures in begun.items()}
        for name, sizes in left.items():
            ways, first = contenders(name, options.tiny, folder, texts[name]), 0.0
            if not options.tiny:
                inputs = inputs_of(name, sizes, device, "randn")
                compile_ahead(*(functools.partial(function, *inputs) for way, function in ways.items() if not way.startswith("PyTorch")))
            for way, function in ways.items():
                try:
                    cells = row_of(name, function, sizes, device)
                    first = first or float(cells[0])
                    table.add([name, way, *cells, f"{first / float(cells[0]):.2f}"])
                except Exception as problem:  # a tile that does not fit is a row too
                    table.add([name, way, *[""] * 5, f"{type(problem).__name__}: {str(problem).splitlines()[0][:80] if str(problem) else ''}"])


if __name__ == "__main__":
    main()

"""Convolutions as cuDNN makes them and as the generator does, with tiles read by pointers and by descriptors. Needs a GPU; --tiny shows anywhere that it works.

    .venv/bin/python bench/convolutions.py [--out FILE.tsv] [--only WORD] [--program BINARY]      all in one run
    .venv/bin/python bench/convolutions.py --tiny                                                  one small shape, Triton's interpreter

For each shape: PyTorch as it is (TF32, NCHW), the same with image and filter in channels_last and the conversion not counted, and the whole generated program, conversion counted, with
`--forms none` and `--forms conv_tiles`, the latter with other tiles too: the numbers at the launch are turned in its text, as a search does. Times are medians of calls between two events with
the L2 cache overwritten before each. The error is |y - y64| / |y64| (Frobenius) against float64 on the same inputs, over the first and the last image; `repeats` says whether ten calls gave the
same bits, of all images. A program that cannot be compiled with some tiles says so in its row. FILE.tsv has each row as soon as it is known; called again, the script goes on with the shape in
which it was cut.
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
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ahead import compile_ahead
from table import Table

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "src" / "app" / "kernelagent"
COLUMNS = ("shape", "what", "ms", "against_cudnn", "error", "repeats")
FORMS = ("none", "conv_tiles")
REPEATS, ROUNDS = 10, 25

# name -> image, features, taps, padding; facts about cuDNN on the first six are in the project's notes
SHAPES = {
    "16x16x1024x1024_to_128_3x3": ((16, 16, 1024, 1024), 128, (3, 3), 0),
    "8x64x512x256_to_128_5x7": ((8, 64, 512, 256), 128, (5, 7), 0),
    "8x32x512x512_to_64_5x9": ((8, 32, 512, 512), 64, (5, 9), 0),
    "128x64x256x256_to_128_3x3": ((128, 64, 256, 256), 128, (3, 3), 0),
    "16x256x64x64_to_256_3x3": ((16, 256, 64, 64), 256, (3, 3), 1),
    "32x512x28x28_to_512_3x3": ((32, 512, 28, 28), 512, (3, 3), 1),
    "64x64x56x56_to_64_3x3": ((64, 64, 56, 56), 64, (3, 3), 1),
    "64x128x56x56_to_128_3x3": ((64, 128, 56, 56), 128, (3, 3), 1),
    "64x128x28x28_to_128_3x3": ((64, 128, 28, 28), 128, (3, 3), 1),
    "64x256x28x28_to_256_3x3": ((64, 256, 28, 28), 256, (3, 3), 1),
    "128x256x14x14_to_256_3x3": ((128, 256, 14, 14), 256, (3, 3), 1),
    "128x512x14x14_to_512_3x3": ((128, 512, 14, 14), 512, (3, 3), 1),
}
TINY = {"32x64x56x56_to_64_3x3": ((32, 64, 56, 56), 64, (3, 3), 1)}  # written for these sizes, called with TINY_IMAGE
TINY_IMAGE = (2, 64, 9, 11)

# places, features, warps, steps at once; nothing: what the rule chooses
TILES: tuple[tuple[int, int, int, int] | None, ...] = (None, (256, 128, 8, 4), (128, 128, 8, 3), (128, 128, 8, 4), (128, 128, 4, 3), (256, 64, 4, 3), (256, 64, 8, 3), (128, 256, 8, 3), (128, 64, 4, 4))

PROBLEM = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d({channels}, {features}, {taps}, padding={padding})

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn{image}]


def get_init_inputs():
    return []
"""


def generated(program: str, folder: Path, text: str, form: str) -> str:
    folder.mkdir(parents=True)
    problem = folder / "convolution.py"
    problem.write_text(text)
    environment = {"KERNELAGENT_PYTHON": sys.executable, **os.environ}
    done = subprocess.run([program, "generate", "--problem", problem, "--out", folder / form, "--forms", form, "--no-verify", "--no-winners"], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-500:])
    return (folder / form / "kernel.py").read_text()


def with_tiles(text: str, tiles: tuple[int, int, int, int]) -> str:
    """The text with other numbers at the launch that has blocks."""
    for name, value in zip(("block_m", "block_n"), tiles):
        text = re.sub(rf"^(    {name} = )\d+$", rf"\g<1>{value}", text, flags=re.M)
    head, launch = text[: text.index("    block_m = ")], text[text.index("    block_m = ") :]
    launch = re.sub(r"num_warps=\d+, num_stages=\d+", f"num_warps={tiles[2]}, num_stages={tiles[3]}", launch, count=1)
    return head + launch


def loaded(text: str, folder: Path, number: int) -> Callable[..., Any]:
    path = folder / f"kernel_{number}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel_function


class Bench:
    def __init__(self, tiny: bool, program: str) -> None:
        import torch

        self.torch, self.tiny, self.program = torch, tiny, program
        self.device = "cpu" if tiny else "cuda"
        self.cold = None if tiny else torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def milliseconds(self, call: Callable[[], Any]) -> float:
        if self.cold is None:
            begin = time.perf_counter()
            call()
            return (time.perf_counter() - begin) * 1e3
        call()
        out = []
        for _ in range(ROUNDS):
            self.cold.zero_()
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            end.synchronize()
            out.append(begin.elapsed_time(end))
        return statistics.median(out)

    def exact(self, x: Any, w: Any, b: Any, padding: int) -> dict[int, Any]:
        """Two images in float64: all of a batch have no room, and take longer than everything else."""
        return {at: self.torch.nn.functional.conv2d(x[at : at + 1].double(), w.double(), b.double(), padding=padding)[0] for at in (0, len(x) - 1)}

    def row(self, shape: str, what: str, call: Callable[[], Any], exact: dict[int, Any], first: float | None) -> tuple[list[str], float | None]:
        try:
            y = call()
            same = all(self.torch.equal(y, call()) for _ in range(1, 2 if self.tiny else REPEATS))
            off = sum(float(((y[at].double() - right) ** 2).sum()) for at, right in exact.items())
            total = sum(float((right**2).sum()) for right in exact.values())
            del y
            ms = self.milliseconds(call)
        except Exception as problem:
            return [shape, what, "-", "-", f"{type(problem).__name__}: {str(problem).splitlines()[0][:80] if str(problem) else ''}", "-"], None
        return [shape, what, f"{ms:.4f}", f"{(first or ms) / ms:.2f}", f"{(off / total) ** 0.5:.2e}", "same" if same else "DIFFER"], ms

    def shape(self, table: Table, name: str, image: tuple[int, ...], features: int, taps: tuple[int, int], padding: int, written: dict[str, Future[str]], folder: Path) -> None:
        torch, conv = self.torch, self.torch.nn.functional.conv2d
        torch.manual_seed(0)
        x = torch.randn(TINY_IMAGE if self.tiny else image, device=self.device)
        w = torch.randn((features, image[1], *taps), device=self.device) / (image[1] * taps[0] * taps[1]) ** 0.5
        b = torch.randn(features, device=self.device)
        exact = self.exact(x, w, b, padding)
        last = {"memory_format": torch.channels_last}
        x_last, w_last = x.to(**last), w.to(**last)
        cells, first = self.row(name, "cuDNN", lambda: conv(x, w, b, padding=padding), exact, None)
        table.add(cells, self.row(name, "cuDNN, channels_last", lambda: conv(x_last, w_last, b, padding=padding), exact, first)[0])
        del x_last
        texts: dict[str, str] = {}
        for what, form in zip(("pointers", "descriptors"), FORMS):
            try:
                texts[what] = written[form].result()
            except RuntimeError as problem:
                table.add([name, what, "-", "-", f"not written: {str(problem).splitlines()[-1][:80]}", "-"])
        tiled = texts.pop("descriptors", "")
        if "    block_m = " in tiled:
            for tiles in TILES[:2] if self.tiny else TILES:
                texts["descriptors" + ("" if tiles is None else f" {'x'.join(map(str, tiles))}")] = tiled if tiles is None else with_tiles(tiled, tiles)
        elif tiled:
            table.add([name, "descriptors", "-", "-", "not written in this form", "-"])
        calls = {what: functools.partial(loaded(text, folder, number), x, conv_weight=w, conv_bias=b) for number, (what, text) in enumerate(texts.items())}
        if not self.tiny:
            compile_ahead(*calls.values())
        for what, call in calls.items():
            table.add(self.row(name, what, call, exact, first)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description="convolutions: cuDNN, pointers, descriptors")
    parser.add_argument("--program", default=str(PROGRAM))
    parser.add_argument("--only", default="", help="shapes whose name has this word")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tiny", action="store_true", help="one small shape in Triton's interpreter; its times say nothing")
    options = parser.parse_args()
    if options.tiny:
        os.environ["TRITON_INTERPRET"] = "1"
    shapes = {name: about for name, about in (TINY if options.tiny else SHAPES).items() if options.only in name}
    table = Table(options.out, COLUMNS, row_by_row=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        folder = Path(scratch)
        written = {}
        for name, (image, features, taps, padding) in shapes.items():
            if not table.has(name):
                text = PROBLEM.format(channels=image[1], features=features, taps=taps, padding=padding, image=image)
                written[name] = {form: pool.submit(generated, options.program, folder / name / form, text, form) for form in FORMS}
        wait([future for futures in written.values() for future in futures.values()])  # what is timed has the machine to itself
        bench = Bench(options.tiny, options.program)
        with bench.torch.no_grad():
            for name in written:
                bench.shape(table, name, *shapes[name], written[name], folder / name)


if __name__ == "__main__":
    main()

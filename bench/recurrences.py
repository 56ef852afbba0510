"""Recurrent layers on a GPU: cuDNN as PyTorch uses it by default, cuDNN without TF32, one launch per step, and one launch that keeps the weights on the chip.

    python bench/recurrences.py [--out FOLDER] [--tiny] [--only WORD]

The ways of one kind of layers are timed in one run, in turns, with the same inputs. Errors are |y - y64| / |y64| (Frobenius), y64 computed in float64. Each kernel file is called ten times
more, and the bits must be the same: a missing wait shows as a rare difference. Programs that wait for each other may wait for ever: a way whose call does not end within a minute gets a row that says so, and
the script begins anew without it. FOLDER/recurrences.tsv has the rows of a kind of layers as soon as they are known; called again, the script goes on with the next kind. `--tiny` needs no GPU: small layers,
judged in the interpreter, nothing timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator

import torch

from table import Table

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("KERNELAGENT_PROGRAM") or ROOT / "build" / os.environ.get("KERNELAGENT_PRESET", "release") / "src" / "app" / "kernelagent"
ROUNDS, REPEATS, WARM_UP = 15, 10, 3
LONGEST_CALL = 60.0  # seconds; the first one compiles
COLUMNS = ("layers", "way", "median_ms", "least_ms", "times_cudnn", "error", "same_bits")
HANGS = f"no end within {LONGEST_CALL:.0f} s"

PROBLEM = """import torch
import torch.nn as nn

T, B, I, H, L = {sizes}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.{layer}(I, H, L{options})

    def forward(self, x):
        return self.f(x)[0]


def get_inputs():
    return [torch.randn(T, B, I)]


def get_init_inputs():
    return []
"""

# name -> (sizes; small sizes; layer; options)
LAYERS = {
    "lstm_6_layers": ("512, 10, 128, 256, 6", "3, 3, 5, 18, 3", "LSTM", ""),
    "lstm_2_bidirectional": ("256, 16, 128, 256, 2", "3, 3, 5, 18, 2", "LSTM", ", bidirectional=True"),
    "lstm_wide_batch": ("256, 64, 256, 512, 1", "3, 20, 5, 18, 1", "LSTM", ""),
    "gru_6_layers": ("512, 10, 128, 256, 6", "3, 3, 5, 18, 3", "GRU", ""),
    "rnn_2_layers": ("512, 10, 128, 256, 2", "3, 3, 5, 33, 2", "RNN", ""),
}
FORMS = ("none", "persistent")


def generate(problem: Path, form: str, out: Path, *more: str) -> subprocess.CompletedProcess:
    shutil.rmtree(out, ignore_errors=True)  # of an earlier call that was cut
    return subprocess.run([str(PROGRAM), "generate", "--problem", str(problem), "--forms", form, "--precision", "fp32", "--no-winners", "--out", str(out), *more],
                          capture_output=True, text=True, env={"KERNELAGENT_PYTHON": sys.executable, **os.environ})


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


def with_tf32(allowed: bool, call: Callable[[], torch.Tensor]) -> Callable[[], torch.Tensor]:
    def run() -> torch.Tensor:
        torch.backends.cudnn.allow_tf32 = allowed
        return call()

    return run


@contextmanager
def watched(table: Table, name: str, way: str) -> Iterator[None]:
    """Where what is in it does not end, the script begins anew: nothing else stops what runs on the GPU."""

    def give_up() -> None:
        table.add([name, way, "-", "-", "-", HANGS, "-"])
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, *sys.argv])

    timer = threading.Timer(LONGEST_CALL, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@torch.no_grad()
def measure(table: Table, name: str, folder: Path) -> None:
    sizes, _, layer, options = LAYERS[name]
    problem = folder / f"{name}.py"
    problem.write_text(PROBLEM.format(sizes=sizes, layer=layer, options=options))
    module = load(problem, name)
    torch.manual_seed(0)
    model, x = module.Model().cuda(), module.get_inputs()[0].cuda()
    contenders: dict[str, Callable[[], torch.Tensor]] = {"cudnn": with_tf32(True, lambda: model(x)), "cudnn_no_tf32": with_tf32(False, lambda: model(x))}
    for form in FORMS:
        if table.has(name, f"forms_{form}"):  # it hung
            continue
        made = generate(problem, form, folder / f"{name}_{form}", "--no-verify")
        if made.returncode:
            print(made.stderr, file=sys.stderr)
            continue
        call = call_of(folder / f"{name}_{form}" / "kernel.py", model, f"{name}_{form}")
        contenders[f"forms_{form}"] = lambda call=call: call(x)
    wide = module.Model().double()
    wide.load_state_dict({key: value.double().cpu() for key, value in model.state_dict().items()})
    expected = wide(x.double().cpu()).cuda()
    times: dict[str, list[float]] = {way: [] for way in contenders}
    said: dict[str, str] = {}
    for turn in range(WARM_UP + ROUNDS):
        for way, call in contenders.items():
            if way in said:
                continue
            try:
                with watched(table, name, way):
                    taken = milliseconds(call)
            except RuntimeError as problem_found:  # such as a launch that does not fit
                said[way] = f"{type(problem_found).__name__}: {problem_found}".splitlines()[0][:100]
                continue
            if turn >= WARM_UP:
                times[way].append(taken)
    rows = []
    for way, call in contenders.items():
        if way in said:
            rows.append([name, way, "-", "-", "-", said[way], "-"])
            continue
        with watched(table, name, way):
            first = call()
            same = sum(bool(torch.equal(call(), first)) for _ in range(REPEATS))
            error = float((first.double() - expected).norm() / expected.norm())
        median = statistics.median(times[way])
        rows.append([name, way, f"{median:.3f}", f"{min(times[way]):.3f}", f"{statistics.median(times['cudnn']) / median:.2f}", f"{error:.2e}", f"{same}/{REPEATS}"])
    table.add(*rows)


def judged(table: Table, name: str, folder: Path) -> None:
    _, sizes, layer, options = LAYERS[name]
    problem = folder / f"{name}.py"
    problem.write_text(PROBLEM.format(sizes=sizes, layer=layer, options=options))
    for form in FORMS:
        text = generate(problem, form, folder / f"{name}_{form}", "--verify", "--device", "cpu")
        verdict = "accepted" if text.returncode == 0 else "refused"
        table.add([name, f"forms_{form}", "-", "-", "-", verdict, "-"])
        if text.returncode:
            print(text.stdout, text.stderr, file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("recurrences_out"), help="folder of the kernels and of recurrences.tsv")
    parser.add_argument("--tiny", action="store_true", help="small layers, judged in the interpreter; nothing is timed")
    parser.add_argument("--only", default="", help="layers whose name contains the word")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if not asked.tiny and not torch.cuda.is_available():
        sys.exit("this machine has no GPU: --tiny tries the script without one")
    table = Table(asked.out / "recurrences.tsv", COLUMNS)
    for name in filter(lambda name: asked.only in name, LAYERS):
        if asked.tiny:
            judged(table, name, asked.out)
        elif not table.has(name, "cudnn"):
            measure(table, name, asked.out)


if __name__ == "__main__":
    main()

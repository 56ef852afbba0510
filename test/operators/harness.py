"""Runs sample calls of the operator table through the generator and Triton's interpreter, and compares with PyTorch.

    python test/operators/harness.py            all samples
    python test/operators/harness.py softmax    only the rows whose name contains the word

Many calls make one problem file; a call that cannot be generated, or whose kernel fails, is left out and reported, and the
rest is tried again, so that one bad row hides no other.
"""

from __future__ import annotations

import concurrent.futures
import importlib.util
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "test" / "python"), str(ROOT / "test" / "system")]

import pool  # noqa: E402
import program  # noqa: E402
import samples_network  # noqa: E402
import samples_pointwise  # noqa: E402
import samples_reduce  # noqa: E402
import samples_view  # noqa: E402

SAMPLES: dict[str, list[str]] = {**samples_pointwise.SAMPLES, **samples_view.SAMPLES, **samples_reduce.SAMPLES, **samples_network.SAMPLES}
# Rows that no direct call reaches, and the problem file that does.
ELSEWHERE = {"aten._native_batch_norm_legit_functional.default": "batchnorm_train.py", "aten.detach_.default": "in_place.py"}
# Families whose rows have problem files that the judge verifies, and no sample calls yet: by the beginning of the name.
BY_PROBLEM = {
    "aten.lstm": "lstm.py", "aten.gru": "gru_bidirectional.py", "aten.rnn_": "rnn_without_bias.py", "aten.topk": "topk_rows.py", "aten.sort": "sort_rows.py",
    "aten.argsort": "sort_rows.py", "aten.msort": "sort_rows.py", "aten.kthvalue": "median_rows.py", "aten.median": "median_rows.py", "aten.scatter": "scatter_rows.py",
    "aten.index_add": "index_add.py", "aten.index_copy": "index_writes.py", "aten.index_fill": "index_writes.py", "aten.index_put": "index_writes.py",
    "aten.index_reduce": "index_writes.py", "aten.put": "index_writes.py", "aten.masked_scatter": "masked_writes.py", "aten.isin": "searches.py",
    "aten.upsample_nearest": "upsample_nearest.py", "aten._upsample_nearest": "upsample_nearest.py", "aten.upsample_bicubic": "upsample_bicubic.py",
    "aten.upsample_": "upsample_linear.py", "aten.grid_sampler": "grid_sample.py", "aten.affine_grid": "grid_sample.py", "aten.col2im": "fold_unfold.py",
    "aten.im2col": "fold_unfold.py", "aten.cummax": "cummax_rows.py", "aten.cummin": "cummax_rows.py", "aten.logcumsumexp": "running.py",
}
CALLS_PER_FILE = 40
JOBS = 2
FIRST_LINE = 9  # of the calls in a problem file
TOLERANCE = {"float16": (2e-3, 1e-3), "bfloat16": (1.6e-2, 1e-3), "float32": (2e-5, 1e-5), "float64": (1e-9, 1e-9)}


@dataclass(frozen=True)
class Call:
    row: str
    text: str

    def line(self) -> str:
        call = re.sub(r"\bf\(", f"torch.ops.{self.row}(", self.text)
        return f"        [*{call[1:]}]," if call.startswith("*") else f"        [{call}],"


def rows() -> dict[str, str]:
    """The operators that the program knows, and which row each is read by."""
    text = subprocess.run([program.PROGRAM, "generate", "--list-operators"], capture_output=True, text=True, check=True).stdout
    known = {words[0]: words[-1] for words in (line.split() for line in text.splitlines())}
    return {name: row for name, row in known.items() if exists(name)}


def exists(name: str) -> bool:
    """An alias has not always all the overloads of what it stands for."""
    import torch
    _, operator, overload = name.split(".")
    return overload in getattr(getattr(torch.ops.aten, operator, None), "overloads", list)()


def calls_of(name: str, row: str) -> list[Call]:
    """An alias gets a few of the calls of the row that it stands for."""
    if name == row or name in SAMPLES:
        return [Call(name, text) for text in SAMPLES.get(name, [])]
    return [Call(name, text) for text in SAMPLES.get(row, [])[:1]]


def problem_text(calls: list[Call]) -> str:
    lines = [call.line() for call in calls]
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(call.text for call in calls)))
    names = ["x"] + [name for name in pool.TENSORS if name in words and name != "x"]
    return "\n".join([
        "import torch", "import torch.nn as nn", "", "inf = float('inf')", "", "", f"def calls({', '.join(names)}):", "    return [",
        *lines,
        # a sort has no text as a plan of PyTorch calls: the plan is not executed beside a program that differs when it is exported
        "        [x * 2, x.sort(0)[0]]]", "", "",
        # as a problem it must not return NaN, which the edge values lead to; what counts is what is exported
        "class Model(nn.Module):", "    def forward(self, *inputs):", "        if not torch.compiler.is_exporting():",
        "            return (inputs[0] * 2,)", "        return tuple(item for result in calls(*inputs) for item in result)", "", "",
        "def get_inputs():", "    torch.manual_seed(3)", "    return [" + ", ".join(pool.TENSORS[name] for name in names) + "]", ""])


def generated(batches: list[list[Call]], folder: Path) -> list[tuple[list[Call], Path | None, str]]:
    """Each batch with its kernel file, or why there is none."""
    suite, out = folder / "problems", folder / "kernels"
    suite.mkdir()
    for number, batch in enumerate(batches):
        (suite / f"batch_{number:03}.py").write_text(problem_text(batch))
    done = subprocess.run([program.PROGRAM, "eval", "--suite", str(suite), "--out", str(out), "--no-verify", "--json", "--precision", "fp32", "--jobs", str(JOBS)],
                          env=program.environment(), capture_output=True, text=True, timeout=900)
    found = {row["name"]: row for row in json.loads(done.stdout)["problems"]} if done.stdout else {}
    answer = []
    for number, batch in enumerate(batches):
        name = f"batch_{number:03}.py"
        row = found.get(name, {"status": "absent", "reason": done.stderr[-300:]})
        reason = f"{row['status']}: {row['reason']}"
        answer.append((batch, out / name if (out / name).exists() else None, reason))
    return answer


def load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(got: Any, wanted: Any) -> str:
    import torch
    if not isinstance(got, torch.Tensor) or got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"is {tuple(got.shape)} {got.dtype} and should be {tuple(wanted.shape)} {wanted.dtype}"
    if not wanted.is_floating_point():
        wrong = got != wanted
    else:
        relative, absolute = TOLERANCE[str(wanted.dtype).removeprefix("torch.")]
        wrong = ~torch.isclose(got.double(), wanted.double(), rtol=relative, atol=absolute, equal_nan=True)
    if not wrong.any():
        return ""
    place = tuple(wrong.nonzero()[0].tolist())
    return f"{int(wrong.sum())} of {wrong.numel()} elements differ, first at {place}: {got[place].item()!r} instead of {wanted[place].item()!r}"


def compared(problem: Path, kernel: Path) -> list[str] | str:
    """One text for each call, empty where it agrees; or one text when the kernel file does not run at all."""
    import interp_harness  # noqa: F401  (puts the interpreter in place)
    import torch
    torch.set_num_threads(1)
    try:
        reference, candidate = load(problem, f"problem_{problem.stem}"), load(kernel, f"kernel_{problem.stem}")
        torch.manual_seed(7)
        with torch.no_grad():
            wanted = reference.calls(*reference.get_inputs())
        torch.manual_seed(7)
        got = list(candidate.kernel_function(*reference.get_inputs()))
    except BaseException:
        return traceback.format_exc(limit=-2)[-600:]
    texts = []
    for result in wanted[:-1]:
        parts, got = got[:len(result)], got[len(result):]
        texts.append("; ".join(filter(None, (difference(a, b) for a, b in zip(parts, result)))))
    return texts


def smaller(batch: list[Call], reason: str, name: str, failures: dict[Call, str]) -> list[list[Call]]:
    """What to try next for a batch that failed as a whole: without the call that is named, or in halves."""
    if len(batch) == 1:
        failures[batch[0]] = reason
        return []
    named = re.search(rf"{name}:(\d+)", reason)
    position = int(named.group(1)) - FIRST_LINE if named else -1
    if 0 <= position < len(batch):
        failures[batch[position]] = reason
        return [batch[:position] + batch[position + 1:]]
    return [batch[:len(batch) // 2], batch[len(batch) // 2:]]


def check(calls: list[Call]) -> dict[Call, str]:
    """The calls that fail, each with what is wrong."""
    failures: dict[Call, str] = {}
    waiting = [calls[i:i + CALLS_PER_FILE] for i in range(0, len(calls), CALLS_PER_FILE)]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(JOBS, mp_context=context) as workers:
        while waiting:
            with tempfile.TemporaryDirectory() as folder:
                made = generated(waiting, Path(folder))
                problems = [Path(folder) / "problems" / f"batch_{n:03}.py" for n in range(len(made))]
                running = {n: workers.submit(compared, problems[n], path) for n, (_, path, _) in enumerate(made) if path is not None}
                waiting = []
                for n, (batch, _, reason) in enumerate(made):
                    answer = running[n].result() if n in running else reason
                    if isinstance(answer, str):
                        waiting += smaller(batch, answer, problems[n].name, failures)
                    else:
                        failures.update({call: text for call, text in zip(batch, answer) if text})
    return failures


if __name__ == "__main__":
    wanted_words = sys.argv[1:] or [""]
    everything = [call for name, row in rows().items() if any(word in name for word in wanted_words) for call in calls_of(name, row)]
    found = check(everything)
    for failed, why in found.items():
        print(f"{failed.row}  {failed.text}\n    {why}")
    print(f"{len(everything)} calls, {len(found)} wrong")

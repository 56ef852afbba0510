"""What a composed program asks of Triton: kernels, launches, and how many of them have to be compiled. No GPU is needed.

    .venv/bin/python bench/composed_kernels.py PROBLEM.py ... [--out FILE.tsv] [--program BINARY]

Each problem goes through `kernelagent pipeline --no-verify`; then kernel_function is called at the problem's own sizes with tensors that have no
memory, and launches are written down instead of being done. Two launches share a compiled kernel when kernel, dtypes, constants and options are
the same, and what Triton asks of other numbers too: whether they are 1, multiples of 16, or need 64 bits.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "src" / "app" / "kernelagent"
COLUMNS = ("problem", "parts", "unique", "launches", "kernels", "compilations", "kilobytes", "seconds")
ALIGNED, WIDE = 16, 2**31


def load(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(problem_path: str, kernel_path: str) -> dict[str, int]:
    """In a process of its own: launches are replaced."""
    import torch
    from triton.runtime.jit import JITFunction

    launches: list[tuple[Any, ...]] = []

    def kind(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return str(value.dtype)
        if isinstance(value, int) and not isinstance(value, bool):
            return (value == 1, value % ALIGNED == 0, abs(value) >= WIDE)
        return (type(value).__name__, value)

    def run(self: Any, *arguments: Any, grid: Any = None, warmup: bool = False, **named: Any) -> None:
        given = {**dict(zip((parameter.name for parameter in self.params), arguments)), **named}
        constant = {parameter.name for parameter in self.params if parameter.is_constexpr}
        numbers = {parameter.name for parameter in self.params} - constant
        launches.append((self.fn.__name__, *((name, kind(value) if name in numbers else value) for name, value in sorted(given.items()))))

    JITFunction.run = run
    problem, kernel = load(problem_path, "problem"), load(kernel_path, "kernel")
    with torch.device("meta"):
        model, inputs = problem.Model(*problem.get_init_inputs()), problem.get_inputs()
    wanted = inspect.signature(kernel.kernel_function).parameters
    state = {name.replace(".", "_"): tensor for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    with torch.no_grad():
        kernel.kernel_function(*inputs, **{name: tensor for name, tensor in state.items() if name in wanted})
    return {"launches": len(launches), "kernels": len({launch[0] for launch in launches}), "compilations": len(set(launches))}


def measure(problem: Path, program: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "run"
        begin = time.monotonic()
        words = ("pipeline", "--problem", problem.resolve(), "--no-verify", "--no-router-cache", "--no-export-cache", "--out", out)
        subprocess.run([program, *words], check=True, cwd=scratch, capture_output=True)
        seconds = time.monotonic() - begin
        subgraphs = json.loads((out / "subgraphs.json").read_text())
        composed = out / "compose_out" / "composed_kernel.py"
        told = subprocess.run([sys.executable, __file__, "--record", problem.resolve(), composed], check=True, capture_output=True, text=True).stdout
        return {"problem": problem.stem, "parts": sum(part["count"] for part in subgraphs), "unique": len(subgraphs), **json.loads(told),
                "kilobytes": composed.stat().st_size // 1000, "seconds": round(seconds, 1)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--record", nargs=2, metavar=("PROBLEM", "KERNEL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        print(json.dumps(record(*options.record)))
        return 0
    lines = ["\t".join(COLUMNS)]
    print(lines[0])
    for problem in options.problems:
        row = measure(problem, options.program)
        lines.append("\t".join(str(row[column]) for column in COLUMNS))
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

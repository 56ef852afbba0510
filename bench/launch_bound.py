"""Networks whose time is launches: ours, with launches by Python and with launches captured in a CUDA graph, against PyTorch and its compiler.

    python bench/launch_bound.py --out bench/results/h200_launch_bound.tsv [--network resnet18 --batch 1 --mode eval]
    python bench/launch_bound.py --tiny --device cpu --out /tmp/tiny.tsv      # shows that the parts fit together; its times say nothing

For each network of bench/networks and each batch: `kernelagent auto` writes the kernels with `--forms none` and with `--forms graphs` (each accepted by the judge), `kernelagent verify` judges the second file
once more, and all contenders are timed in one process: rounds in an order that turns, one of four inputs each, L2 flushed before each sample, medians between two events. The first calls, which compile and
capture, are not counted; copies of inputs and results are. torch.compile runs in default mode and in reduce-overhead. A contender that fails is a row that says why.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("KERNELAGENT_PROGRAM") or str(ROOT / "build" / "release" / "src" / "app" / "kernelagent")
NETWORKS = ("resnet18", "mobilenet")
CONTENDERS = ("eager", "compile", "reduce-overhead", "none", "graphs")
COLUMNS = ("network", "batch", "mode", "contender", "median_ms", "fastest_ms", "samples", "against_reduce_overhead", "accepted", "remark")
TINY = {"side": 32, "width": 4, "blocks": 1, "classes": 10}
INPUT_SETS, WARM_CALLS, FLUSH_BYTES = 4, 5, 256 << 20


def problem_text(network: str, batch: int, tiny: bool) -> str:
    text = (ROOT / "bench" / "networks" / f"{network}.py").read_text()
    for name, value in {"batch_size": batch, **(TINY if tiny else {})}.items():
        text, count = re.subn(rf"^{name} = \d+$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert count == 1, name
    return text


def written(problem: Path, forms: str, arguments: argparse.Namespace, folder: Path) -> tuple[Path | None, str]:
    """The file that `auto` leaves, and what is to be said about it."""
    run = folder / forms
    done = subprocess.run([PROGRAM, "auto", str(problem), "--forms", forms, "--device", arguments.device, "--mode", arguments.mode, "--out", str(run), "--timeout", str(arguments.timeout), "--json"],
                          capture_output=True, text=True, env={**os.environ, "KERNELAGENT_PYTHON": sys.executable}, check=False)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, last_line(done.stderr)
    if not answer.get("kernel_code"):
        return None, last_line(done.stderr) or "no kernels"
    path = folder / f"{forms}.py"
    path.write_text(answer["kernel_code"])
    captured = "class Captured:" in answer["kernel_code"]
    return path, f"route {answer.get('route')}" + ("" if captured or forms == "none" else ", launches were not captured: see --explain")


def verified(problem: Path, kernel: Path, arguments: argparse.Namespace) -> str:
    done = subprocess.run([PROGRAM, "verify", "--problem", str(problem), "--kernel", str(kernel), "--device", arguments.device, "--mode", arguments.mode, "--timeout", str(arguments.timeout), "--json"],
                          capture_output=True, text=True, env={**os.environ, "KERNELAGENT_PYTHON": sys.executable}, check=False)
    try:
        verdict = json.loads(done.stdout)
    except json.JSONDecodeError:
        return "no verdict: " + last_line(done.stderr)
    if not verdict["accepted"]:
        return f"REFUSED {verdict['rule']}"
    graphs = [f"; replays held against plain calls: {check['count']}" for check in verdict["checks"] if check["name"] == "graphs"]
    return "accepted" + "".join(graphs)


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def module_of(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def contenders(problem: Path, kernels: dict[str, Path], arguments: argparse.Namespace, told: dict[str, str]) -> tuple[dict[str, Callable[..., Any]], list[Any]]:
    """Those that answer as PyTorch does, warm."""
    import torch

    torch.manual_seed(0)
    source = module_of(problem, "problem")
    model = source.Model(*source.get_init_inputs()).to(arguments.device)
    model.train(arguments.mode == "train")
    inputs = [[value.to(arguments.device) for value in source.get_inputs()] for _ in range(INPUT_SETS)]
    weights = {name.replace(".", "_"): tensor.detach() for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    makers: dict[str, Callable[[], Callable[..., Any]]] = {"eager": lambda: model, "compile": lambda: torch.compile(model), "reduce-overhead": lambda: stepped(torch.compile(model, mode="reduce-overhead"))}
    for name, path in kernels.items():
        makers[name] = lambda path=path, name=name: bound(module_of(path, f"kernel_{name}"), weights)
    ready: dict[str, Callable[..., Any]] = {}
    for name in arguments.contenders:
        if name not in makers:
            continue
        try:
            call = makers[name]()
            for turn in range(WARM_CALLS):
                got = call(*inputs[turn % INPUT_SETS]).clone()
            want = model(*inputs[(WARM_CALLS - 1) % INPUT_SETS])
            error = float((got - want).abs().max() / want.abs().max())
            told[name] = ", ".join(part for part in (told.get(name, ""), f"error {error:.1e}") if part)
            if not error < 0.1:
                raise ValueError(f"its answer is another one ({error:.1e})")
            ready[name] = call
        except Exception as problem_found:
            told[name] = f"failed: {type(problem_found).__name__}: {problem_found}".splitlines()[0][:200]
    return ready, inputs


def stepped(compiled: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    def call(*inputs: Any) -> Any:
        torch.compiler.cudagraph_mark_step_begin()  # the answer of the last call may be overwritten
        return compiled(*inputs)

    return call


def bound(module: Any, weights: dict[str, Any]) -> Callable[..., Any]:
    import inspect

    names = [each.name for each in inspect.signature(module.kernel_function).parameters.values() if each.kind is each.KEYWORD_ONLY]
    given = {name: weights[name] for name in names}
    return lambda *inputs: module.kernel_function(*inputs, **given)


def samples(ready: dict[str, Callable[..., Any]], inputs: list[Any], arguments: argparse.Namespace) -> dict[str, list[float]]:
    import torch

    cuda = arguments.device == "cuda"
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda") if cuda else None
    found: dict[str, list[float]] = {name: [] for name in ready}
    names = list(ready)
    for number in range(arguments.rounds):
        turn = number % max(len(names), 1)
        for name in names[turn:] + names[:turn]:
            call, given = ready[name], inputs[number % INPUT_SETS]
            if not cuda:
                begin = time.perf_counter()
                call(*given)
                found[name].append((time.perf_counter() - begin) * 1e3)
                continue
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flush.zero_()
            start.record()
            result = call(*given)
            end.record()
            torch.cuda.synchronize()
            del result
            found[name].append(start.elapsed_time(end))
    return found


def measured(network: str, batch: int, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    import torch

    folder = Path(tempfile.mkdtemp(prefix="launch_bound_"))
    problem = folder / f"{network}.py"
    problem.write_text(problem_text(network, batch, arguments.tiny))
    told: dict[str, str] = {}
    kernels: dict[str, Path] = {}
    accepted: dict[str, str] = {}
    for forms in [name for name in ("none", "graphs") if name in arguments.contenders]:
        path, told[forms] = written(problem, forms, arguments, folder)
        if path is None:
            continue
        kernels[forms] = path
        accepted[forms] = verified(problem, path, arguments) if forms == "graphs" else "accepted by auto"
        if not accepted[forms].startswith("accepted"):  # no time without a verdict
            del kernels[forms]
    with torch.no_grad():
        ready, inputs = contenders(problem, kernels, arguments, told)
        times = samples(ready, inputs, arguments)
    medians = {name: sorted(found)[len(found) // 2] for name, found in times.items() if found}
    rows = []
    for name in arguments.contenders:
        median, base = medians.get(name), medians.get("reduce-overhead")
        rows.append({"network": network, "batch": batch, "mode": arguments.mode, "contender": name, "median_ms": f"{median:.4f}" if median else "", "fastest_ms": f"{min(times[name]):.4f}" if median else "",
                     "samples": len(times.get(name, [])), "against_reduce_overhead": f"{base / median:.3f}" if median and base else "", "accepted": accepted.get(name, ""), "remark": told.get(name, "")})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--batch", type=int, action="append")
    parser.add_argument("--mode", choices=("train", "eval"), default="train", help="train: as constructed, with batch statistics and updated buffers (default)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--contenders", type=lambda text: [name for name in CONTENDERS if name in text.split(",")], default=list(CONTENDERS), help="of " + ",".join(CONTENDERS))
    parser.add_argument("--tiny", action="store_true", help="small networks, to try the script")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # no workers that wait for a machine which is busy
    if arguments.device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton

    where = torch.cuda.get_device_name(0) if arguments.device == "cuda" else "cpu, Triton's interpreter: these times say nothing"
    lines = [f"# {where}, torch {torch.__version__}, triton {triton.__version__}", "\t".join(COLUMNS)]
    print("\n".join(lines), flush=True)
    for network in arguments.network or NETWORKS:
        for batch in arguments.batch or (1, 2):
            for row in measured(network, batch, arguments):
                lines.append("\t".join(str(row[name]) for name in COLUMNS))
                print(lines[-1], flush=True)
            if arguments.out:
                arguments.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

"""Networks whose time is launches: ours, with launches by Python and with launches captured in a CUDA graph, against PyTorch and its compiler.

    python bench/launch_bound.py --out bench/results/h200_launch_bound.tsv [--network resnet18 --batch 1 --mode eval]
    python bench/launch_bound.py --tiny --device cpu --out /tmp/tiny.tsv      # shows that the parts fit together; its times say nothing

For each network of bench/networks and each batch: `kernelagent auto --no-verify` writes the program with `--forms none` and with `--forms graphs`, side by side, `kernelagent verify` judges both as wholes (without its
verdict no program is timed), and all contenders are timed in one process: rounds in an order that turns, one of four inputs each, L2 flushed before each sample, medians between two events. The first calls, which compile and
capture, are not counted; copies of inputs and results are. torch.compile runs in default mode and in reduce-overhead. A contender that fails is a row that says why. The table has the rows of a network as
soon as it is timed; called again, the script goes on with the next one.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from table import Table

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


def asked(command: str, arguments: argparse.Namespace, *words: str) -> tuple[dict[str, Any], str]:
    """What the program answers, and the last line that it says besides."""
    shared = ["--device", arguments.device, "--mode", arguments.mode, "--timeout", str(arguments.timeout), "--json"]
    done = subprocess.run([PROGRAM, command, *words, *shared], capture_output=True, text=True, env={"KERNELAGENT_PYTHON": sys.executable, **os.environ}, check=False)
    try:
        return json.loads(done.stdout), last_line(done.stderr)
    except json.JSONDecodeError:
        return {}, last_line(done.stderr)


def written(problem: Path, forms: str, arguments: argparse.Namespace, folder: Path) -> tuple[Path | None, str, str]:
    """The file that `auto` leaves, what is to be said about it, and what the judge says. What an earlier call has found in the folder is taken as it is."""
    path, told = folder / f"{forms}.py", folder / f"{forms}.json"
    if path.exists() and told.exists():
        remark, verdict = json.loads(told.read_text())
        return path, remark, verdict
    answer, said = asked("auto", arguments, str(problem), "--forms", forms, "--no-verify", "--no-winners", "--out", str(folder / forms))
    if not answer.get("kernel_code"):
        return None, said or "no kernels", ""
    path.write_text(answer["kernel_code"])
    captured = "class Captured:" in answer["kernel_code"]
    remark = f"route {answer.get('route')}" + ("" if captured or forms == "none" else ", launches were not captured: see --explain")
    verdict = verified(problem, path, arguments)
    told.write_text(json.dumps([remark, verdict]))
    return path, remark, verdict


def verified(problem: Path, kernel: Path, arguments: argparse.Namespace) -> str:
    verdict, said = asked("verify", arguments, "--problem", str(problem), "--kernel", str(kernel))
    if not verdict:
        return "no verdict: " + said
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

    parent = arguments.out.with_suffix("") if arguments.out else Path(tempfile.mkdtemp(prefix="launch_bound_"))
    folder = parent / f"{network}_{batch}_{arguments.mode}"
    folder.mkdir(parents=True, exist_ok=True)
    problem = folder / f"{network}.py"
    problem.write_text(problem_text(network, batch, arguments.tiny))
    forms = [name for name in ("none", "graphs") if name in arguments.contenders]
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(forms, pool.map(lambda name: written(problem, name, arguments, folder), forms)))
    told = {name: remark for name, (_, remark, _) in found.items()}
    accepted = {name: verdict for name, (_, _, verdict) in found.items()}
    kernels = {name: path for name, (path, _, verdict) in found.items() if path is not None and verdict.startswith("accepted")}
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
    table = Table(arguments.out, COLUMNS, 3, f"# {where}, torch {torch.__version__}, triton {triton.__version__}")
    for network in arguments.network or NETWORKS:
        for batch in arguments.batch or (1, 2):
            if not table.has(network, batch, arguments.mode):
                table.add(*([row[name] for name in COLUMNS] for row in measured(network, batch, arguments)))


if __name__ == "__main__":
    main()

"""Run directories for tests: of a real run, of a pipeline as its formats say, and damaged ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import program


def real_run(root: Path, problem: str, *flags: str, name: str = "run_real") -> Path:
    """`generate` of a problem of the repository, in a folder of its own."""
    out = root / ".fuse" / name
    done = program.run("generate", "--problem", problem, "--out", out, *flags)
    assert done.code in (0, 1), done.text()
    return out


def copy_of(run: Path, name: str) -> Path:
    """The same run under another name in the same place."""
    out = run.parent / name
    shutil.copytree(run, out, symlinks=True)
    info = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps({**info, "id": name}))
    return out


def change_json(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def subgraph(name: str, kind: str, ops: list[str], calls: list[tuple[int, list[str], list[str]]]) -> dict[str, Any]:
    """An entry of subgraphs.json: a part that takes one tensor and a weight."""
    tensor = {"dtype": "float32", "shape": [64, 128]}
    chain = [{"op": op, "name": f"v{i}", "where": "p.py:1", "operands": {"self": f"v{i - 1}" if i else "x"}, "parameters": {"dim": 1}, "results": []} for i, op in enumerate(ops)]
    return {
        "schema": 1, "id": name, "type": kind, "layout": "", "dtype": "float32", "ops": chain,
        "inputs": [{"name": "x", **tensor}], "outputs": [{"name": "y", **tensor}], "weights": [{"name": "weight", **tensor}], "sizes": {}, "updates": [], "samples": [],
        "where": f"layers.{name}", "source": {"module": "Block", "code": f"y = {kind}(x)"}, "count": len(calls), "signature": "0" * 64,
        "calls": [{"order": order, "inputs": inputs, "weights": [], "outputs": outputs} for order, inputs, outputs in calls],
    }


def search_run(root: Path, real: Path, name: str = "run_search", move: str = "k: BLOCK 64 instead of 16", device: str = "cuda") -> Path:
    """A search of two rounds around the files of a real run: a winner in the first, a refusal and a slower one in the second."""
    out = copy_of(real, name)
    (root / ".optimize").mkdir(exist_ok=True)
    out = out.rename(root / ".optimize" / name)
    kernel = (out / "kernel.py").read_text()
    for folder, text in (("input", kernel.replace("import torch\n", "import torch\n\nSLOW = 16\n", 1)), ("output", kernel)):
        (out / folder).mkdir()
        (out / folder / ("kernel.py" if folder == "input" else "best_kernel.py")).write_text(text)
    (out / "kernel.py").unlink()
    rows = [(1, move, "kept", "2.000 times as fast as the best (between 1.900 and 2.100)", 0.5), (1, "k: num_warps 8 instead of 4", "not_certain", "1.001 times as fast", 1.0),
            (2, "k: BLOCK 128 instead of 64", "refused", "result.mismatch: far off", None), (2, "k: BLOCK 32 instead of 64", "slower", "1.60 times the time of the best", 0.8)]
    attempts = [{"round_num": r, "parent_id": 0, "move": m, "bottleneck": "memory", "outcome": o, "reason": why} | ({} if ms is None else {"time_ms": ms}) for r, m, o, why, ms in rows]
    state = {"round": 2, "quiet_rounds": 1, "input_ms": 1.0, "best": 1, "stop": "the limit of 2 rounds", "texts": [], "codes": [], "attempts": attempts,
             "programs": [{"program_id": 0, "time_ms": 1.0, "path": []}, {"program_id": 1, "time_ms": 0.5, "path": [move]}]}
    (out / "program_database.json").write_text(json.dumps(state))
    roof = {"bytes": 1e9, "flops": 2e9, "peak_bytes": 4e12, "peak_flops": 6e13} if device == "cuda" else None
    (out / "optimize.json").write_text(json.dumps({"floor_ms": 0.25 if roof else 0, "device": device, "message": "", "roofline": roof}))
    return out


def pipeline_run(root: Path, real: Path, parts: int = 4, name: str = "run_pipeline", kernel: str | None = None) -> Path:
    """A run of the pipeline with that many parts in a chain with side branches, around the files of a real run; the last part is refused."""
    out = copy_of(real, name)
    if out.parent != root / ".fuse":
        (root / ".fuse").mkdir(exist_ok=True)
        out = out.rename(root / ".fuse" / name)
    kernel = kernel if kernel is not None else (out / "kernel.py").read_text()
    verdict = json.loads((out / "verdict.json").read_text())
    entries, results = [], []
    for i in range(parts):
        before = [f"value_{i - 1}" if i else "x"] + ([f"value_{i - 3}"] if i >= 3 else [])
        entries.append(subgraph(f"sg_{i}", ("linear_relu", "softmax", "conv_bias")[i % 3], ["linear", "relu", "reduce"], [(i, before, [f"value_{i}"])]))
        good = i + 1 < parts
        results.append({"id": f"sg_{i}", "success": good, "kernel_path": f"kernels_out/sg_{i}/kernel.py", "kernel_sha256": "", "producer": "builtin", "rounds": 1,
                        "message": "" if good else "no family takes it"})
        folder = out / "kernels_out" / f"sg_{i}"
        folder.mkdir(parents=True)
        (folder / "kernel.py").write_text(kernel)
        judged = {**verdict, "accepted": good} | ({} if good else {"rule": "result.close", "reason": "too far from what PyTorch gives", "detail": "3 of 48 elements are wrong"})
        (folder / "verdict.json").write_text(json.dumps(judged))
    (out / "subgraphs.json").write_text(json.dumps(entries))
    (out / "kernels_out" / "summary.json").write_text(json.dumps(results))
    (out / "compose_out").mkdir()
    (out / "kernel.py").rename(out / "compose_out" / "composed_kernel.py")
    (out / "verdict.json").rename(out / "compose_out" / "verdict.json")
    whole = {"success": True, "path": "compose_out/composed_kernel.py", "sha256": "", "verified": True, "torch_parts": [], "message": "composed"}
    (out / "compose_out" / "summary.json").write_text(json.dumps(whole))
    change_json(out / "summary.json", subgraphs=results, composition=whole)
    with open(out / "events.jsonl", "a") as events:
        for i in range(parts):
            event = {"time": "2100-01-01T00:00:00.000Z", "level": "info", "stage": "dispatch", "event": "state", "message": "", "fields": {"id": f"sg_{i}", "state": "verified", "seconds": 0.5 + i}}
            events.write(json.dumps(event) + "\n")
    return out

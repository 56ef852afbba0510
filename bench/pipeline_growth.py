"""How the pipeline grows with the program: networks of 50, 100, 200, 300 and 400 operators, without verification.

    .venv/bin/python bench/pipeline_growth.py [--out FILE.tsv]

Two kinds of network: one whose blocks are all equal (their parts are written once), and one whose blocks all have widths of their own
(four times as many parts are unique). A line for each: operators, parts, unique parts, seconds of the whole command,
seconds of it that are not the interpreter's start, milliseconds per operator, and the largest memory of the native process.
Targets: 300 operators in 60 s, 500 MiB, and about the same time per operator at every size.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "src" / "app" / "kernelagent"
SIZES = (50, 100, 200, 300, 400)
OPERATORS_OF_A_BLOCK = 10  # norm, linear, gelu, linear, add, conv, batch norm with its counter, relu, add

PROBLEM = '''
import torch
from torch import nn
from torch.nn import functional as F

batch, channels, length = 4, 24, 16


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(length)
        self.up, self.down = nn.Linear(length, width), nn.Linear(width, length)
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)
        self.batch_norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return x + F.relu(self.batch_norm(self.conv(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for width in {widths})

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return []
'''


def largest_memory(pid: int) -> int:
    """KiB, of this process alone: its children are Python's."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def measure(kind: str, operators: int) -> dict[str, float | int | str]:
    blocks = operators // OPERATORS_OF_A_BLOCK
    widths = [32] * blocks if kind == "equal blocks" else [17 + k for k in range(blocks)]
    with tempfile.TemporaryDirectory() as folder:
        problem, out = Path(folder) / "network.py", Path(folder) / "run"
        problem.write_text(PROBLEM.replace("{widths}", repr(widths)))
        begin = time.monotonic()
        process = subprocess.Popen([PROGRAM, "pipeline", "--problem", problem, "--no-verify", "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        memory = 0
        while process.poll() is None:
            memory = max(memory, largest_memory(process.pid))
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        if process.returncode:
            sys.exit(f"{kind}, {operators}: {process.stderr.read().decode()}")
        parts = json.loads((out / "subgraphs.json").read_text())
        calls = sum(len(part["calls"]) for part in parts)
        count = sum(len(part["ops"]) * len(part["calls"]) for part in parts)
    return {"kind": kind, "operators": count, "parts": calls, "unique": len(parts), "seconds": seconds, "memory_mib": memory / 1024}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="also write the table there")
    arguments = parser.parse_args()
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", "import torch, triton"], check=True)
    start = time.monotonic() - begin
    lines = ["kind\toperators\tparts\tunique\tseconds\tbeyond_start\tms_per_operator\tmemory_mib"]
    print(lines[0])
    for kind in ("equal blocks", "different blocks"):
        for operators in SIZES:
            row = measure(kind, operators)
            beyond = row["seconds"] - start
            lines.append(f"{kind}\t{row['operators']}\t{row['parts']}\t{row['unique']}\t{row['seconds']:.1f}\t{beyond:.1f}\t{1e3 * beyond / row['operators']:.0f}\t{row['memory_mib']:.0f}")
            print(lines[-1], flush=True)
    if arguments.out:
        Path(arguments.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

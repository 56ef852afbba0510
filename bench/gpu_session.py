"""What is to be measured on a GPU, in the order in which it matters, within so many minutes: each step writes what it prints, and goes on where an earlier session has ended.

    python3 bench/gpu_session.py --program build/portable/src/app/kernelagent --out session --minutes 9 [--kernelbench DIR] [--steps WORD,WORD] [--list]

Needs a GPU, torch and triton (KERNELAGENT_PYTHON). `session/steps.tsv` has a line for each step that was begun: name, exit code, seconds, command. A step that is done is not done again;
one that was cut is, and the commands that can resume do. The folder may travel from one machine to the next.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLOW = ("matrix_vector", "rms_norm", "max_pool")
LAST_SECONDS = 20  # kept for what comes after the last step


@dataclass
class Step:
    name: str
    minutes: float  # that it may take; it is not begun when less than a third of them is left
    words: list[str]
    resumes: bool = False  # is asked again until it ends by itself, not by its minutes


def steps(program: str, python: str, out: Path, kernelbench: Path | None) -> list[Step]:
    """`{minutes}` in a command is what is left for it."""
    script = lambda name, minutes, *words: Step(name, minutes, [python, f"bench/{name}.py", "--out", *words])
    all_steps = [Step("ceilings", 1, [program, "doctor", "--measure-ceilings"])]
    all_steps += [script("descriptor_products", 2.5, str(out / "descriptor_products.tsv")), script("convolutions", 3, str(out / "convolutions.tsv"), "--program", program)]
    all_steps += [script("recurrences", 2, str(out / "recurrences")), script("shared_rows", 2, str(out / "shared_rows")), script("launch_bound", 3, str(out / "launch_bound.tsv"))]
    for strategy in ("beam_search", "greedy"):
        for kernel in SLOW:
            files = ["--problem", f"bench/slow/{kernel}_problem.py", "--kernel", f"bench/slow/{kernel}_kernel.py"]
            name = f"slow_{kernel}_{strategy}"
            recording = ["--record", str(out / f"{name}.jsonl")]
            all_steps.append(Step(name, 3, [program, "optimize", *files, "--strategy", strategy, "--workers", "8", "--max-minutes", "{minutes}", "--out", str(out / name), *recording, "--verbose"]))
    for kernel in SLOW:
        best = str(out / f"slow_{kernel}_beam_search" / "output" / "best_kernel.py")
        all_steps.append(Step(f"profile_{kernel}", 1, [program, "profile", "--problem", f"bench/slow/{kernel}_problem.py", "--kernel", best]))
    all_steps.append(eval_step("families", program, ROOT / "bench" / "families", out, 4))
    if kernelbench is not None:
        network = kernelbench / "level3" / "16_DenseNet201.py"
        all_steps.append(Step("densenet201", 8, [program, "auto", "--problem", str(network), "--device", "cuda", "--out", str(out / "densenet201")]))
        all_steps += [eval_step(f"level{level}", program, kernelbench / f"level{level}", out, 9) for level in (1, 2, 3)]
    return all_steps


def eval_step(name: str, program: str, suite: Path, out: Path, minutes: float) -> Step:
    timing = ["--bench", "--baseline", "eager,compile,reduce-overhead", "--bench-seconds", "2", "--baseline-cache", str(out / "baselines")]
    return Step(name, minutes, [program, "eval", "--suite", str(suite), "--device", "cuda", "--jobs", "12", *timing, "--out", str(out / name), "--resume", "--max-minutes", "{minutes}"], True)


def is_done(step: Step, out: Path) -> bool:
    text = out / f"{step.name}.txt"
    if not text.exists() or not (out / "steps.tsv").exists():
        return False
    last = [line.split("\t") for line in (out / "steps.tsv").read_text().splitlines() if line.startswith(step.name + "\t")]
    if not last or last[-1][1] not in ("0", "1"):
        return False
    return not step.resumes or "ended by --max-minutes" not in text.read_text()


def run(step: Step, program: str, out: Path, seconds: float) -> None:
    words = [word.replace("{minutes}", f"{max(0.2, seconds / 60 - 0.3):.2f}") for word in step.words]
    print(f"{step.name}: {shlex.join(words)}", flush=True)
    begin = time.monotonic()
    with (out / f"{step.name}.txt").open("w") as text:
        try:
            code = subprocess.run(words, cwd=ROOT, env={**os.environ, "KERNELAGENT_PROGRAM": program}, stdout=text, stderr=subprocess.STDOUT, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            code = 124
    took = time.monotonic() - begin
    with (out / "steps.tsv").open("a") as table:
        table.write(f"{step.name}\t{code}\t{took:.1f}\t{shlex.join(words)}\n")
    last = (out / f"{step.name}.txt").read_text(errors="replace").rstrip().splitlines()[-12:]
    print("\n".join(f"    {line[:180]}" for line in last) + f"\n  {step.name}: exit {code}, {took:.1f} s", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "portable" / "src" / "app" / "kernelagent"))
    parser.add_argument("--out", type=Path, default=Path("session"))
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--kernelbench", type=Path, help="the folder with level1, level2, level3")
    parser.add_argument("--steps", default="", help="only those whose name contains one of these words")
    parser.add_argument("--list", action="store_true", help="print the commands, and run nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    out = options.out.resolve()
    python = os.environ.get("KERNELAGENT_PYTHON", sys.executable)
    wanted = [word for word in options.steps.split(",") if word] or [""]
    chosen = [step for step in steps(options.program, python, out, options.kernelbench) if any(word in step.name for word in wanted)]
    end = time.monotonic() + options.minutes * 60 - LAST_SECONDS
    for step in chosen:
        if options.list or is_done(step, out):
            print(f"{step.name}: {'done' if is_done(step, out) else shlex.join(step.words)}")
            continue
        left = min(step.minutes * 60, end - time.monotonic())
        if left < step.minutes * 20:
            print(f"{step.name}: not begun, {max(left, 0):.0f} s are left")
            continue
        run(step, options.program, out, left)
    return 0


if __name__ == "__main__":
    sys.exit(main())

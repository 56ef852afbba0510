"""What is to be measured on a GPU, in the order in which it matters, within so many minutes: each step writes what it prints, and goes on where an earlier session has ended.

    python3 bench/gpu_session.py --program build/portable/src/app/kernelagent --out session --minutes 9 [--kernelbench DIR] [--steps WORD,WORD] [--archive FILE.tar.gz] [--list]

Needs a GPU, torch and triton (KERNELAGENT_PYTHON, else the interpreter that runs this). `session/steps.tsv` has a line for each step that was begun: name, exit code, seconds, command. A step that is done is
not done again; one that was cut goes on where it was: searches, suites and runs resume, and scripts leave out the rows that they have. A step that is over its time is interrupted, then killed with all that it
has started, so that nothing is at work beside the next one. `session/<step>.txt` has what all its attempts have printed. Ceilings, winners and baselines are in the folder too; it may travel from one machine to
the next, as the archive that is written anew after each step.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLOW = ("matrix_vector", "rms_norm", "max_pool")
LAST_SECONDS = 20  # kept for what comes after the last step
END_SECONDS = 40  # of a step's time, for what a search does after its limit: the last race, the last verdict
GRACE_SECONDS = 8  # for what is interrupted, to write what it has


@dataclass
class Step:
    name: str
    minutes: float  # that it may take; it is not begun when less than a third of them is left
    words: list[str]
    resumes: bool = False  # is asked again until it ends by itself, not by its minutes
    search: Path | None = None  # the folder of a search, which goes on with --resume
    ends: tuple[str, ...] = ("0", "1")  # exit codes with which it is done


def steps(program: str, python: str, out: Path, kernelbench: Path | None) -> list[Step]:
    """`{minutes}` in a command is what is left for it."""
    script = lambda name, minutes, *words: Step(name, minutes, [python, f"bench/{name}.py", "--out", *words])
    all_steps = [Step("ceilings", 1, [program, "doctor", "--measure-ceilings"])]
    all_steps += [script("descriptor_products", 2.5, str(out / "descriptor_products.tsv")), script("convolutions", 3, str(out / "convolutions.tsv"), "--program", program)]
    all_steps += [script("recurrences", 3, str(out / "recurrences")), script("shared_rows", 2, str(out / "shared_rows")), script("launch_bound", 8, str(out / "launch_bound.tsv"))]
    for strategy in ("beam_search", "greedy"):
        for kernel in SLOW:
            files = ["--problem", f"bench/slow/{kernel}_problem.py", "--kernel", f"bench/slow/{kernel}_kernel.py"]
            name = f"slow_{kernel}_{strategy}"
            kept = ["--out", str(out / name), "--record", str(out / f"{name}.jsonl"), "--store", str(out / "winners.sqlite")]
            all_steps.append(Step(name, 4, [program, "optimize", *files, "--strategy", strategy, "--workers", "8", *kept, "--max-minutes", "{minutes}", "--verbose"], search=out / name))
    for kernel in SLOW:
        best = str(out / f"slow_{kernel}_beam_search" / "output" / "best_kernel.py")
        all_steps.append(Step(f"profile_{kernel}", 1, [program, "profile", "--problem", f"bench/slow/{kernel}_problem.py", "--kernel", best]))
    all_steps.append(eval_step("families", program, ROOT / "bench" / "families", out, 4))
    all_steps.append(eval_step("forms", program, ROOT / "bench" / "families", out, 8, "--optimize", "--moves", "forms", "--optimize-minutes", "1", "--store", str(out / "winners.sqlite")))
    if kernelbench is not None:
        network = kernelbench / "level3" / "16_DenseNet201.py"
        all_steps.append(Step("densenet201", 8, [program, "auto", "--problem", str(network), "--device", "cuda", "--out", str(out / "densenet201"), "--max-minutes", "{minutes}", "--verbose"], ends=("0",)))
        all_steps += [eval_step(f"level{level}", program, kernelbench / f"level{level}", out, 9) for level in (1, 2, 3)]
    return all_steps


def eval_step(name: str, program: str, suite: Path, out: Path, minutes: float, *more: str) -> Step:
    timing = ["--bench", "--baseline", "eager,compile,reduce-overhead", "--bench-seconds", "2", "--baseline-cache", str(out / "baselines")]
    return Step(name, minutes, [program, "eval", "--suite", str(suite), "--device", "cuda", "--jobs", "12", *timing, *more, "--out", str(out / name), "--resume", "--max-minutes", "{minutes}"], True)


def is_done(step: Step, out: Path) -> bool:
    text = out / f"{step.name}.txt"
    if not text.exists() or not (out / "steps.tsv").exists():
        return False
    last = [line.split("\t") for line in (out / "steps.tsv").read_text().splitlines() if line.startswith(step.name + "\t")]
    if not last or last[-1][1] not in step.ends:
        return False
    return not step.resumes or "ended by --max-minutes" not in text.read_text(errors="replace").rpartition("\n$ ")[2]


def words_of(step: Step, seconds: float) -> list[str]:
    """The command now: a search that has begun goes on, of one that has not come so far nothing is left."""
    words = step.words
    if step.search is not None and (step.search / "program_database.json").exists():
        words = [*words[:2], "--resume", str(step.search), "--max-minutes", "{minutes}", "--verbose"]
    elif step.search is not None:
        shutil.rmtree(step.search, ignore_errors=True)
        step.search.with_name(step.search.name + ".jsonl").unlink(missing_ok=True)
    return [word.replace("{minutes}", f"{max(0.2, (seconds - END_SECONDS) / 60):.2f}") for word in words]


def ended(process: subprocess.Popen[bytes], seconds: float) -> int:
    """The exit code; 124 after the time, when the process and all that it has started are no more."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        return 124
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def interruptible() -> None:
    """Whoever is started behind a shell's `&` ignores interrupts, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(step: Step, program: str, python: str, out: Path, seconds: float) -> None:
    words = words_of(step, seconds)
    print(f"{step.name}: {shlex.join(words)}", flush=True)
    environment = {**os.environ, "KERNELAGENT_PROGRAM": program, "KERNELAGENT_PYTHON": python, "XDG_CACHE_HOME": str(out / "cache")}
    begin = time.monotonic()
    with (out / f"{step.name}.txt").open("a") as text:
        text.write(f"\n$ {shlex.join(words)}\n")
        text.flush()
        code = ended(subprocess.Popen(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=text, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=interruptible), seconds)
    took = time.monotonic() - begin
    with (out / "steps.tsv").open("a") as table:
        table.write(f"{step.name}\t{code}\t{took:.1f}\t{shlex.join(words)}\n")
    last = (out / f"{step.name}.txt").read_text(errors="replace").rstrip().splitlines()[-12:]
    print("\n".join(f"    {line[:180]}" for line in last) + f"\n  {step.name}: exit {code}, {took:.1f} s", flush=True)


def archive(out: Path, to: Path) -> None:
    """Everything so far in one file, which is whole at every moment."""
    begun = to.with_name(to.name + ".begun")
    with tarfile.open(begun, "w:gz", compresslevel=1) as packed:
        packed.add(out, arcname=out.name)
    begun.replace(to)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "portable" / "src" / "app" / "kernelagent"))
    parser.add_argument("--out", type=Path, default=Path("session"))
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--kernelbench", type=Path, help="the folder with level1, level2, level3")
    parser.add_argument("--steps", default="", help="only those whose name contains one of these words")
    parser.add_argument("--archive", type=Path, help="a .tar.gz of the folder, written after each step; where it is there and the folder is not, it is unpacked first")
    parser.add_argument("--list", action="store_true", help="print the commands, and run nothing")
    options = parser.parse_args()
    out = options.out.resolve()
    if options.archive is not None and options.archive.exists() and not out.exists():
        with tarfile.open(options.archive) as packed:
            packed.extractall(out.parent)
    out.mkdir(parents=True, exist_ok=True)
    python, program = os.environ.get("KERNELAGENT_PYTHON", sys.executable), str(Path(options.program).resolve())
    kernelbench = options.kernelbench.resolve() if options.kernelbench else None
    wanted = [word for word in options.steps.split(",") if word] or [""]
    chosen = [step for step in steps(program, python, out, kernelbench) if any(word in step.name for word in wanted)]
    end = time.monotonic() + options.minutes * 60 - LAST_SECONDS
    for step in chosen:
        if options.list or is_done(step, out):
            print(f"{step.name}: {'done' if is_done(step, out) else shlex.join(step.words)}")
            continue
        left = min(step.minutes * 60, end - time.monotonic())
        if left < step.minutes * 20:
            print(f"{step.name}: not begun, {max(left, 0):.0f} s are left")
            continue
        run(step, program, python, out, left)
        if options.archive is not None:
            archive(out, options.archive)
    return 0


if __name__ == "__main__":
    sys.exit(main())

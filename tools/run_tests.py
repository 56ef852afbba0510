"""Runs the test suites and counts their cases.

A suite is a gtest program of the build folder, a Python test file of test/python or test/system, or a pytest file of test/python_api; long ones are
cut into several. As many run at a time as there are cores. The last line is `N passed, N failed, N skipped`; before it, every failure with its output,
every skip with its reason, and what took longest.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRESET = os.environ.get("KERNELAGENT_PRESET", "release")
BUILD = ROOT / "build" / PRESET
SUITE_LIMIT_S = 1500
LONGEST = 5  # named at the end
POLL_S = 0.05
# Long suites, cut into so many; a part of a Python file prepares its classes anew.
PARTS = {"corpus/corpus_test": 4}
# Suites that run one by one, after the others, because they keep all cores busy and count what the program uses of them. An end within a second
# or two, which others test, needs no more than busy neighbours leave: those suites pass beside ten busy processes on two cores.
ALONE = ("system/test_many_parts",)
# Suites of a minute and more; they begin first, the longest before the others, so that no core waits for the last of them.
LONG = ("system/test_generate", "corpus/", *(f"system/test_{name}" for name in (
    "conv_tiles", "persistent", "shared_rows", "eval_bench", "resume", "workers", "sentence_problem", "default_tiles", "attention_tiles", "descriptor_tiles", "descriptors", "model_advice", "generate_run", "optimize",
    "auto_optimize",
    "bad_problems", "auto_suite", "graphs", "winners", "hostile_replies", "pipeline", "cli", "live_view", "report", "verdicts", "llm_failures", "headers")))


@dataclass
class Outcome:
    name: str
    passed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    skips: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0
    cpu_seconds: float = 0


def interpreter() -> str:
    return os.environ.get("KERNELAGENT_PYTHON") or str(ROOT / ".venv" / "bin" / "python")


def gtest_programs() -> dict[str, Path]:
    listed = subprocess.run(
        ["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], capture_output=True, text=True, check=True
    )
    tests = json.loads(listed.stdout)["tests"]
    return {test["name"]: Path(test["command"][0]) for test in tests if "command" in test}


def part_names(name: str) -> list[str]:
    """The suites that one is cut into."""
    count = PARTS.get(name, 1)
    return [name] if count == 1 else [f"{name}.{i}_of_{count}" for i in range(1, count + 1)]


def part_of(name: str) -> tuple[int, int]:
    """Which part this suite is, from 0, and of how many."""
    found = re.search(r"\.(\d+)_of_(\d+)$", name)
    return (int(found[1]) - 1, int(found[2])) if found else (0, 1)


def run(command: list[str], environment: dict[str, str]) -> tuple[int, str, float]:
    """Exit code, output, and the processor time of all its processes that were waited for."""
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        end, note = time.monotonic() + SUITE_LIMIT_S, ""
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            if not note and time.monotonic() > end:
                process.kill()
                note = f"\nkilled after {SUITE_LIMIT_S} s"
            time.sleep(POLL_S)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        log.seek(0)
        return process.returncode, log.read() + note, ended[2].ru_utime + ended[2].ru_stime


def run_gtest(name: str, program: Path, pattern: str) -> Outcome:
    part, count = part_of(name)
    shard = {"GTEST_SHARD_INDEX": str(part), "GTEST_TOTAL_SHARDS": str(count)}
    command = [str(program), "--gtest_brief=1"]
    if pattern:
        command.append(f"--gtest_filter=*{pattern}*")
    return run_reported(name, command, "--gtest_output=xml:{}", nothing_runs=0, more=shard)


def run_pytest(name: str, path: Path, pattern: str) -> Outcome:
    if importlib.util.find_spec("pytest") is None:
        note = ROOT / "build" / "test_packages.txt"
        why = note.read_text().strip() if note.exists() else "install python3-pytest"
        return Outcome(name, skips=[(path.name, f"pytest is missing: {why}")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    if pattern:
        command += ["-k", re.sub(r"\W+", "_", pattern)]
    return run_reported(name, command, "--junitxml={}", nothing_runs=5)


def run_reported(name: str, command: list[str], report_flag: str, nothing_runs: int, more: Mapping[str, str] = {}) -> Outcome:
    """A command that leaves an XML report. `nothing_runs`: its exit code when no test has a name that was asked for; `more`: variables."""
    outcome = Outcome(name)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code, output, outcome.cpu_seconds = run([*command, report_flag.format(report)], {**os.environ, "KERNELAGENT_PYTHON": interpreter(), **more})
        if report.exists():
            for case in ElementTree.parse(report).getroot().iter("testcase"):
                title = f"{case.get('classname')}.{case.get('name')}"
                bad, skipped = case.findall("failure") + case.findall("error"), case.find("skipped")
                if bad:
                    outcome.failures.append((title, "\n".join(node.text or node.get("message") or "" for node in bad)))
                elif skipped is not None:
                    outcome.skips.append((title, (skipped.get("message") or "no reason given").strip()))
                elif case.get("result") in ("completed", None):
                    outcome.passed += 1
        if code not in (0, nothing_runs) and not outcome.failures:
            outcome.failures.append((name, output[-4000:]))
    return outcome


UNITTEST_RUNNER = """
import json, sys, unittest
sys.path.insert(0, sys.argv[1])
loader = unittest.TestLoader()
if sys.argv[3]:
    loader.testNamePatterns = ["*" + sys.argv[3] + "*"]
def each(suite):
    for test in suite:
        yield from each(test) if isinstance(test, unittest.TestSuite) else [test]
chosen = [test for i, test in enumerate(each(loader.loadTestsFromName(sys.argv[2]))) if i % int(sys.argv[5]) == int(sys.argv[4])]
result = unittest.TextTestRunner(verbosity=0, stream=sys.stderr).run(unittest.TestSuite(chosen))
failed = [(str(t), text) for t, text in result.failures + result.errors]
failed += [(str(t), "passed although it is marked as an expected failure") for t in result.unexpectedSuccesses]
skipped = [(str(t), why) for t, why in result.skipped]
print("\\nKA_RESULT " + json.dumps({"run": result.testsRun, "failed": failed, "skipped": skipped}))
"""


def run_unittest(name: str, path: Path, pattern: str) -> Outcome:
    outcome = Outcome(name)
    command = [interpreter(), "-c", UNITTEST_RUNNER, str(path.parent), path.stem, pattern, *map(str, part_of(name))]
    _, output, outcome.cpu_seconds = run(command, {**os.environ, "OMP_NUM_THREADS": "1"})
    match = re.search(r"^KA_RESULT (.*)$", output, re.MULTILINE)
    if not match:
        outcome.failures.append((name, output[-4000:]))
        return outcome
    result = json.loads(match.group(1))
    outcome.failures = [tuple(item) for item in result["failed"]]
    outcome.skips = [tuple(item) for item in result["skipped"]]
    outcome.passed = max(0, result["run"] - len(outcome.failures) - len(outcome.skips))  # what fails before the first test is no test
    return outcome


def all_suites() -> dict[str, tuple[str, Path]]:
    suites = {part: ("gtest", program) for name, program in gtest_programs().items() for part in part_names(name)}
    for folder in ("python", "system"):
        for path in sorted((ROOT / "test" / folder).glob("test_*.py")):
            suites.update({part: ("unittest", path) for part in part_names(f"{folder}/{path.stem}")})
    for path in sorted((ROOT / "test" / "python_api").glob("test_*.py")):
        suites[f"python_api/{path.stem}"] = ("pytest", path)
    return suites


RUNNERS = {"gtest": run_gtest, "unittest": run_unittest, "pytest": run_pytest}


def run_suite(name: str, kind: str, path: Path, pattern: str) -> Outcome:
    begin = time.monotonic()
    outcome = RUNNERS[kind](name, path, pattern)
    outcome.seconds = time.monotonic() - begin
    mark = "FAILED" if outcome.failures else "ok"
    print(f"{mark:<7}{name:<52}{outcome.passed:>5} passed {outcome.seconds:>7.1f} s {outcome.cpu_seconds:>7.1f} s of processors", flush=True)
    return outcome


def summary(outcomes: list[Outcome], seconds: float) -> str:
    longest = sorted(outcomes, key=lambda outcome: outcome.seconds, reverse=True)[:LONGEST]
    rows = ", ".join(f"{outcome.name} {outcome.seconds:.0f} s" for outcome in longest)
    used = sum(outcome.cpu_seconds for outcome in outcomes)
    return f"{seconds / 60:.1f} minutes, {used / 60:.1f} of processors; longest: {rows}"


def main() -> int:
    parser = argparse.ArgumentParser(description="runs the test suites")
    parser.add_argument("names", nargs="*", help="only suites or tests whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="list the suites")
    options = parser.parse_args()
    suites = all_suites()
    if options.list:
        print("\n".join(suites))
        return 0
    chosen = [(name, kind, path, "") for name, (kind, path) in suites.items()]
    if options.names:
        chosen = [row for row in chosen if any(word in row[0] for word in options.names)]
        if not chosen:  # not a suite: a test inside one
            chosen = [(n, k, p, word) for n, (k, p) in suites.items() for word in options.names]
    begin = time.monotonic()
    together = [row for row in chosen if not any(word in row[0] for word in ALONE)]
    together.sort(key=lambda row: next((i for i, word in enumerate(LONG) if row[0].startswith(word)), len(LONG)))
    alone = [row for row in chosen if row not in together]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        outcomes = list(pool.map(lambda row: run_suite(*row), together))
    outcomes += [run_suite(*row) for row in alone]

    for outcome in outcomes:
        for title, text in outcome.failures:
            print(f"\nFAILED {outcome.name}: {title}\n{text}")
    for outcome in outcomes:
        for title, why in outcome.skips:
            print(f"skipped {outcome.name}: {title}: {why.splitlines()[-1] if why else 'no reason given'}")
    print(summary(outcomes, time.monotonic() - begin))
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(len(outcome.failures) for outcome in outcomes)
    skipped = sum(len(outcome.skips) for outcome in outcomes)
    if passed + failed + skipped == 0:
        print(f"no test matches {' '.join(options.names)}; --list names the suites")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

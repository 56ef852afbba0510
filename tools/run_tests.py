"""Runs the test suites and counts their cases.

A suite is a gtest program of the build folder, a Python test file of test/python or test/system, or a pytest file of test/python_api. The last
line is `N passed, N failed, N skipped`; before it, every failure with its output and every skip with its reason.
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
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRESET = os.environ.get("KERNELAGENT_PRESET", "release")
BUILD = ROOT / "build" / PRESET
SUITE_LIMIT_S = 1500
# Suites that use both cores or measure time; they run alone, after the others.
ALONE = (
    "corpus", "bench", "bridge", "python_api/test_native", "python_api/test_interrupt",
    *(f"system/test_{name}" for name in ("auto_suite", "bad_problems", "cli", "eval", "generate", "launcher", "live_view", "llm_failures", "llm_hostile",
                                         "many_parts", "operators", "problems_ok", "report", "resume", "verdicts")),
)
# Suites of a minute and more; they begin first, so that no core waits for the last of them.
LONG = tuple(f"system/test_{name}" for name in ("workers", "sentence_problem", "default_tiles", "descriptor_tiles", "conv_tiles", "model_advice", "generate_run", "optimize"))


@dataclass
class Outcome:
    name: str
    passed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    skips: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0


def interpreter() -> str:
    return os.environ.get("KERNELAGENT_PYTHON") or str(ROOT / ".venv" / "bin" / "python")


def gtest_programs() -> dict[str, Path]:
    listed = subprocess.run(
        ["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], capture_output=True, text=True, check=True
    )
    tests = json.loads(listed.stdout)["tests"]
    return {test["name"]: Path(test["command"][0]) for test in tests if "command" in test}


def run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    try:
        output, _ = process.communicate(timeout=SUITE_LIMIT_S)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return 124, output + f"\nkilled after {SUITE_LIMIT_S} s"


def run_gtest(name: str, program: Path, pattern: str) -> Outcome:
    command = [str(program), "--gtest_brief=1"]
    if pattern:
        command.append(f"--gtest_filter=*{pattern}*")
    return run_reported(name, command, "--gtest_output=xml:{}", nothing_runs=0)


def run_pytest(name: str, path: Path, pattern: str) -> Outcome:
    if importlib.util.find_spec("pytest") is None:
        note = ROOT / "build" / "test_packages.txt"
        why = note.read_text().strip() if note.exists() else "install python3-pytest"
        return Outcome(name, skips=[(path.name, f"pytest is missing: {why}")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    if pattern:
        command += ["-k", re.sub(r"\W+", "_", pattern)]
    return run_reported(name, command, "--junitxml={}", nothing_runs=5)


def run_reported(name: str, command: list[str], report_flag: str, nothing_runs: int) -> Outcome:
    """A command that leaves an XML report. `nothing_runs`: its exit code when no test has a name that was asked for."""
    outcome = Outcome(name)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code, output = run([*command, report_flag.format(report)], {**os.environ, "KERNELAGENT_PYTHON": interpreter()})
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
result = unittest.TextTestRunner(verbosity=0, stream=sys.stderr).run(loader.loadTestsFromName(sys.argv[2]))
failed = [(str(t), text) for t, text in result.failures + result.errors]
failed += [(str(t), "passed although it is marked as an expected failure") for t in result.unexpectedSuccesses]
skipped = [(str(t), why) for t, why in result.skipped]
print("\\nKA_RESULT " + json.dumps({"run": result.testsRun, "failed": failed, "skipped": skipped}))
"""


def run_unittest(name: str, path: Path, pattern: str) -> Outcome:
    outcome = Outcome(name)
    command = [interpreter(), "-c", UNITTEST_RUNNER, str(path.parent), path.stem, pattern]
    code, output = run(command, {**os.environ, "OMP_NUM_THREADS": "1"})
    match = re.search(r"^KA_RESULT (.*)$", output, re.MULTILINE)
    if not match:
        outcome.failures.append((name, output[-4000:]))
        return outcome
    result = json.loads(match.group(1))
    outcome.failures = [tuple(item) for item in result["failed"]]
    outcome.skips = [tuple(item) for item in result["skipped"]]
    outcome.passed = result["run"] - len(outcome.failures) - len(outcome.skips)
    return outcome


def all_suites() -> dict[str, tuple[str, Path]]:
    suites = {name: ("gtest", program) for name, program in gtest_programs().items()}
    for folder in ("python", "system"):
        for path in sorted((ROOT / "test" / folder).glob("test_*.py")):
            suites[f"{folder}/{path.stem}"] = ("unittest", path)
    for path in sorted((ROOT / "test" / "python_api").glob("test_*.py")):
        suites[f"python_api/{path.stem}"] = ("pytest", path)
    return suites


RUNNERS = {"gtest": run_gtest, "unittest": run_unittest, "pytest": run_pytest}


def run_suite(name: str, kind: str, path: Path, pattern: str) -> Outcome:
    begin = time.monotonic()
    outcome = RUNNERS[kind](name, path, pattern)
    outcome.seconds = time.monotonic() - begin
    mark = "FAILED" if outcome.failures else "ok"
    print(f"{mark:<7}{name:<44}{outcome.passed:>5} passed {outcome.seconds:>7.1f} s", flush=True)
    return outcome


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
    together = [row for row in chosen if not any(word in row[0] for word in ALONE)]
    together.sort(key=lambda row: row[0] not in LONG)
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

"""Does every rule of the judge matter? Switches each one off in a copy of the tree and runs the tests that name it.

    tools/rule_mutations.py [RULE...]      a minute or two to build the copy, then some seconds per rule

A rule is needed when, without it, at least one hostile kernel is accepted or refused for another reason (`# expect:` of
test/hostile), or a test of its own fails. Exit code 1 when a rule is not needed: its test is missing, or it is redundant.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "src", "python", "test", "tools", "bench")
CHECKS, SIDE, TRIAL, JUDGE = (f"src/verify/{name}.cc" for name in ("checks", "candidate_side", "trial_calls", "judge"))
POLICY = "python/bridge/policy_rules.py"
Edit = tuple[str, str, str]  # file, text that occurs in it once, what replaces it; OFF stands for "this rule is off"

# Put before each C++ file of the table, so that one build serves all its rules.
SWITCH = """#include <cstdlib>
#include <string_view>
static bool off(std::string_view rule) {
  const char* name = std::getenv("KERNELAGENT_RULE_OFF");
  return name != nullptr && rule == name;
}
"""


def unread(rule: str) -> list[Edit]:
    """A rule of the policy is off when nothing is noted under its name."""
    return [(POLICY, "        self.refusals += 1\n", f'        if rule == "{rule}":\n            return\n        self.refusals += 1\n')]


def never(file: str, condition: str) -> Edit:
    """An `if` that is not taken."""
    return file, f"if ({condition})", f"if (!OFF && ({condition}))"


MUTATIONS: dict[str, list[Edit]] = {
    "policy.syntax": [("python/bridge/policy.py", '"violations": [{"rule": "policy.syntax", "line": line, "what": sentence}]', '"violations": []')],
    **{f"policy.{name}": unread(f"policy.{name}")
       for name in ("import", "name", "attribute", "torch", "method", "operator", "patch", "class", "no_kernel")},
    "contract.entry": [never(SIDE, "facts.entry.empty()"), never(SIDE, 'kind == "entry"')],
    "contract.signature": [never(SIDE, 'kind == "signature"')],
    # Whoever raises or dies has no answer, so these can only be told from one another.
    "run.import": [never(SIDE, 'kind == "import"')],
    "run.raised": [(SIDE, '  return {"run.raised", detail};', '  return {OFF ? "run.import" : "run.raised", detail};')],
    "run.exit": [(SIDE, '{"run.exit", fmt::format(', '{OFF ? "run.crash" : "run.exit", fmt::format('),
                 (SIDE, 'return {"run.exit", "wrote', 'return {OFF ? "run.crash" : "run.exit", "wrote')],
    "run.crash": [(SIDE, '{"run.crash", fmt::format(', '{OFF ? "run.exit" : "run.crash", fmt::format(')],
    "run.timeout": [(SIDE, 'return {"run.timeout",', 'return {OFF ? "run.exit" : "run.timeout",')],
    "run.memory": [(SIDE, 'return {"run.memory", "killed', 'return {OFF ? "run.exit" : "run.memory", "killed'),
                   never(SIDE, 'type == "MemoryError" || type == "OutOfMemoryError" || detail.find("DefaultCPUAllocator") != std::string::npos')],
    "guard.compute": [("python/bridge/guard.py", "if kind is None or any(t not in plain for t in types) or", "if"),
                      ("python/bridge/guard.py", "if name in DENIED_METHODS:", "if False:")],
    "guard.launch": [never(CHECKS, "outcome.launched == 0")],
    "guard.provenance": [never(CHECKS, "!outcome.outputs[i].touched_by_kernel && outcome.outputs[i].spec.nbytes > 0")],
    "guard.process": [never(TRIAL, "own_threads"), never(SIDE, "options_.interpret && tasks_at_start_ > 1")],
    "contract.structure": [never(CHECKS, "outcome.structure != reference.structure")],
    "contract.device": [never(CHECKS, "!output.on_device")],
    "contract.shape": [never(CHECKS, "output.spec.shape != want.shape"), never(SIDE, 'kind == "too_large"')],
    "contract.dtype": [never(CHECKS, "output.spec.dtype != want.dtype")],
    "contract.layout": [never(CHECKS, "!same_layout(output.spec, want)")],
    "contract.alias": [never(CHECKS, "output.aliases_input && !reference.outputs_alias_inputs"),
                       never(CHECKS, "!output.fresh && !output.aliases_input")],
    "contract.inputs": [(CHECKS, "  for (const std::string& name : outcome.changed_inputs)",
                         "  if (!OFF) for (const std::string& name : outcome.changed_inputs)")],
    "result.bounds": [never(CHECKS, "!outcome.out_of_bounds.empty()")],
    "result.race": [never(CHECKS, "!outcome.races.empty()")],
    "result.unwritten": [never(CHECKS, "untouched > 0")],
    "result.repeat": [(CHECKS, "if (!bitwise)", "if (!bitwise || OFF)")],
    "result.cached": [(TRIAL, "return cached ?", "return cached && !OFF ?")],
    "result.state": [never(TRIAL, "!refusal && !state_.empty()")],
    "result.mismatch": [(CHECKS, "    return Refusal{special ?", "    if (!special && OFF) continue;\n    return Refusal{special ?")],
    "result.precision": [(CHECKS, "    if (seen.mismatch == Mismatch::precision) return",
                          "    if (seen.mismatch == Mismatch::precision && OFF) continue;\n    if (seen.mismatch == Mismatch::precision) return")],
    "result.special": [(CHECKS, "    return Refusal{special ?", "    if (special && OFF) continue;\n    return Refusal{special ?")],
    "compile.failed": [never(JUDGE, "uncompilable")],
    "test.failed": [("src/verify/test_script.cc", "  if (signal != 0)", "  if (OFF) return Answer();\n  if (signal != 0)")],
    "general.specialised": [never(JUDGE, "options_.require_general && verdict_.specialised")],
    "general.buffers": [never(JUDGE, "options_.require_buffers && !verdict_.buffers.updated.empty() && !verdict_.buffers.reproduced")],
}
# No kernel that the policy lets pass gets as far as these; they have tests of their own.
OTHER_TESTS = {"run.exit": "bridge/candidate_test", "run.crash": "bridge/candidate_test", "guard.process": "bridge/candidate_test",
               "test.failed": "system/test_test_script"}


def rules() -> list[str]:
    return re.findall(r'^    \{"([a-z_.]+)"', (ROOT / "src/verify/rules.cc").read_text(), re.MULTILINE)


def cases(rule: str) -> list[str]:
    """The hostile cases that expect this rule, by the names that gtest gives them."""
    found = []
    for path in sorted((ROOT / "test" / "hostile").rglob("*.py")):
        expect = re.search(r"^# expect: (.*)$", path.read_text(), re.MULTILINE)
        if expect and rule in expect[1].split():
            found.append(re.sub(r"[^A-Za-z0-9]", "_", str(path.relative_to(ROOT / "test").with_suffix(""))))
    return found


def edit(tree: Path, rule: str, suffix: str) -> dict[Path, str]:
    """Makes the edits of one rule to files of one language; the texts that were there before."""
    before: dict[Path, str] = {}
    for file, old, new in MUTATIONS[rule]:
        if not file.endswith(suffix):
            continue
        text = (tree / file).read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{rule}: {text.count(old)} times instead of once in {file}: {old.strip()}")
        before.setdefault(tree / file, text)
        (tree / file).write_text(text.replace(old, new.replace("OFF", f'off("{rule}")')))
    return before


def copy_with_switches(tree: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, tree / name)
    for file in {file for edits in MUTATIONS.values() for file, _, _ in edits if file.endswith(".cc")}:
        (tree / file).write_text(SWITCH + (tree / file).read_text())
    for rule in MUTATIONS:
        edit(tree, rule, ".cc")
    subprocess.run(["cmake", "--preset", "release"], cwd=tree, capture_output=True, check=True)


def build(tree: Path) -> None:
    done = subprocess.run(["ninja", "-C", str(tree / "build/release"), "corpus_test", "candidate_test", "kernelagent"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-1000:])


def verdicts(tree: Path, names: list[str]) -> Counter[str]:
    """What the cases were refused for, or "accepted", where that is not what they expect; "" counts the others."""
    report = tree / "report.xml"
    report.unlink(missing_ok=True)
    pattern = ":".join(f"*/{name}" for name in names)
    subprocess.run([str(tree / "build/release/test/corpus_test"), f"--gtest_filter={pattern}", f"--gtest_output=xml:{report}"],
                   capture_output=True)
    if not report.exists():
        return Counter({"crash of the judge": len(names)})
    seen: Counter[str] = Counter()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        given = [item.get("value") for item in case.iter("property") if item.get("name") == "rule"]
        seen[(given[0] if given and given[0] else "no verdict") if case.find("failure") is not None else ""] += 1
    return seen


def needed(tree: Path, rule: str) -> bool:
    names = cases(rule)
    seen = verdicts(tree, names) if names else Counter()
    changed = sum(seen.values()) - seen[""]
    told = ", ".join(f"{name} {count}" for name, count in seen.most_common() if name)
    line = f"{changed} of {len(names)} cases: {told or '-'}"
    if rule in OTHER_TESTS:
        done = subprocess.run([sys.executable, "tools/run_tests.py", OTHER_TESTS[rule]], cwd=tree, capture_output=True)
        changed += done.returncode != 0
        line += f"; {OTHER_TESTS[rule]} {'fails' if done.returncode else 'passes'}"
    print(f"{'needed' if changed else 'NOT NEEDED':<11}{rule:<21}{line}", flush=True)
    return changed > 0


def main() -> int:
    os.environ.setdefault("KERNELAGENT_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
    missing = set(rules()) ^ set(MUTATIONS)
    if missing:
        raise SystemExit(f"rules.cc and the table of this tool differ: {', '.join(sorted(missing))}")
    chosen = sys.argv[1:] or rules()
    with tempfile.TemporaryDirectory(prefix="rule_mutations_") as folder:
        tree = Path(folder)
        copy_with_switches(tree)
        useless = []
        for rule in chosen:
            os.environ["KERNELAGENT_RULE_OFF"] = rule
            before = edit(tree, rule, ".py")
            build(tree)
            if not needed(tree, rule):
                useless.append(rule)
            for path, text in before.items():
                path.write_text(text)
    print(f"{len(chosen) - len(useless)} of {len(chosen)} rules are needed" + (f"; not: {', '.join(useless)}" if useless else ""))
    return 1 if useless else 0


if __name__ == "__main__":
    sys.exit(main())

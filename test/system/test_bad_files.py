"""Bad input of every kind, through the command line: one sentence that names the file, exit code 2, nothing written and nothing lost.

No case gets as far as PyTorch: what is wrong is noticed before anything is begun.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import program

PROBLEM = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return []
"""


def tensor(name: str, shape: list[int]) -> dict[str, Any]:
    return {"name": name, "dtype": "float32", "shape": shape, "strides": [shape[-1], 1]}


RESULT = {"dtype": "float32", "shape": [4, 8], "strides": [8, 1]}
PART: dict[str, Any] = {
    "schema": 1, "id": "linear_relu", "type": "linear_relu", "layout": "", "dtype": "float32", "sizes": {}, "where": "p.py:7", "count": 1, "signature": "",
    "ops": [{"op": "aten.linear.default", "name": "linear", "where": "p.py:7", "operands": {"input": "x", "weight": "w"}, "parameters": {"bias": None}, "results": [RESULT]},
            {"op": "aten.relu.default", "name": "relu", "where": "p.py:7", "operands": {"self": "linear"}, "parameters": {}, "results": [RESULT]}],
    "inputs": [tensor("x", [4, 6])], "outputs": [tensor("relu", [4, 8])], "weights": [{**tensor("w", [8, 6]), "role": "parameter"}], "updates": [],
    "calls": [{"order": 0, "inputs": ["x"], "weights": ["w"], "outputs": ["relu"]}], "samples": [], "source": {"module": "", "code": ""},
}
KERNEL = "def kernel_function(x):\n    return x\n"
SUMMARY = {"id": "linear_relu", "kernel_path": "kernels_out/linear_relu/kernel.py", "kernel_sha256": hashlib.sha256(KERNEL.encode()).hexdigest(), "message": "", "producer": "codegen",
           "rounds": 1, "success": True}

# Ids that would name something outside the folder, or nothing at all.
HOSTILE = ("../../x", "/etc/passwd", "a/b", "..", ".", "", "a\0b", "a b", "x" * 5000, "-rf", "ä", "a\nb", "1a")

# What a file may be instead of what it should be.
DAMAGES: dict[str, bytes | str] = {
    "empty": b"", "null": b"null", "a number": b"3", "a text": b'"x"', "a list of numbers": b"[1, 2]", "too deep": b"[" * 100_000 + b"]" * 100_000, "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "not UTF-8": b'[{"id": "\xff\xfe"}]', "a NUL byte": b"[\0]", "a huge number": b"[1e999999]", "huge": "huge", "truncated": "truncated", "a folder": "folder", "a FIFO": "fifo",
    "a link to itself": "loop", "a link to nothing": "nothing", "a device": "device", "unreadable": "unreadable",
}


def damage(path: Path, kind: bytes | str) -> None:
    good = path.read_bytes() if path.exists() else b"{}"
    path.unlink(missing_ok=True)
    if isinstance(kind, bytes):
        path.write_bytes(kind)
    elif kind == "truncated":
        path.write_bytes(good[: len(good) * 2 // 3])
    elif kind == "huge":
        path.write_bytes(b"[")
        os.truncate(path, 200 << 20)
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "unreadable":
        path.write_bytes(good)
        path.chmod(0)
    else:
        path.symlink_to({"loop": path, "nothing": path.parent / "nothing", "device": Path("/dev/zero")}[kind])


def changed(*steps: str | int, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Sets what lies at the end of these keys of the first entry."""

    def change(parts: list[dict[str, Any]]) -> None:
        place: Any = parts[0]
        for step in steps[:-1]:
            place = place[step]
        place[steps[-1]] = value

    return change


ENTRIES: dict[str, tuple[Callable[[list[dict[str, Any]]], Any], str]] = {
    "wrong type": (changed("ops", value=3), '"ops"'),
    "twice": (lambda parts: parts.append(copy.deepcopy(parts[0])), "entry 1: the id \"linear_relu\" is there twice"),
    "cycle": (changed("ops", 0, "operands", "input", value="relu"), "which nothing before it makes"),
    "reads itself": (changed("ops", 0, "operands", "input", value="linear"), "which nothing before it makes"),
    "missing weight": (changed("weights", value=[]), "which nothing before it makes"),
    "missing operand": (changed("ops", 0, "operands", value={"input": "x"}), "linear.default: there is no operand \"weight\""),
    "result that it has not": (changed("outputs", 0, "name", value="relu:1"), "has 1 results"),
    "result with a number that is none": (changed("outputs", 0, "name", value="relu:99999999999999999999"), "reads"),
    "newer": (changed("schema", value=99), "newer"),
    "numbers that do not fit": (changed("samples", value=[{"sizes": {}, "numbers": [1, 2]}]), "sample 0"),
    "numbers that are none": (changed("samples", value=[{"sizes": {}, "numbers": "x"}]), "sample 0"),
    "role": (changed("weights", 0, "role", value="king"), "\"king\""),
    "negative extent": (changed("inputs", 0, "shape", value=[-4, 6]), "negative"),
    "extent too large": (changed("inputs", 0, "shape", value=[1 << 62, 6]), "too large"),
    "extent too large for a number": (changed("inputs", 0, "shape", value=[1 << 70, 6]), "shape"),
    "dtype": (changed("inputs", 0, "dtype", value="float99"), "float99"),
    "result's dtype": (changed("ops", 0, "results", value=[{**RESULT, "dtype": "x"}]), "linear.default"),
    "result's shape": (changed("ops", 0, "results", value=[{**RESULT, "shape": [4, 9], "strides": [9, 1]}]), "should have the shape [4, 9]"),
    "rank of a weight": (changed("weights", 0, "shape", value=[]), "strides"),
    "shapes that do not fit": (changed("weights", 0, "shape", value=[8, 7]), "linear.default"),
    "operator that is none": (changed("ops", 0, "op", value="import os"), "not the name of an operator"),
    "argument that is none": (changed("ops", 1, "parameters", value={"x=1, y": 2}), "not named by letters"),
    "control characters": (changed("ops", 0, "where", value="p.py\n import os"), "control characters"),
    "constant without enough values": (changed("weights", 0, value={**tensor("w", [8, 6]), "role": "constant", "data": [1.0]}), "48 elements and values for 1"),
    "too many dimensions": (changed("inputs", 0, value={**tensor("x", [1] * 65), "strides": [1] * 65}), "more than 64 dimensions"),
    "two calls of one order": (lambda parts: parts.append({**copy.deepcopy(parts[0]), "id": "other"}), "two calls have the order 0"),
    "call that does not fit": (changed("calls", 0, "weights", value=[]), "gives 0 weights"),
    "nothing": (lambda parts: parts.clear(), "no subgraph"),
}

SUMMARIES: dict[str, tuple[Any, str]] = {
    "no list": ({}, "a list of results"),
    "unknown id": ([{**SUMMARY, "id": "other"}], '"other"'),
    "twice": ([SUMMARY, SUMMARY], "twice"),
    "another kernel": ([{**SUMMARY, "kernel_sha256": "0" * 64}], "content"),
    "wrong type": ([{**SUMMARY, "success": "yes"}], '"success"'),
    "no result": ([3], "entry 0"),
}

WORDS: dict[str, tuple[tuple[str, ...], str]] = {
    "no such command": (("dance",), "dance"),
    "no such flag": (("dispatch", "--subgraphs", "S", "--faster"), "--faster"),
    "flag without value": (("dispatch", "--subgraphs"), "--subgraphs"),
    "word too many": (("dispatch", "--subgraphs", "S", "extra"), "extra"),
    "twice": (("dispatch", "--subgraphs", "S", "--subgraphs", "S"), "--subgraphs"),
    "no jobs": (("dispatch", "--subgraphs", "S", "--dispatch-jobs", "0"), "--dispatch-jobs"),
    "jobs that are none": (("dispatch", "--subgraphs", "S", "--dispatch-jobs", "many"), "--dispatch-jobs"),
    "switch with a value": (("dispatch", "--subgraphs", "S", "--no-verify=yes"), "--no-verify"),
    "no problem": (("auto",), "--problem"),
    "no such file": (("dispatch", "--subgraphs", "nothing.json"), "nothing.json"),
    "an empty path": (("dispatch", "--subgraphs", ""), "--subgraphs"),
    "a route of pipeline": (("pipeline", "--problem", "p.py", "--route", "direct"), "--route"),
    "a route that is none": (("auto", "--problem", "p.py", "--route", "both"), "--route"),
    "no time": (("auto", "--problem", "p.py", "--max-minutes", "0"), "--max-minutes"),
    "time that is no number": (("auto", "--problem", "p.py", "--max-minutes", "nan"), "--max-minutes"),
    "no attempts": (("auto", "--problem", "p.py", "--max-attempts", "0"), "--max-attempts"),
    "half an attempt": (("auto", "--problem", "p.py", "--max-attempts", "1.5"), "--max-attempts"),
    "nothing to resume": (("auto", "--resume", "nowhere"), "--resume"),
    "resume something else": (("auto", "--resume", "."), "--resume"),
    "resume a path that is none": (("auto", "--resume", "../../x"), "--resume"),
    "out is no run": (("auto", "--problem", "p.py", "--out", "."), "--out"),
    "out is a file": (("auto", "--problem", "p.py", "--out", "p.py"), "--out"),
    "compose without parts": (("compose", "--problem", "p.py"), "--subgraphs"),
}


class BadFiles(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kernelagent_bad_"))
        self.addCleanup(lambda: shutil.rmtree(self.folder))
        (self.folder / "p.py").write_text(PROBLEM)
        self.write_stages()

    def write_stages(self) -> None:
        """A folder as extract, dispatch and a run leave it."""
        files = {
            "s.json": json.dumps([PART]), "kernels_out/summary.json": json.dumps([SUMMARY]), "kernels_out/linear_relu/kernel.py": KERNEL, "run/problem.py": PROBLEM, "run/journal.jsonl": "",
            "run/run.json": json.dumps({"command": "kernelagent auto", "created": "2026-01-01T00:00:00.000Z", "id": "run", "schema": 1, "version": "0.1.0"}),
            "run/request.json": json.dumps({"problem_sha256": "", "words": [f"--problem={self.folder}/p.py"]}), ".fuse/router_cache.json": '{"schema": 1, "entries": []}',
        }
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True, parents=True)
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.write_text(text)

    def contents(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() and path.stat().st_size < 1 << 20 else b"" for path in self.folder.rglob("*") if not path.name.endswith("lock")}

    def refused(self, *words: str | Path, says: str) -> None:
        before = self.contents()
        done = program.run(*words, cwd=self.folder)
        self.assertEqual(done.code, 2, done.text())
        self.assertEqual(len(done.err.strip().splitlines()), 1, done.text())
        self.assertIn(says, done.err, done.text())
        self.assertNotIn("Traceback", done.err)
        self.assertEqual(done.out, "")
        self.assertEqual(self.contents(), before)
        self.assertLess(done.seconds, 60)  # nothing waits for a FIFO; the rest is the load of the machine

    def dispatch(self, says: str) -> None:
        self.refused("dispatch", "--subgraphs", "s.json", "--out-dir", "out", "--no-verify", says=says)

    def compose(self, says: str) -> None:
        self.refused("compose", "--problem", "p.py", "--subgraphs", "s.json", "--out-dir", "out", says=says)

    def test_a_file_that_is_something_else(self) -> None:
        readers: dict[str, Callable[[], None]] = {
            "s.json": lambda: self.dispatch("s.json"),
            "kernels_out/summary.json": lambda: self.compose("summary.json"),
            "kernels_out/linear_relu/kernel.py": lambda: self.compose("kernel.py"),
            "run/request.json": lambda: self.refused("auto", "--resume", "./run", says="request.json"),
            "run/run.json": lambda: self.refused("auto", "--resume", "./run", says="run"),
            ".fuse/router_cache.json": lambda: self.refused("auto", "--problem", "p.py", says="router_cache.json"),
        }
        for name, read in readers.items():
            for kind, what in DAMAGES.items():
                if kind == "unreadable" and os.geteuid() == 0:
                    continue  # to root everything is readable
                if name.endswith("cache.json") and kind == "a link to nothing":
                    continue  # no cache yet
                with self.subTest(name, damage=kind):
                    damage(self.folder / name, what)
                    read()
                    self.write_stages()

    def test_an_entry_that_is_something_else(self) -> None:
        rows = {**ENTRIES, **{f"id {name!r:.20}": (changed("id", value=name), "entry 0: ") for name in HOSTILE}}
        rows |= {f"value {name!r:.20}": (changed("inputs", 0, "name", value=name), "entry 0: ") for name in HOSTILE}
        for name, (change, says) in rows.items():
            with self.subTest(name):
                parts = copy.deepcopy([PART])
                change(parts)
                (self.folder / "s.json").write_text(json.dumps(parts))
                self.dispatch(says)

    def test_a_summary_that_is_something_else(self) -> None:
        rows = {**SUMMARIES, **{f"id {name!r:.20}": ([{**SUMMARY, "id": name}], "summary.json: ") for name in HOSTILE}}
        for name, (value, says) in rows.items():
            with self.subTest(name):
                (self.folder / "kernels_out/summary.json").write_text(json.dumps(value))
                self.compose(says)

    def test_words_of_a_run_that_are_none(self) -> None:
        for words in (3, [3], None, ["--problem"], ["--dance"], ["--problem=nothing.py"], ["--problem=p.py", "--problem=p.py"]):
            with self.subTest(words=words):
                (self.folder / "run/request.json").write_text(json.dumps({"words": words}))
                self.refused("auto", "--resume", "./run", says="--")

    def test_words_that_are_none(self) -> None:
        shutil.copy(self.folder / "s.json", self.folder / "S")
        for name, (words, says) in WORDS.items():
            with self.subTest(name):
                self.refused(*words, says=says)

    def test_what_is_in_order_passes(self) -> None:
        """Or the cases above would prove nothing."""
        done = program.run("dispatch", "--subgraphs", "s.json", "--out-dir", "out", "--no-verify", cwd=self.folder)
        self.assertEqual(done.code, 0, done.text())
        part = copy.deepcopy(PART)
        part["ops"][1]["op"] = "aten.fft_fft.default"
        (self.folder / "s.json").write_text(json.dumps([part]))
        done = program.run("dispatch", "--subgraphs", "s.json", "--out-dir", "out", "--no-verify", cwd=self.folder)
        self.assertEqual((done.code, done.err), (1, ""), done.text())
        self.assertIn("aten.fft_fft", done.out)


if __name__ == "__main__":
    unittest.main()

"""Drives the reference child as the judge does: a forked process, a socket pair, memory files."""

from __future__ import annotations

import importlib
import importlib.util
import mmap
import os
import socket
import sys
import textwrap
import unittest
from pathlib import Path
from typing import Any

import torch

BRIDGE = Path(__file__).resolve().parents[2] / "python" / "bridge"
PRELUDE = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
BUDGET = {"elements": 1 << 19, "flops": 1 << 24}


def bridge(name: str) -> Any:
    """The module ka_bridge.<name> from the source tree."""
    if "ka_bridge" not in sys.modules:
        spec = importlib.util.spec_from_file_location("ka_bridge", BRIDGE / "__init__.py",
                                                      submodule_search_locations=[str(BRIDGE)])
        package = importlib.util.module_from_spec(spec)
        sys.modules["ka_bridge"] = package
        spec.loader.exec_module(package)
    return importlib.import_module(f"ka_bridge.{name}")


bridge("preload").preload()
torch.set_num_threads(1)
tensors = bridge("tensors")


def problem(text: str) -> str:
    return PRELUDE + textwrap.dedent(text)


class Drawn:
    """The answer of `draw` and its arena."""

    def __init__(self, answer: dict[str, Any], fd: int) -> None:
        self.answer = answer
        self.mapping = mmap.mmap(fd, 0) if os.fstat(fd).st_size else None

    def tensor(self, spec: dict[str, Any]) -> torch.Tensor:
        return tensors.read_tensor(self.mapping, spec, copy=True)

    def outputs(self, key: str = "outputs") -> list[torch.Tensor]:
        """Outputs are row-major whatever their strides say."""
        rows = [{**s, "strides": list(torch.empty(s["shape"], device="meta").stride())} for s in self.answer[key]]
        return [self.tensor(row) for row in rows]

    def inputs(self) -> list[Any]:
        return [s["scalar"] if "scalar" in s else self.tensor(s) for s in self.answer["inputs"]]

    def weights(self) -> dict[str, torch.Tensor]:
        return {name: self.tensor(spec) for name, spec in self.answer["weights"].items()}


class Child:
    def __init__(self) -> None:
        conn_class, reference = bridge("conn").Conn, bridge("reference")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            code = 1
            try:
                conn = conn_class(theirs.detach())
                reference.main(conn)
                conn.close()
                code = 0
            finally:
                os._exit(code)
        theirs.close()
        self.conn = conn_class(ours.detach())
        self.exit_code: int | None = None

    def ask(self, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        self.conn.send(request, fds)
        packet = self.conn.recv()
        assert packet is not None, "the child closed the conversation"
        return packet[0]

    def load(self, text: str, **changes: Any) -> dict[str, Any]:
        fd = os.memfd_create("source")
        os.write(fd, text.encode())
        request = {"cmd": "load", "name": None, "filename": "p.py", "mode": "train", "device": "cpu", "budget": None,
                   "seed": 7, **changes}
        try:
            return self.ask(request, [fd])
        finally:
            os.close(fd)

    def draw(self, **changes: Any) -> Drawn:
        fd = os.memfd_create("arena")
        request = {"cmd": "draw", "seed": 11, "call_seed": 12, "distribution": "given", "variant": None,
                   "emulate": None, **changes}
        try:
            return Drawn(self.ask(request, [fd]), fd)
        finally:
            os.close(fd)

    def close(self) -> int:
        """The exit code of the child; may be called again."""
        if self.exit_code is None:
            self.conn.close()
            self.exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.exit_code


class ReferenceTest(unittest.TestCase):
    """A child per test, gone after it."""

    def setUp(self) -> None:
        self.child = Child()
        self.addCleanup(self.child.close)

    def loaded(self, text: str, **changes: Any) -> dict[str, Any]:
        answer = self.child.load(problem(text), **changes)
        self.assertTrue(answer["ok"], answer.get("error"))
        return answer

    def refused(self, text: str, kind: str, *parts: str, **changes: Any) -> dict[str, Any]:
        answer = self.child.load(problem(text), **changes)
        self.assertFalse(answer["ok"])
        self.assertEqual(answer["error"]["kind"], kind, answer["error"])
        for part in parts:
            self.assertIn(part, answer["error"]["message"])
        self.assertNotIn("\n", answer["error"]["message"])
        return answer["error"]

    def drawn(self, **changes: Any) -> Drawn:
        result = self.child.draw(**changes)
        self.assertTrue(result.answer["ok"], result.answer.get("error"))
        return result

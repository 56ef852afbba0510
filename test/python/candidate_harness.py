"""Drives the candidate and the compile child as the judge does: a forked process, a socket pair, memory files."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
import textwrap
from pathlib import Path
from typing import Any

import torch

DEVICE = os.environ.get("KERNELAGENT_TEST_DEVICE", "cpu")  # "cuda": compiled kernels on a real GPU
BRIDGE = Path(__file__).resolve().parents[2] / "python" / "bridge"
PRELUDE = """
import torch
import triton
import triton.language as tl

"""


def bridge(name: str) -> Any:
    """The module ka_bridge.<name> from the source tree."""
    if "ka_bridge" not in sys.modules:
        spec = importlib.util.spec_from_file_location("ka_bridge", BRIDGE / "__init__.py",
                                                      submodule_search_locations=[str(BRIDGE)])
        package = importlib.util.module_from_spec(spec)
        sys.modules["ka_bridge"] = package
        spec.loader.exec_module(package)
    return importlib.import_module(f"ka_bridge.{name}")


def kernel_source(text: str) -> str:
    return PRELUDE + textwrap.dedent(text)


def memory_file(data: bytes = b"") -> int:
    fd = os.memfd_create("test", os.MFD_CLOEXEC)
    os.write(fd, data)
    return fd


class Child:
    """A forked process that runs <module>.main; `ask` sends one request and waits for the answer."""

    def __init__(self, module: str) -> None:
        torch.set_num_threads(1)
        script = bridge(module)
        conn_class = bridge("conn").Conn
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            code = 1
            try:
                conn = conn_class(theirs.detach())
                script.main(conn)
                conn.close()
                code = 0
            finally:
                os._exit(code)
        theirs.close()
        self.conn = conn_class(ours.detach())

    def ask(self, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        self.conn.send(request, fds)
        for fd in fds:
            os.close(fd)
        packet = self.conn.recv()
        if packet is None:
            raise EOFError("the child ended")
        return packet[0]

    def close(self) -> int:
        self.conn.close()
        return os.waitpid(self.pid, 0)[1]

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


class Candidate(Child):
    """A candidate child with an imported kernel file."""

    def __init__(self, text: str, inputs: int, weights: dict[str, torch.Tensor] | None = None, **options: Any) -> None:
        super().__init__("candidate")
        self.weights = weights or {}
        request = {
            "cmd": "import", "filename": "k.py", "entry": "kernel_function", "device": DEVICE,
            "interpret": DEVICE == "cpu",
            "weights": [{"argument": n.replace(".", "_"), "name": n} for n in self.weights], "inputs": inputs,
            "init_args": [], "random": False, **options,
        }
        self.imported = self.ask(request, [memory_file(kernel_source(text).encode())])

    def run(self, *inputs: Any, **options: Any) -> dict[str, Any]:
        """Runs once; "results" of the answer are the outputs as tensors."""
        tensors = bridge("tensors")
        arena, out = memory_file(), memory_file()
        writer = tensors.ArenaWriter(arena)
        put = lambda v: writer.write(v, contiguous=False) if isinstance(v, torch.Tensor) else {"scalar": v}
        request = {
            "cmd": "run", "call_seed": 7, "inputs": [put(v) for v in inputs],
            "weights": {n.replace(".", "_"): put(v) for n, v in self.weights.items()}, "poison": "nan", "config": 0,
            "reuse": False, "outputs_limit": 1 << 28, **options,
        }
        keep = os.dup(out)
        answer = self.ask(request, [arena, out])
        data = bytearray(os.pread(keep, 1 << 28, 0))
        os.close(keep)
        if answer["ok"]:
            answer["results"] = [self._result(data, spec) for spec in answer["outputs"]]
        return answer

    @staticmethod
    def _result(data: bytearray, spec: dict[str, Any]) -> torch.Tensor | None:
        dtype = bridge("tensors").DTYPES.get(spec["dtype"])
        if dtype is None:
            return None
        if spec["nbytes"] == 0:
            return torch.empty(spec["shape"], dtype=dtype)
        flat = torch.frombuffer(data, dtype=dtype, count=spec["nbytes"] // dtype.itemsize, offset=spec["offset"])
        return flat.reshape(spec["shape"])

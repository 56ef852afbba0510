"""The child that runs a test script against a kernel file, as `python test_kernel.py` would, and reports how it ended.

The script finds the kernel as the module `kernel` (`from kernel import kernel_function`) and the program as `problem`,
both beside itself in the working directory. It runs in a process of its own, forked from this one: whatever it does to
itself, this process tells the judge. What the kernel file prints does not count as the script's output.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
import traceback
import types
from typing import Any

import torch
import triton

from ka_bridge import interp, pretend_gpu
from ka_bridge.conn import Conn, error_answer, read_all
from ka_bridge.problem import seed_everything

SOURCE_LIMIT = 16 * 1024 * 1024
OUTPUT_LIMIT = 1 << 20  # of what is looked at; a script that prints more than this has said enough
TAIL_CHARS = 2000
KERNEL, PROBLEM = "kernel.py", "problem.py"


class ScriptOutput(io.TextIOBase):
    """Standard output of the script. Text that is written while the kernel file's code is on the stack goes to stderr."""

    encoding = "utf-8"  # what scripts may ask before they print other letters
    errors = "replace"

    def __init__(self, real: Any, kernel: str) -> None:
        self.real = real
        self.kernel = kernel

    def write(self, text: str) -> int:
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.kernel:
                return sys.stderr.write(text)
            frame = frame.f_back
        return self.real.write(text)

    def flush(self) -> None:
        self.real.flush()

    def fileno(self) -> int:
        return self.real.fileno()

    def isatty(self) -> bool:
        return False


def says_pass(output: str, sentinel: str) -> bool:
    """Whether a line begins with the word PASS (signs before it do not matter) or is the sentinel."""
    for line in output.splitlines():
        text = line.strip()
        while text and not text[0].isalnum():
            text = text[1:]
        if text == sentinel or (text.startswith("PASS") and not text[4:5].isalnum()):
            return True
    return False


def prepare(request: dict[str, Any], folder: str) -> None:
    """The environment in which `python SCRIPT` would find itself, with a GPU in name only where there is none."""
    os.environ["KERNELAGENT_SENTINEL"] = request["sentinel"]
    os.environ["KERNELAGENT_KERNEL"] = os.path.join(folder, KERNEL)
    sys.path.insert(0, folder)
    os.chdir(folder)
    if request["interpret"]:
        triton.knobs.runtime.interpret = True
        os.environ["TRITON_INTERPRET"] = "1"
        interp.install()
        pretend_gpu.install()
    seed_everything(request["seed"])


def execute(request: dict[str, Any], path: str) -> int:
    """Runs the script as __main__; returns its exit code."""
    folder = os.path.dirname(path)
    prepare(request, folder)
    sys.stdout = ScriptOutput(os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False),
                              os.path.join(folder, KERNEL))
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", closefd=False, buffering=1)
    sys.argv = [path]
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    code = 1
    try:
        with open(path, "rb") as file:
            text = compile(file.read(), path, "exec", dont_inherit=True)
        with pretend_gpu.Pretence() if request["interpret"] else contextlib.nullcontext():
            exec(text, module.__dict__)
        code = 0
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
        if exc.code is not None and not isinstance(exc.code, int):
            print(exc.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    return code & 0xFF


def watch(pid: int, out: int, err: int) -> tuple[int, bytes, bytes]:
    """Collects both streams until the process has ended; returns its wait status."""
    pidfd = os.pidfd_open(pid)
    texts = {out: bytearray(), err: bytearray()}
    poll = select.poll()
    for fd in (out, err, pidfd):
        os.set_blocking(fd, False) if fd != pidfd else None
        poll.register(fd, select.POLLIN)
    ended = False
    while not ended:
        events = poll.poll()
        ended = any(fd == pidfd for fd, _ in events)
        for fd in texts:
            with contextlib.suppress(BlockingIOError):
                while part := os.read(fd, 1 << 16):
                    texts[fd] += part[: max(0, OUTPUT_LIMIT - len(texts[fd]))]
                poll.unregister(fd) if any(fd == seen for seen, _ in events) else None
    return os.waitpid(pid, 0)[1], bytes(texts[out]), bytes(texts[err])


def run(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), "test")
    os.makedirs(folder)
    name = os.path.basename(request["filename"])
    path = os.path.join(folder, "test_kernel.py" if name in (KERNEL, PROBLEM) or not name.endswith(".py") else name)
    for fd, target in zip(fds, (path, os.path.join(folder, KERNEL), os.path.join(folder, PROBLEM))):
        with open(target, "wb") as file:
            file.write(read_all(fd, SOURCE_LIMIT))
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.dup2(out_end, 1)
            os.dup2(err_end, 2)
            os.closerange(3, 4096)
            code = execute(request, path)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(out_end)
    os.close(err_end)
    status, printed, complained = watch(pid, out, err)
    output = printed.decode("utf-8", "replace")
    said = (output + "\n" + complained.decode("utf-8", "replace")).strip().replace(request["sentinel"], "<sentinel>")
    return {
        "ok": True,
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "passed": says_pass(output, request["sentinel"]),
        "said": said[-TAIL_CHARS:].replace(folder + "/", ""),
    }


def main(conn: Conn) -> None:
    """One script per process."""
    packet = conn.recv()
    if packet is None:
        return
    request, fds = packet
    try:
        answer = run(request, fds)
    except BaseException as exc:
        answer = error_answer("harness", exc)
    conn.send(answer)
    conn.recv()  # the judge ends us

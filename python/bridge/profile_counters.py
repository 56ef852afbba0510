"""The child that runs Nsight Compute around profile_target.py, and hands over what it wrote.

One request, one answer. ncu starts the program that it watches itself, so that program is a fresh interpreter: the scripts of this package are
written out for it. Everything happens in the sandbox that this process is in.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import Any

from ka_bridge.conn import Conn, error_answer, one_line, read_all
from ka_bridge.reference import SOURCE_LIMIT

TABLE_LIMIT = 8 << 20
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from ka_bridge import profile_target; sys.exit(profile_target.main())"


def write_package(folder: str) -> None:
    """This package as files: the interpreter that has forked us keeps it in memory."""
    importer = next(finder for finder in sys.meta_path if type(finder).__name__ == "BridgeImporter")
    os.makedirs(os.path.join(folder, "ka_bridge"))
    for name, source in importer.sources.items():
        with open(os.path.join(folder, "ka_bridge", name + ".py"), "w", encoding="utf-8") as file:
            file.write(source)
    with open(os.path.join(folder, "ka_bridge", "__init__.py"), "a", encoding="utf-8"):
        pass


def watched(command: list[str], seconds: float) -> tuple[int | None, str]:
    """Exit code (none: it was killed at the limit) and the end of what was printed. The whole process group dies with it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=seconds)[0]
        return process.returncode, output.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0].decode("utf-8", "replace")


def counters(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), "ncu")
    write_package(folder)
    for name, data in (("problem.txt", read_all(fds[0], SOURCE_LIMIT)), ("kernel.txt", read_all(fds[1], SOURCE_LIMIT)),
                       ("request.json", json.dumps(request["target"]).encode())):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    table = os.path.join(folder, "table.csv")
    os.environ["TMPDIR"] = folder  # ncu's lock file and Triton's cache
    command = [*request["command"], "--log-file", table, sys.executable, "-c", START, folder, folder]
    code, said = watched(command, request["seconds"])
    text, failure = "", None
    if os.path.exists(table):
        with open(table, encoding="utf-8", errors="replace") as file:
            text = file.read(TABLE_LIMIT)
    if os.path.exists(os.path.join(folder, "failure.json")):
        with open(os.path.join(folder, "failure.json"), encoding="utf-8") as file:
            failure = json.load(file)["error"]["message"]
    return {"ok": True, "code": code, "table": text, "said": one_line(said[-2000:], 400), "failure": failure}


def main(conn: Conn) -> None:
    packet = conn.recv()
    if packet is None:
        return
    try:
        answer = counters(*packet)
    except OSError as exc:
        answer = error_answer("failed", None, message=str(exc))
    except BaseException as exc:
        answer = error_answer("harness", exc)
    conn.send(answer)
    conn.recv()

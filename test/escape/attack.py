"""Shared by the escape programs: each tries to break out of the sandbox that it runs in and says what happened.

The test puts this text before the text of an attack and runs both with `python3 -I -c`, so an attack is one file that only
calls `attempt`. Facts about the world outside come as JSON in the first argument. The last line of output is `contained` when every attempt failed as it
should, else one line per attempt that did not.
"""
import ctypes
import json
import os
import signal
import sys
import time
from typing import Any, Callable

WORLD: dict[str, Any] = json.loads(sys.argv[1])
LIBC = ctypes.CDLL(None, use_errno=True)
escapes: list[str] = []


def attempt(what: str, action: Callable[[], Any]) -> None:
    """The action must raise OSError; anything else is an escape."""
    try:
        got = action()
    except OSError as error:
        print(f"{what}: {error.strerror}")
        return
    escapes.append(f"{what}: succeeded with {str(got)[:100]!r}")


def call(number: int, *arguments: Any) -> int:
    """One raw system call; raises OSError."""
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1 << 20)


def write(path: str) -> str:
    with open(path, "ab") as file:
        file.write(b"x")
    return path


def other_pids() -> list[int]:
    """Every process that can be seen or was named from outside, but this one."""
    seen = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    seen.update(WORLD["pids"])
    seen.discard(os.getpid())
    return sorted(seen)


def finish() -> None:
    for line in escapes:
        print("ESCAPED", line)
    if not escapes:
        print("contained")
    sys.stdout.flush()
    os._exit(1 if escapes else 0)

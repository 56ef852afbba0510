"""libkernelagent.so by ctypes: finding it, and one class for a job. src/app/capi/kernelagent.h says what the functions promise."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Union

ABI = 1
LIBRARY = "libkernelagent.so"
PROGRAM = "kernelagent"
_HERE = Path(__file__).resolve().parent
# Between two looks at whether Ctrl-C was pressed.
_SLICE_MS = 100

FlagValue = Union[str, int, float, bool, None, "os.PathLike[str]"]


class KernelAgentError(RuntimeError):
    """The program could not do what was asked for, and it is not a matter of a kernel that is wrong.

    `exit_code` is that of the command line: 2 bad usage or input, 3 something is missing on this machine, 130 interrupted, 70 a bug.
    """

    def __init__(self, message: str, exit_code: int = 3) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def _folders() -> list[Path]:
    """Where the library and the program may lie: in the wheel, or in the build of the checkout that this file is part of."""
    preset = os.environ.get("KERNELAGENT_PRESET", "release")
    return [_HERE / "_native", _HERE.parents[1] / "build" / preset / "src" / "app"]


def _find(name: str, variable: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return Path(named)
    for folder in _folders():
        if (folder / name).is_file():
            return folder / name
    raise KernelAgentError(f"there is no {name}; in a checkout `./kernelagent doctor` builds it, and {variable} can name another one")


def program() -> Path:
    """The program that this package runs."""
    return _find(PROGRAM, "KERNELAGENT_PROGRAM")


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    path = _find(LIBRARY, "KERNELAGENT_LIBRARY")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise KernelAgentError(f"{path} cannot be loaded: {error}") from error
    handle, text = ctypes.c_int64, ctypes.c_void_p
    for name, result, arguments in (
        ("abi", ctypes.c_int, []),
        ("version", ctypes.c_char_p, []),
        ("start", handle, [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]),
        ("wait", ctypes.c_int, [handle, ctypes.c_int64]),
        ("events", text, [handle]),
        ("cancel", ctypes.c_int, [handle]),
        ("result", text, [handle]),
        ("free", None, [handle]),
        ("free_text", None, [text]),
    ):
        function = getattr(library, "kernelagent_" + name)
        function.restype, function.argtypes = result, arguments
    if library.kernelagent_abi() != ABI:
        raise KernelAgentError(f"{path} speaks version {library.kernelagent_abi()} of the interface, this package version {ABI}")
    return library


def _take(address: int | None) -> str | None:
    """A text that the library gave away."""
    if not address:
        return None
    try:
        return ctypes.string_at(address).decode("utf-8", errors="replace")
    finally:
        _library().kernelagent_free_text(address)


def abi() -> int:
    """The version of the C interface of the library."""
    return int(_library().kernelagent_abi())


def version() -> str:
    """The version of the library."""
    text: bytes = _library().kernelagent_version()
    return text.decode()


def own_environment() -> dict[str, str]:
    """What a job must know beside the environment: this interpreter, where it has torch and none is named."""
    if os.environ.get("KERNELAGENT_PYTHON") or not sys.executable or importlib.util.find_spec("torch") is None:
        return {}
    return {"KERNELAGENT_PYTHON": sys.executable}


class Job:
    """One run of the program in the background. May be used from several threads; leaving a `with` block ends it.

    `flags`: as on the command line, with underscores; True is a switch, False and None are left out.
    """

    def __init__(
        self,
        command: str,
        flags: Mapping[str, FlagValue] | None = None,
        words: Sequence[str] = (),
        folder: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str | None] | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._handle = 0
        self._result: dict[str, Any] | None = None
        request = {
            "command": command,
            "flags": {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in (flags or {}).items()},
            "words": list(words),
            "environment": {**own_environment(), **(environment or {})},
        }
        if folder is not None:
            request["folder"] = os.fspath(folder)
        error = ctypes.c_void_p()
        self._handle = _library().kernelagent_start(json.dumps(request).encode(), ctypes.byref(error))
        if self._handle == 0:
            raise KernelAgentError(_take(error.value) or "the job cannot be started", 2)

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until it has ended, at most so long; True when it has. Ctrl-C is noticed meanwhile."""
        left = None if seconds is None else max(0, round(seconds * 1000))
        while True:
            slice_ms = _SLICE_MS if left is None else min(left, _SLICE_MS)
            state = _library().kernelagent_wait(self._handle, slice_ms)
            if state != 0:
                return True
            if left is not None:
                left -= slice_ms
                if left <= 0:
                    return False

    def events(self) -> list[dict[str, Any]]:
        """What happened since the last call, as in events.jsonl."""
        lines = (_take(_library().kernelagent_events(self._handle)) or "").splitlines()
        return [json.loads(line) for line in lines if line]

    def cancel(self) -> None:
        """Asks it to end: it has, within two seconds. Returns at once."""
        _library().kernelagent_cancel(self._handle)

    def result(self) -> dict[str, Any] | None:
        """How it ended; None while it runs."""
        with self._lock:
            if self._result is None:
                text = _take(_library().kernelagent_result(self._handle))
                self._result = None if text is None else json.loads(text)
            return self._result

    def close(self) -> None:
        """Ends it if it still runs, and forgets it. What result() has returned stays."""
        with self._lock:
            handle, self._handle = self._handle, 0
        if handle:
            _library().kernelagent_free(handle)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self.close()

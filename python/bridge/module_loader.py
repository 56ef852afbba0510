"""Imports a foreign source file under a neutral name, from a file in the scratch folder.

The text goes to a real file, so that `inspect.getsource` (which Triton's decorators need) works, and tracebacks name
the file as the user knows it. The module's `__name__` is not "__main__": a self-test at the end of the file stays off.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import shutil
import sys
import tempfile
import traceback
import types
import warnings
from typing import Any

from ka_bridge import captured_judged, unused
from ka_bridge.conn import error_answer, one_line, read_all

MODULE_NAME = "kernel_file"
SOURCE_LIMIT = 16 * 1024 * 1024
AWKWARD = re.compile(r'[^ !#-\[\]-~]')  # compiled code names its file: ptxas reads no other characters, and no quotes


@functools.cache
def scratch_folder() -> str:
    """The folder of this process, in TMPDIR."""
    return tempfile.mkdtemp(prefix="kernel_", dir=os.environ.get("TMPDIR") or None)


def remove_scratch() -> None:
    shutil.rmtree(scratch_folder(), ignore_errors=True)


def write_source(fd: int, filename: str, entry: str | None) -> str:
    """Copies the text behind `fd` as write_text does; closes the descriptor."""
    try:
        text = read_all(fd, SOURCE_LIMIT)
    finally:
        os.close(fd)
    return write_text(text, filename, entry)


def write_text(data: bytes, filename: str, entry: str | None) -> str:
    """The text, without what nothing uses, in the scratch folder under its own name, as far as an assembler can read that."""
    text = without_unused(data, entry)
    base = AWKWARD.sub("_", os.path.basename(filename)) or "kernel.py"
    path = os.path.join(scratch_folder(), base if base.endswith(".py") else base + ".py")
    with open(path, "wb") as out:
        out.write(text)
    return path


def without_unused(data: bytes, entry: str | None) -> bytes:
    """The text that the policy has read (unused.py). One that is no Python, which the policy refuses, comes back as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = data.decode("utf-8").removeprefix("\ufeff")
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return data
    return unused.trimmed(source, tree, (entry,)).encode()


def import_source(path: str, captured: type | None = None) -> types.ModuleType:
    """Executes the file as a module, with `captured` in the place of its own class Captured, where it has one.

    Whatever it raises (SystemExit included) comes out as it is.
    """
    with open(path, "rb") as file:
        text = file.read()
    module = types.ModuleType(MODULE_NAME)
    if captured is not None and captured_judged.Captured.__name__.encode() in text:
        tree = ast.parse(text, path)
        if captured_judged.taken_out(tree):
            module.__dict__[captured_judged.Captured.__name__] = captured
        code = compile(tree, path, "exec", dont_inherit=True)
    else:
        code = compile(text, path, "exec", dont_inherit=True)
    module.__file__ = path
    sys.modules[MODULE_NAME] = module
    exec(code, module.__dict__)
    return module


def root_cause(exc: BaseException) -> BaseException:
    """The first exception of an explicit chain: Triton wraps what a kernel's body raises."""
    seen = {id(exc)}
    while exc.__cause__ is not None and id(exc.__cause__) not in seen:
        exc = exc.__cause__
        seen.add(id(exc))
    return exc


def failure(kind: str, exc: BaseException, path: str, message: str | None = None, **extra: Any) -> dict[str, Any]:
    """The error answer for something that foreign code raised: innermost cause, its line in the file, the traceback."""
    cause = root_cause(exc)
    answer = error_answer(kind, cause, filename=path, message=message, **extra)
    error = answer["error"]
    if error["line"] is None and cause is not exc:
        outer = error_answer(kind, exc, filename=path)["error"]
        error["line"], error["traceback"] = outer["line"], outer["traceback"]
    if not error["traceback"]:
        try:
            error["traceback"] = "".join(traceback.format_tb(cause.__traceback__))[-4000:]
        except BaseException:
            error["traceback"] = ""
    error["traceback"] = error["traceback"].replace(path, os.path.basename(path))
    error["message"] = one_line(error["message"].replace(path, os.path.basename(path)))
    return answer

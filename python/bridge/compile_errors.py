"""What Triton's compiler objects to, in one line with the line of the file."""

from __future__ import annotations

import os
import re

from triton.compiler import errors as compiler_errors
from triton.runtime import errors as runtime_errors

from ka_bridge.conn import one_line

RESOURCES = tuple(getattr(runtime_errors, name) for name in ("OutOfResources", "PTXASError")
                  if hasattr(runtime_errors, name))
REFUSALS = (compiler_errors.CompilationError, *RESOURCES)


def is_refusal(exc: BaseException) -> bool:
    """Whether an exception says that a kernel cannot be compiled for, or does not fit on, the GPU."""
    return isinstance(exc, REFUSALS) or (isinstance(exc, RuntimeError) and "PassManager::run failed" in str(exc))


def out_of_resources(exc: BaseException) -> bool:
    """Whether Triton's autotuner would pass over a configuration that ends so."""
    skipped = getattr(compiler_errors, "CompileTimeAssertionFailure", None)
    return isinstance(exc, RESOURCES) or (skipped is not None and isinstance(exc, skipped))


def readable_error(exc: BaseException, path: str, log: str) -> tuple[str, int | None]:
    """One line that says what the compiler objects to, and the line of the file: the innermost cause that has them."""
    line: int | None = None
    text = ""
    current: BaseException | None = exc
    for _ in range(32):
        if current is None:
            break
        node, message = getattr(current, "node", None), getattr(current, "error_message", None)
        if node is not None and getattr(node, "lineno", None) is not None:
            line = line_in_file(path, getattr(current, "src", None), node.lineno) or line
            text = str(message) if message else text
        elif not text or not isinstance(current, AssertionError) or str(current):
            text = plain_text(current)
        current = current.__cause__
    if isinstance(exc, RuntimeError) and (noted := re.search(r"error: (.*)", log)):
        text = noted.group(1)
    found = re.search(re.escape(path) + r":(\d+)", text) or re.search(re.escape(path) + r"\"?:(\d+):\d+\)?: error", log)
    if found and line is None:
        line = int(found.group(1))
    text = one_line(text.replace(path, os.path.basename(path)), 400) or type(exc).__name__
    return (f"{text} (line {line})" if line else text), line


def plain_text(exc: BaseException) -> str:
    if isinstance(exc, LookupError) and exc.args:
        return str(exc.args[0])
    return str(exc) or type(exc).__name__


def line_in_file(path: str, source: Any, number: int) -> int | None:
    """Compiler errors count lines from the kernel's `def`; this finds where that text starts in the file."""
    if not isinstance(source, str):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    first = source.splitlines()[0].strip() if source else ""
    for index, text in enumerate(lines):
        if text.strip() == first:
            return index + number
    return None

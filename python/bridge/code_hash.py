"""The child that compiles recorded launches, as compile_check.py does, and says of each a number that is the same for the same code."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import triton
from triton.backends.nvidia.compiler import CUDABackend

from ka_bridge import compile_check
from ka_bridge.conn import Conn


def plain_code(ptx: str, name: str) -> str:
    """Without comments, empty lines and the name of the kernel."""
    lines = (re.sub(r"//.*", "", line).strip() for line in ptx.replace(name, "kernel").splitlines())
    return "\n".join(line for line in lines if line)


def look(compiled: Any, log: str) -> dict[str, Any]:
    about = compiled.metadata
    key = f"{about.num_warps} {getattr(about, 'num_ctas', 1)} {about.shared}\n{plain_code(compiled.asm['ptx'], about.name)}"
    return {"code_hash": hashlib.sha256(key.encode()).hexdigest()}


def main(conn: Conn) -> None:
    CUDABackend.make_cubin = lambda self, ptx, *_: b""  # what the assembler makes follows from its text
    triton.knobs.compilation.disable_line_info = True  # where a line stands in the file is no part of what it does
    compile_check.main(conn, look)

"""The child that compiles recorded launches, as compile_check.py does, and hands over what their code looks like.

Besides registers, spills and shared memory: the machine's own instructions as text, by the disassembler that comes with Triton; where it does
not answer, the text that Triton gave to the assembler. What the text says is counted on the other side.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from typing import Any

import triton

from ka_bridge import compile_check
from ka_bridge.conn import Conn

DISASSEMBLER = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "nvdisasm")
DISASSEMBLER_SECONDS = 20
CODE_LIMIT = 4 << 20  # characters; an answer has room for 16 million bytes
NUMBERS = {"stack_bytes": r"(\d+) bytes stack frame", "spill_loads": r"(\d+) bytes spill loads"}


def disassembled(cubin: bytes) -> str | None:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            done = subprocess.run([DISASSEMBLER, "-c", file.name], capture_output=True, timeout=DISASSEMBLER_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 and done.stdout else None


def look(compiled: Any, log: str) -> dict[str, Any]:
    seen: dict[str, Any] = {"num_warps": int(compiled.metadata.num_warps), "num_stages": int(getattr(compiled.metadata, "num_stages", 0)),
                            "num_ctas": int(getattr(compiled.metadata, "num_ctas", 1))}
    for name, pattern in NUMBERS.items():
        found = re.search(pattern, log)
        seen[name] = int(found.group(1)) if found else None
    code = disassembled(compiled.asm["cubin"]) if "cubin" in compiled.asm else None
    text, form = (code, "sass") if code else (compiled.asm.get("ptx", ""), "ptx")
    return seen | {"code": text[:CODE_LIMIT], "code_form": form, "code_cut": len(text) > CODE_LIMIT}


def main(conn: Conn) -> None:
    compile_check.main(conn, look)

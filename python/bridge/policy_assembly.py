"""Inline assembly in kernels: a literal text of register arithmetic."""

from __future__ import annotations

import ast
import re
from typing import Callable

from ka_bridge import policy_lists as lists

MAX_ASSEMBLY = 4096
ASM_INSTRUCTION = re.compile(r"(?:^|[;{}\n])\s*(?:@!?\S+\s+)?(\.?[A-Za-z_][\w]*)")
ASM_SPECIAL = re.compile(r"%(?!r|f|p|h|d|t|tmp)[a-z]")


def judge(node: ast.Call, refuse: Callable[[str, ast.AST, str], None]) -> None:
    text = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "asm"), None)
    if not (isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) <= MAX_ASSEMBLY):
        refuse("policy.name", node, "inline assembly that is not a literal text of reasonable length")
        return
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text.value, flags=re.DOTALL)
    for word in ASM_INSTRUCTION.findall(code):
        if word not in lists.ASSEMBLY and word != ".reg":
            refuse("policy.name", node, f"inline assembly instruction {word}")
    if ASM_SPECIAL.search(code) or "[" in code:
        refuse("policy.name", node, "inline assembly that uses memory or special registers")

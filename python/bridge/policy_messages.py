"""What a kernel file may do with `warnings` and `logging`: say something, and ask for silence.

Both modules can also be turned against the process that imports them (a filter that makes errors of warnings, a handler that opens a file, a
hook that is called in foreign places), so only these calls are allowed, and only as calls, with arguments that can be read off.
"""

from __future__ import annotations

import ast
from typing import Callable

CONSTANTS = frozenset(f"logging.{level}" for level in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
SAYING = frozenset({"warnings.warn", *(f"logging.{level}" for level in ("debug", "info", "warning", "error", "critical"))})
CALLS = SAYING | {"warnings.filterwarnings", "warnings.simplefilter", "warnings.catch_warnings", "logging.getLogger", "logging.basicConfig"}
# What a logger has besides; none of it means anything on a tensor, a layer or a kernel that a file could use against the judge.
LOGGER_ATTRIBUTES = frozenset({"debug", "info", "warning", "error", "critical"})

KEYWORDS = {
    "warnings.warn": {"category", "stacklevel"},
    "warnings.filterwarnings": {"category"},
    "warnings.simplefilter": {"category"},
    "logging.basicConfig": {"level", "format", "datefmt"},
}


def is_own_name(node: ast.Call) -> bool:
    """(__name__), as in logging.getLogger(__name__)"""
    return len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id == "__name__"


def judge(path: str, node: ast.Call, refuse: Callable[[str, ast.AST, str], None]) -> None:
    """Refuses a call of one of CALLS that does more than it is listed for."""
    given = {keyword.arg for keyword in node.keywords}
    starred = None in given or any(isinstance(arg, ast.Starred) for arg in node.args)
    if path in SAYING and path != "warnings.warn":
        return
    if starred or not given <= KEYWORDS.get(path, set()):
        refuse("policy.name", node, f"{path} with arguments that a kernel does not need")
    elif path in ("warnings.filterwarnings", "warnings.simplefilter"):
        action = node.args[0] if len(node.args) == 1 else None
        if not (isinstance(action, ast.Constant) and action.value == "ignore"):
            refuse("policy.name", node, f'{path} with more than "ignore"')
    elif path == "warnings.warn" and len(node.args) > 3 or path == "logging.getLogger" and len(node.args) > 1:
        refuse("policy.name", node, f"{path} with arguments that a kernel does not need")
    elif path in ("warnings.catch_warnings", "logging.basicConfig") and node.args:
        refuse("policy.name", node, f"{path} with arguments that a kernel does not need")

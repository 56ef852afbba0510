"""What texts tell: `source` about the problem (for the route, and for files that build the module again), `parse` whether a text is Python."""

from __future__ import annotations

import ast
from typing import Any

from ka_bridge import constructor, route_facts

NEW_NAME = "ModelNew"


def about(text: str, target: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"ok": True, "features": route_facts.facts(ast.parse(text), target)}
    try:
        answer["constructor"] = constructor.parts(text, target, NEW_NAME)
    except constructor.NoConstructor as exc:
        answer["no_constructor"] = str(exc)
    return answer


def parse(text: str) -> dict[str, Any]:
    try:
        ast.parse(text)
    except SyntaxError as exc:
        return {"ok": True, "syntax_error": f"line {exc.lineno}: {exc.msg}"}
    except (ValueError, RecursionError, MemoryError) as exc:  # zero bytes; brackets too deep for the parser
        return {"ok": True, "syntax_error": f"{type(exc).__name__}: {exc}"}
    return {"ok": True, "syntax_error": ""}

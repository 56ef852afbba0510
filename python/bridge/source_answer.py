"""The `source` command: what the text of the problem tells, for the route and for files that build the module again."""

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

"""What a program returns besides its tensors: how they are packed.

A tensor, and a flat tuple or list of tensors, go by those names. Anything else is written as Python writes it, with `_` for a tensor: `(_, (_, None))`,
`{'logits': _, 'states': [_, _]}`. Dictionaries are taken in the order of their keys, so that the order in which a kernel fills its own does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DEPTH = 8
LEAVES = 1 << 20
KEY_LENGTH = 80
_type_name = type.__dict__["__name__"].__get__
_sorted = sorted
_items = dict.items


class NotPacked(Exception):
    """Something is returned that is not made of tensors; the message names it."""


def packed(value: Any, is_leaf: Callable[[Any], bool], exact: bool) -> tuple[str, list[Any]]:
    """The name or text of the structure, and its leaves in order. `exact`: subclasses count as foreign, none of their methods is called."""
    leaves: list[Any] = []
    if is_leaf(value):
        return "tensor", [value]
    text = _text(value, is_leaf, exact, leaves, 0)
    for name, opened, closed in (("tuple", "(", ")"), ("list", "[", "]")):
        flat = ", ".join("_" * len(leaves))
        if leaves and text == opened + flat + ("," if name == "tuple" and len(leaves) == 1 else "") + closed:
            return name, leaves
    return text, leaves


def _text(value: Any, is_leaf: Callable[[Any], bool], exact: bool, leaves: list[Any], depth: int) -> str:
    if value is None:
        return "None"
    if is_leaf(value):
        leaves.append(value)
        if len(leaves) > LEAVES:
            raise NotPacked(f"more than {LEAVES} tensors")
        return "_"
    if depth >= DEPTH:
        raise NotPacked(f"more than {DEPTH} levels")
    kind = type(value)
    if kind is tuple or (not exact and isinstance(value, tuple)):
        parts = [_text(part, is_leaf, exact, leaves, depth + 1) for part in tuple.__iter__(value)]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if kind is list:
        return f"[{', '.join(_text(part, is_leaf, exact, leaves, depth + 1) for part in list.__iter__(value))}]"
    if kind is dict or (not exact and isinstance(value, dict)):
        rows = list(_items(value))
        for key, _ in rows:
            if type(key) is not str or len(key) > KEY_LENGTH or not key.isidentifier():
                raise NotPacked("a dictionary whose keys are not plain words")
        parts = [f"{key!r}: {_text(part, is_leaf, exact, leaves, depth + 1)}" for key, part in _sorted(rows, key=lambda row: row[0])]
        return f"{{{', '.join(parts)}}}"
    raise NotPacked(_type_name(kind)[:KEY_LENGTH])

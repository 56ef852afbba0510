"""The definitions of several parts in one file: equal ones once, different ones of the same name under different names.

Two definitions are equal when their trees are, up to their own name, and what they refer to is equal in turn. That is found by refinement:
all that look alike begin in one class, and a class is split while its members refer to different classes; so helpers that call one another
need no special care. Names are replaced at the positions that the tree gives, and the new text is read again: it must be the tree that was meant.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ka_bridge.compose_part import BUILTINS, ENTRY, Item, Part

Key = int  # a class of equal definitions
Slot = tuple[Key, int]  # one of the names that its members bind
RESERVED = frozenset({ENTRY, "self_test"})  # what the composed file defines itself
DEFINITION = re.compile(rb"(?:async\s+)?(?:def|class)\s+")


class Merge:
    def __init__(self, parts: list[Part], local: Iterable[str]) -> None:
        """`local`: the names inside the composed kernel_function, which a part's function must not have."""
        self.parts = parts
        self.items = [item for part in parts for item in part.items]
        self.keys = self.classes()
        self.first: dict[Key, Item] = {}
        for item in self.items:
            self.first.setdefault(self.keys[item], item)
        self.users = self.find_users()
        self.free = {node.id for item in self.items for node in item.free if node.id not in self.parts[item.part].bindings}
        self.names: dict[Slot, str] = {}
        self.taken: set[str] = set(RESERVED)
        self.choose_names(set(local))

    # ---- equal definitions

    def classes(self) -> dict[Item, Key]:
        looks: dict[Any, int] = {}
        keys = {item: looks.setdefault(self.look(item), len(looks)) for item in self.items}
        count = 0
        while len(looks) != count:
            count, looks = len(looks), {}
            keys = {item: looks.setdefault((keys[item], *self.targets(item, keys)), len(looks)) for item in self.items}
        return keys

    def look(self, item: Item) -> Any:
        part = self.parts[item.part]
        if item.kind == "import":
            return ("import", item.names, item.path, bool(item.plain))
        if not part.may_be_shared(item):
            return ("own", item.part, item.names)
        names = item.names if item.kind == "value" else ()
        return (item.kind, names, renamed(item, {id(node): "?" for node in item.free}, ["?"] * len(item.names), ast.dump))

    def targets(self, item: Item, keys: dict[Item, Key]) -> list[Any]:
        """What the free names of an item mean, in the order of the text."""
        found: list[Any] = []
        for node in item.free:
            target = self.parts[item.part].bindings.get(node.id)
            found.append(node.id if target is None else (keys[target], target.names.index(node.id)))
        return found

    def slot(self, item: Item, name: str) -> Slot | None:
        target = self.parts[item.part].bindings.get(name)
        return None if target is None else (self.keys[target], target.names.index(name))

    # ---- names

    def find_users(self) -> dict[Slot, list[tuple[Item, str]]]:
        """Who refers to it, and by which name."""
        users: dict[Slot, list[tuple[Item, str]]] = defaultdict(list)
        for item in self.items:
            for name in dict.fromkeys(node.id for node in item.free):
                slot = self.slot(item, name)
                if slot is not None:
                    users[slot].append((item, name))
        return users

    def choose_names(self, local: set[str]) -> None:
        """Imports keep their names before all others, then come the parts' functions, which are named after the parts."""
        rank = {"import": 1, "value": 3, "class": 3, "function": 3}
        entries = {self.keys[part.entry]: part for part in reversed(self.parts)}
        originals = {name for item in self.items for name in item.names}
        for key, item in sorted(self.first.items(), key=lambda pair: 0 if pair[1].plain else 2 if pair[0] in entries else rank[pair[1].kind]):
            for place, name in enumerate(item.names):
                slot = (key, place)
                if key in entries:
                    wanted = entries[key].name
                    tries = chain([wanted, f"{wanted}_part"], numbered(f"{wanted}_part", originals))
                    chosen = next(name for name in tries if name not in local and name not in BUILTINS and self.is_fit(name, slot))
                else:
                    chosen = next(name for name in chain([name], numbered(name, originals)) if self.is_fit(name, slot))
                self.names[slot] = chosen
                self.taken.add(chosen)

    def is_fit(self, name: str, slot: Slot) -> bool:
        """No other definition has it, no part means a builtin by it, and no user that knew another name has a variable of this one."""
        hidden = any(known != name and name in item.inner for item, known in self.users[slot])
        return name not in self.taken and name not in self.free and not hidden

    # ---- text

    def imports(self) -> str:
        lines: dict[str, list[str]] = {}
        if any(part.annotations for part in self.parts):
            lines["from __future__ import annotations"] = []
        for item in self.items:
            name = self.names[(self.keys[item], 0)] if item.kind == "import" else ""
            if item.plain:
                lines.update({f"import {path}": [] for path in sorted({*item.plain, item.path})})
            elif ":" in item.path:
                module, _, thing = item.path.partition(":")
                found = lines.setdefault(f"from {module} import ", [])
                found += [text for text in [thing if thing == name else f"{thing} as {name}"] if text not in found]
            elif item.kind == "import":
                lines[f"import {item.path} as {name}"] = []
        return "".join(f"{line}{', '.join(things)}\n" for line, things in lines.items())

    def definitions(self) -> str:
        texts: list[str] = []
        before = ""
        for key, item in self.first.items():
            if item.kind != "import":
                texts.append(("\n" if item.kind == before == "value" else "\n\n\n") + self.text_of(key, item))
                before = item.kind
        return "".join(texts).lstrip("\n") + "\n"

    def text_of(self, key: Key, item: Item) -> str:
        new = {id(node): self.names[slot] for node in item.free if (slot := self.slot(item, node.id)) is not None}
        own = [self.names[(key, place)] for place in range(len(item.names))]
        lines = self.parts[item.part].lines
        changed = [node for node in item.free if new.get(id(node), node.id) != node.id]
        edits = [(node.lineno, node.col_offset, node.id, new[id(node)]) for node in changed]
        if item.kind != "value" and own[0] != item.names[0]:  # the names of a value are among the free ones
            found = DEFINITION.match(lines[item.node.lineno - 1], item.node.col_offset)
            edits += [(item.node.lineno, found.end(), item.names[0], own[0])] if found else []
        if stands_alone(item.node, lines):
            text = cut(edited(lines, edits), item)
            if reads_as(text, renamed(item, new, own, ast.dump)):
                return text
        return renamed(item, new, own, ast.unparse)

    def functions(self) -> dict[str, str]:
        return {part.name: self.names[(self.keys[part.entry], 0)] for part in self.parts}

    def kernels(self, items: Iterable[Item] | None = None) -> list[str]:
        """The names of kernels that host code launches, in the order of the file."""
        found = [(self.keys[item], 0) for item in (self.items if items is None else items) if item.jit]
        return list(dict.fromkeys(self.names[slot] for slot in found if any(not user.jit for user, _ in self.users[slot])))


def numbered(name: str, avoid: set[str]) -> Iterator[str]:
    """conv_kernel_1, conv_kernel_2, ... but for those that a part has already."""
    stem = re.sub(r"_\d+$", "", name)
    number = 0
    while True:
        number += 1
        if f"{stem}_{number}" not in avoid:
            yield f"{stem}_{number}"


def renamed(item: Item, new: dict[int, str], own: list[str], then: Any) -> str:
    """then(statement) with other names in it; the statement is as before afterwards."""
    before = [node.id for node in item.free]
    try:
        for node in item.free:
            node.id = new.get(id(node), node.id)
        if item.kind in ("function", "class"):
            item.node.name = own[0]
        return then(item.node)
    finally:
        for node, name in zip(item.free, before):
            node.id = name
        if item.kind in ("function", "class"):
            item.node.name = item.names[0]


def reads_as(text: str, wanted: str) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    return len(tree.body) == 1 and ast.dump(tree.body[0]) == wanted


def stands_alone(node: Any, lines: list[bytes]) -> bool:
    """Whether its lines hold nothing else but comments."""
    rest = lines[node.end_lineno - 1][node.end_col_offset :].strip()
    return not node.col_offset and (not rest or rest.startswith(b"#"))


def edited(lines: list[bytes], edits: list[tuple[int, int, str, str]]) -> list[bytes]:
    lines = list(lines)
    for line, column, old, new in sorted(set(edits), reverse=True):
        text = lines[line - 1]
        if text[column : column + len(old.encode())] == old.encode():
            lines[line - 1] = text[:column] + new.encode() + text[column + len(old.encode()) :]
    return lines


def cut(lines: list[bytes], item: Item) -> str:
    """The lines of a statement, with its decorators and the comments right above it."""
    start = min([item.node.lineno, *(decorator.lineno for decorator in getattr(item.node, "decorator_list", []))])
    while start - 1 > item.after and lines[start - 2].startswith(b"#"):
        start -= 1
    return b"\n".join(lines[start - 1 : item.node.end_lineno]).decode().rstrip()

"""Every header compiles alone: with nothing before it but what it includes itself.

Compiling each of them from nothing costs as much as the program. What a header includes, directly or through others, may stand before it without
hiding anything; so a header that others include is compiled once beforehand, and headers of which each includes the one before share a compilation.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
BUILD = ROOT / "build" / os.environ.get("KERNELAGENT_PRESET", "release")
CHECKED = BUILD / "headers_checked.json"  # what was compiled and is as it was is not compiled again
WORTH_IT = 40  # what compiling a header beforehand must save; a header of the standard library counts 3, one of ours 1
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


class Tree:
    """The headers below a folder: what each includes, directly or through others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts = {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*.h"))}
        self._direct = {name: [ours or f"<{system}>" for ours, system in INCLUDE.findall(text)] for name, text in self.texts.items()}
        self.below = {name: frozenset(self._reach(name) - {name}) for name in self.texts}
        self.weight = {name: 1 + sum(3 if other.startswith("<") else 1 for other in below) for name, below in self.below.items()}

    def _reach(self, name: str) -> set[str]:
        seen: set[str] = set()
        todo = [name]
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += self._direct.get(one, [])
        return seen

    def chains(self) -> list[list[str]]:
        """All headers, each chain in an order in which every header includes all before it."""
        chains: list[list[str]] = []
        for name in sorted(self.texts, key=lambda one: (len(self.below[one]), one)):
            ends = [chain for chain in chains if chain[-1] in self.below[name]]
            if ends:
                max(ends, key=lambda chain: self.weight[chain[-1]]).append(name)
            else:
                chains.append([name])
        return chains

    def compiled_beforehand(self, chains: Iterable[list[str]]) -> list[str]:
        """The headers for which that pays, the one that saves most first."""
        firsts = [chain[0] for chain in chains]
        chosen: list[str] = []
        gain = {first: 0 for first in firsts}
        while True:
            saved = {name: sum(max(0, self.weight[name] - gain[first]) for first in firsts if name in self.below[first]) - self.weight[name] for name in self.texts}
            best = max(saved, key=lambda name: saved[name], default="")
            if not best or saved[best] < WORTH_IT:
                return chosen
            chosen.append(best)
            gain.update({first: max(gain[first], self.weight[best]) for first in firsts if best in self.below[first]})


def compiler() -> list[str]:
    """The compiler and the flags of the build, without its folders."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    words = shlex.split(next(entry["command"] for entry in commands if "/ka_ir.dir/" in entry["command"]))
    words = words[1:] if Path(words[0]).name == "ccache" else words
    return [words[0], *(word for word in words[1:] if word.startswith(("-D", "-O", "-W", "-f", "-std", "-g", "-m")))]


def identity(command: list[str], tree: Tree, chain: list[str]) -> str:
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True, check=True).stdout
    texts = {name: tree.texts[name] for name in {*chain, *tree.below[chain[-1]]} if name in tree.texts}
    return hashlib.sha256(json.dumps([version, command, chain, texts], sort_keys=True).encode()).hexdigest()


def complaints(root: Path, known: set[str]) -> tuple[list[str], set[str]]:
    """What the compiler says about the headers below `root`, and the chains that it accepts (those of `known` are not tried again)."""
    tree = Tree(root)
    command = [*compiler(), f"-I{root}"]
    keys = {identity(command, tree, chain): chain for chain in tree.chains()}
    todo = {key: chain for key, chain in keys.items() if key not in known}
    found, accepted = [], set(keys) & known
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        ready: dict[str, Path] = {}
        for number, name in enumerate(tree.compiled_beforehand(todo.values())):
            given = Path(folder) / f"given_{number}.h"
            given.write_text(f'#include "{name}"\n')
            if subprocess.run([*command, "-x", "c++-header", str(given), "-o", f"{given}.gch"], capture_output=True, check=False).returncode == 0:
                ready[name] = given
        for key, chain in todo.items():
            usable = sorted((name for name in ready if name in tree.below[chain[0]]), key=lambda name: tree.weight[name])
            given_flags = ["-include", str(ready[usable[-1]])] if usable else []
            text = "".join(f'#include "{name}"\n#include "{name}"\n' for name in chain)
            done = subprocess.run([*command, *given_flags, "-fsyntax-only", "-x", "c++", "-"], input=text, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                accepted.add(key)
            else:
                found.append(f"{' '.join(chain)}\n{done.stderr[:3000]}")
    return found, accepted


class Headers(unittest.TestCase):
    def test_each_compiles_alone(self) -> None:
        known = set(json.loads(CHECKED.read_text())) if CHECKED.exists() else set()
        found, accepted = complaints(SOURCE, known)
        CHECKED.write_text(json.dumps(sorted(accepted)))
        self.assertEqual(found, [], "\n".join(found))

    def test_all_of_them_are_tried(self) -> None:
        tree = Tree(SOURCE)
        chains = tree.chains()
        self.assertGreater(len(tree.texts), 200)
        self.assertEqual(sorted(name for chain in chains for name in chain), sorted(tree.texts))
        for chain in chains:
            for i, name in enumerate(chain):
                self.assertLessEqual(set(chain[:i]), tree.below[name])


class Faults(unittest.TestCase):
    """Each of these is found although the headers around it are right."""

    FILES = {
        "text.h": "#pragma once\n#include <string>\nnamespace t { struct Text { std::string s; }; }\n",
        "list.h": '#pragma once\n#include <vector>\n#include "text.h"\nnamespace t { struct List { std::vector<Text> rows; }; }\n',
        "page.h": '#pragma once\n#include "list.h"\nnamespace t { struct Page { List list; }; }\n',
    }

    def said(self, **files: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.FILES, **{name + ".h": text for name, text in files.items()}}.items():
                (Path(folder) / name).write_text(text)
            return "\n".join(complaints(Path(folder), set())[0])

    def test_right_ones_pass(self) -> None:
        self.assertEqual(self.said(), "")

    def test_wrong_ones_are_named(self) -> None:
        said = self.said(
            alone="#pragma once\nnamespace t { struct Alone { std::vector<int> rows; }; }\n",
            beside='#pragma once\n#include "text.h"\nnamespace t { struct Beside { List list; }; }\n',
            twice='#include "page.h"\nnamespace t { struct Twice { Page page; }; }\n',
            unused='#pragma once\n#include "page.h"\nnamespace t { inline int half(double x) { return x / 2; } }\n',
        )
        for name in ("alone", "beside", "twice", "unused"):
            self.assertIn(f"{name}.h:", said)
        self.assertNotIn("page.h:2:", said)


if __name__ == "__main__":
    unittest.main()

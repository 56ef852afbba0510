"""The shape of the source tree: layers include downwards only, lists are complete, texts keep to the project."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

# Which folders a folder may include. Stages know nothing of each other.
BELOW = {
    "base": set(),
    "os": {"base"},
    "ir": {"base"},
    "model": {"base", "os", "ir"},
    "store": {"base", "os"},
    "bridge": {"base", "os", "ir", "model"},
    "problem": {"base", "os", "ir", "model", "bridge"},
    "route": {"base", "os", "ir", "model", "bridge"},
    "compose": {"base", "os", "ir", "model", "bridge"},
    "graph": {"base", "os", "ir", "model", "bridge"},
    "partition": {"base", "os", "ir", "model", "bridge"},
    "synth": {"base", "os", "ir", "model", "bridge"},
    "verify": {"base", "os", "ir", "model", "bridge"},
    "bench": {"base", "os", "ir", "model", "bridge"},
    "profile": {"base", "os", "ir", "model", "bridge"},
    "optimise": {"base", "os", "ir", "model", "bridge"},
    "report": {"base", "os", "ir", "model"},
    "pipeline": {"base", "os", "ir", "model", "bridge", "problem", "route", "graph", "partition", "synth", "verify", "compose", "bench", "optimise", "store"},
    "app": {"base", "os", "ir", "model", "bridge", "problem", "route", "graph", "partition", "synth", "verify", "compose", "bench", "profile", "optimise", "pipeline", "report", "store"},
}
THIRD_PARTY = {"nlohmann/json.hpp", "yaml-cpp/parser.h"}


def violations(files: dict[str, str]) -> list[str]:
    """Includes that point upwards or sideways; `files` maps a path below src/ to its text."""
    found = []
    for path, text in files.items():
        folder = path.split("/")[0]
        for line, include in enumerate(re.findall(r'^#include "([^"]+)"', text, re.MULTILINE), 1):
            target = include.split("/")[0]
            if target in BELOW and target != folder and target not in BELOW[folder]:
                found.append(f"{path}: include {line} reaches {include}")
        if path.endswith(".h"):
            found += [f"{path}: includes {header}" for header in THIRD_PARTY if f"#include <{header}>" in text]
    return found


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


class Layers(unittest.TestCase):
    def test_every_folder_has_a_place(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}
        self.assertEqual(folders - set(BELOW), set())

    def test_includes_point_downwards(self):
        files = {str(p.relative_to(SOURCE)): p.read_text() for p in SOURCE.rglob("*") if p.suffix in (".h", ".cc")}
        self.assertEqual(violations(files), [])

    def test_libcurl_stays_in_one_file(self):
        users = [str(p.relative_to(ROOT)) for p in tracked("src", "bench", "test") if p.suffix in (".h", ".cc") and "<curl/" in p.read_text()]
        self.assertEqual(users, ["src/os/http.cc"])

    def test_sqlite_stays_in_one_file(self):
        users = [str(p.relative_to(ROOT)) for p in tracked("src", "bench", "test") if p.suffix in (".h", ".cc") and "<sqlite3.h>" in p.read_text()]
        self.assertEqual(users, ["src/store/winners.cc"])

    def test_an_upward_include_is_found(self):
        self.assertEqual(len(violations({"base/x.h": '#include "os/files.h"\n'})), 1)
        self.assertEqual(len(violations({"verify/x.cc": '#include "problem/problem_file.h"\n'})), 1)
        self.assertEqual(len(violations({"base/x.h": "#include <nlohmann/json.hpp>\n"})), 1)
        self.assertEqual(violations({"os/x.cc": '#include "base/result.h"\n#include <nlohmann/json.hpp>\n'}), [])


class Lists(unittest.TestCase):
    def test_every_source_is_built(self):
        for path in SOURCE.rglob("*.cc"):
            lists = [f.read_text() for f in path.parent.glob("*.txt")] + [f.read_text() for f in path.parent.glob("*.cmake")]
            lists += [f.read_text() for f in [*path.parent.parent.glob("CMakeLists.txt"), *(ROOT / "cmake").glob("*.cmake")]]
            with self.subTest(path.relative_to(ROOT)):
                self.assertTrue(any(path.name in text for text in lists), "in no CMake list")


class Registration(unittest.TestCase):
    def test_every_test_program_is_run(self):
        build = ROOT / "build" / os.environ.get("KERNELAGENT_PRESET", "release")
        listed = subprocess.run(["ctest", "--test-dir", str(build), "-N"], capture_output=True, text=True, check=True).stdout
        lists = [path.read_text() for path in (*SOURCE.rglob("CMakeLists.txt"), *SOURCE.rglob("*.cmake"))]
        named = {name for text in lists for name in re.findall(r"ka_test\((\w+)", text)}
        self.assertGreater(len(named), 5)
        self.assertEqual({name for name in named if name not in listed}, set())


class Sizes(unittest.TestCase):
    def test_files_stay_readable(self):
        limits = {".h": 180, ".cc": 600, ".py": 420}
        for path in tracked("src", "python"):
            limit = limits.get(path.suffix)
            with self.subTest(path.relative_to(ROOT)):
                self.assertLessEqual(len(path.read_text().splitlines()), limit or 10**9)


if __name__ == "__main__":
    unittest.main()

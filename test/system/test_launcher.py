"""The script ./kernelagent: builds on first use and when a source is newer than the build, and else only runs the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest

import program

BOOTSTRAP = """#!/bin/sh
here=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
echo "$*" >> "$here/calls"
[ ! -e "$here/broken" ] || exit 3
mkdir -p "$here/build/$1/src/app"
printf '#!/bin/sh\\necho "ran $*"\\nexit 1\\n' > "$here/build/$1/src/app/kernelagent"
chmod +x "$here/build/$1/src/app/kernelagent"
touch "$here/build/$1/.bootstrapped"
"""
FILES = ("src/base/a.cc", "src/base/a_test.cc", "python/bridge/x.py", "cmake/targets.cmake", "CMakeLists.txt", "CMakePresets.json")


class Launcher(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        root = self.folder.path
        for name in (*FILES, "docs/a.md"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("")
            self.age(name, -1000)
        for folder in ("src", "src/base", "python", "python/bridge", "cmake"):
            self.age(folder, -1000)
        (root / "tools").mkdir()
        (root / "tools/bootstrap").write_text(BOOTSTRAP)
        (root / "tools/bootstrap").chmod(0o755)
        shutil.copy(program.ROOT / "kernelagent", root / "kernelagent")

    def age(self, name: str, seconds: float) -> None:
        path = self.folder.path / name
        now = path.stat().st_mtime + seconds
        os.utime(path, (now, now))

    def start(self) -> tuple[int, str, int]:
        """Exit code, standard output, how often the bootstrap was called so far."""
        environment = {name: value for name, value in os.environ.items() if name != "KERNELAGENT_PRESET"}
        done = subprocess.run([self.folder.path / "kernelagent", "verify", "a b"], capture_output=True, text=True,
                              timeout=60, env=environment)
        calls = self.folder.path / "calls"
        return done.returncode, done.stdout, len(calls.read_text().splitlines()) if calls.exists() else 0

    def test_first_use_builds_and_later_ones_do_not(self) -> None:
        self.assertEqual(self.start(), (1, "ran verify a b\n", 1))
        self.assertEqual(self.start(), (1, "ran verify a b\n", 1))

    def test_a_changed_source_is_built_once(self) -> None:
        self.start()
        for calls, name in enumerate(FILES, 2):
            self.age(name, 5000)
            self.assertEqual(self.start()[2], calls, name)
            self.age(name, -5000)
            self.assertEqual(self.start()[2], calls, name)

    def test_a_new_or_removed_file_counts(self) -> None:
        self.start()
        self.age("src/base", 5000)
        self.assertEqual(self.start()[2], 2)

    def test_what_is_not_built_does_not_count(self) -> None:
        self.start()
        cache = self.folder.path / "python/bridge/__pycache__"
        cache.mkdir()
        (cache / "x.pyc").write_text("")
        self.age("python/bridge", -1000)
        self.age("python/bridge/__pycache__", 5000)
        self.age("docs/a.md", 5000)
        self.assertEqual(self.start()[2], 1)

    def test_a_failed_build_runs_nothing(self) -> None:
        self.start()
        self.age("src/base/a.cc", 5000)
        (self.folder.path / "broken").write_text("")
        self.assertEqual(self.start(), (3, "", 2))
        self.assertEqual(self.start(), (3, "", 3))


if __name__ == "__main__":
    unittest.main()

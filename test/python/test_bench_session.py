"""What runs on a borrowed GPU (bench/gpu_session.py, bench/table.py): a cut loses nothing, and leaves nobody at work. Needs no GPU."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import gpu_session  # noqa: E402
from table import Table  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Rows(Case):
    def table(self, **options: object) -> Table:
        with contextlib.redirect_stdout(io.StringIO()):
            return Table(self.folder / "made" / "t.tsv", ("name", "way", "ms"), **options)

    def add(self, table: Table, *rows: tuple[object, ...]) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            table.add(*rows)

    def test_every_row_is_on_disk_at_once(self) -> None:
        table = self.table(head="# a GPU")
        self.add(table, ("a", "one", 1.5), ("a", "two\nlines\tand tabs", ""))
        self.assertEqual((self.folder / "made" / "t.tsv").read_text(), "# a GPU\nname\tway\tms\na\tone\t1.5\na\ttwo lines and tabs\t\n")

    def test_goes_on_behind_what_is_there(self) -> None:
        self.add(self.table(), ("a", 1, 1), ("b", 1, 2))
        table = self.table()
        self.assertTrue(table.has("a", 1) and table.has("b"))
        self.assertFalse(table.has("a", 2) or table.has("c"))
        self.add(table, ("c", 1, 3))
        self.assertEqual([row[0] for row in self.table().rows], ["a", "b", "c"])

    def test_the_last_group_may_lack_rows(self) -> None:
        self.add(self.table(), ("a", "one", 1), ("b", "one", 2), ("b", "two", 3))
        self.assertEqual([row[0] for row in self.table(row_by_row=True).rows], ["a"])

    def test_a_cut_line_and_another_gpu(self) -> None:
        self.add(self.table(head="# a GPU"), ("a", "one", 1))
        with (self.folder / "made" / "t.tsv").open("a") as file:
            file.write("b\ton")
        self.assertEqual([row[0] for row in self.table(head="# a GPU").rows], ["a"])
        self.assertEqual(self.table(head="# another GPU").rows, [])


class Session(Case):
    def run_step(self, script: str, seconds: float = 20.0, **options: object) -> gpu_session.Step:
        words = ["/bin/sh", "-c", script]
        step = gpu_session.Step("step", 1, words, **options)
        with contextlib.redirect_stdout(io.StringIO()):
            gpu_session.run(step, "/a/program", "/a/python", self.folder, seconds)
        return step

    def text(self) -> str:
        return (self.folder / "step.txt").read_text()

    def test_what_all_attempts_print_is_kept(self) -> None:
        self.run_step("echo first; exit 3")
        step = self.run_step("echo second $KERNELAGENT_PROGRAM $KERNELAGENT_PYTHON")
        self.assertIn("first\n", self.text())
        self.assertIn("second /a/program /a/python\n", self.text())
        self.assertEqual([line.split("\t")[1] for line in (self.folder / "steps.tsv").read_text().splitlines()], ["3", "0"])
        self.assertTrue(gpu_session.is_done(step, self.folder))

    def test_nobody_is_at_work_after_a_cut(self) -> None:
        """The step's child, which the step waits for, ends too: it would use the GPU while the next step measures."""
        with mock.patch.object(gpu_session, "GRACE_SECONDS", 0.5):
            step = self.run_step(f"trap '' INT; sh -c 'trap \"\" INT; echo $$ >{self.folder}/child; sleep 60; sleep 60'; true", 1.0)
        self.assertFalse(gpu_session.is_done(step, self.folder))
        child = int((self.folder / "child").read_text())
        for _ in range(100):
            if not os.path.exists(f"/proc/{child}") or "\nState:\tZ" in Path(f"/proc/{child}/status").read_text():
                return
            time.sleep(0.05)
        self.fail("it is still there")

    def test_an_interrupted_step_may_write_what_it_has(self) -> None:
        self.run_step("trap 'echo kept; exit 130' INT; while :; do sleep 0.1; done", 1.0)
        self.assertIn("kept\n", self.text())

    def test_a_suite_is_done_when_it_ends_by_itself(self) -> None:
        step = self.run_step("echo ended by --max-minutes 3: 4 of 5 tasks are left", resumes=True)
        self.assertFalse(gpu_session.is_done(step, self.folder))
        step = self.run_step("echo 5 verified", resumes=True)
        self.assertTrue(gpu_session.is_done(step, self.folder))

    def test_a_search_goes_on(self) -> None:
        search = self.folder / "search"
        step = gpu_session.Step("search", 4, ["kernelagent", "optimize", "--out", str(search), "--record", f"{search}.jsonl", "--max-minutes", "{minutes}"], search=search)
        (search / "input").mkdir(parents=True)
        Path(f"{search}.jsonl").write_text("")
        self.assertEqual(gpu_session.words_of(step, 160)[-2:], ["--max-minutes", "2.00"])
        self.assertFalse(search.exists() or Path(f"{search}.jsonl").exists())  # of one that has not come so far nothing is left
        search.mkdir()
        (search / "program_database.json").write_text("{}")
        self.assertEqual(gpu_session.words_of(step, 160), ["kernelagent", "optimize", "--resume", str(search), "--max-minutes", "2.00", "--verbose"])

    def test_a_run_that_is_not_verified_goes_on(self) -> None:
        self.assertFalse(gpu_session.is_done(self.run_step("exit 1", ends=("0",)), self.folder))
        self.assertTrue(gpu_session.is_done(self.run_step("exit 0", ends=("0",)), self.folder))

    def test_an_archive_travels(self) -> None:
        out, packed = self.folder / "session", self.folder / "session.tar.gz"
        (out / "families").mkdir(parents=True)
        (out / "families" / "results.jsonl").write_text("a row\n")
        gpu_session.archive(out, packed)
        there = self.folder / "there"
        there.mkdir()
        words = ["gpu_session.py", "--out", str(there / "session"), "--archive", str(packed), "--steps", "no such step"]
        with mock.patch.object(sys, "argv", words):
            self.assertEqual(gpu_session.main(), 0)
        self.assertEqual((there / "session" / "families" / "results.jsonl").read_text(), "a row\n")


if __name__ == "__main__":
    unittest.main()

"""`runs` as a user meets it: what is listed, how a run may be named, what is removed and what is not."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import unittest
from pathlib import Path

import program
import run_folders


class Case(unittest.TestCase):
    run_folder: Path
    shared: tempfile.TemporaryDirectory

    @classmethod
    def setUpClass(cls) -> None:
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.run_folder = run_folders.real_run(Path(cls.shared.name), "examples/softmax_rows.py", name="run_20261101_000000_aaaaaaaa")

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / ".fuse").mkdir()

    def add(self, name: str, day: int = 1, **summary: object) -> Path:
        """A copy of the real run that began on that day of November."""
        here = run_folders.copy_of(self.run_folder, name)
        out = self.root / ".fuse" / name
        here.rename(out)
        run_folders.change_json(out / "run.json", created=f"2020-11-{day:02}T00:00:00.000Z")
        run_folders.change_json(out / "summary.json", started=f"2020-11-{day:02}T00:00:00.000Z", finished=f"2020-11-{day:02}T00:00:02.000Z", **summary)
        return out

    def runs(self, *words: str | Path, code: int = 0) -> program.Finished:
        done = program.run("runs", *words, "--root", self.root)
        self.assertEqual(done.code, code, done.text())
        if code:
            self.assertEqual((done.out, len(done.err.splitlines())), ("", 1), done.text())
        return done

    def names(self) -> list[str]:
        return sorted(path.name for path in (self.root / ".fuse").iterdir())


class List(Case):
    def test_nothing_there(self) -> None:
        self.assertIn("no runs below", self.runs().out)
        self.assertEqual(json.loads(self.runs("list", "--json").out), [])
        done = program.run("runs", "--root", self.root / "none")
        self.assertEqual((done.code, done.out), (2, ""))

    def test_rows(self) -> None:
        self.add("run_1", 1)
        self.add("run_2", 2, success=False, message="result.close: too far")
        (self.add("run_3", 3) / "summary.json").unlink()
        (self.add("run_4", 4) / "summary.json").write_text('{"schema": 1, "run_id"')
        rows = json.loads(self.runs("--json").out)
        self.assertEqual([(row["id"], row["state"]) for row in rows],
                         [("run_4", "damaged"), ("run_3", "interrupted"), ("run_2", "not achieved"), ("run_1", "verified")])
        self.assertEqual((rows[3]["route"], rows[3]["seconds"], Path(rows[3]["problem"]).name), ("direct", 2.0, "softmax_rows.py"))
        text = self.runs("list").out
        for word in ("run_1", "2020-11-01 00:00", "verified", "softmax_rows.py", "not achieved", "interrupted", "damaged", "summary.json", "4 runs, "):
            self.assertIn(word, text)

    def test_the_newest_and_beginnings_of_names(self) -> None:
        self.add("run_20261101_aa", 1)
        self.add("run_20261102_bb", 2)
        self.assertIn("run_20261102_bb  verified", self.runs("show", "last").out)
        self.assertIn("run_20261101_aa", self.runs("show", "20261101").out)
        self.assertIn("fits 2 runs", self.runs("show", "run_2026", code=2).err)
        self.assertIn("there is no run", self.runs("show", "xyz", code=2).err)


class Show(Case):
    def test_files_steps_and_summary(self) -> None:
        path = self.add("run_1")
        text = self.runs("show", path).out
        for word in ("run_1  verified", "command    kernelagent generate", "steps", "synth", "graph.txt, kernel.py", "files", "verdict.json", "result     kernel.py (verified)"):
            self.assertIn(word, text)
        answer = json.loads(self.runs("show", "run_1", "--json").out)
        self.assertEqual([step["step"] for step in answer["steps"]], ["route", "partition", "synth", "verify", "summary"])
        self.assertEqual(answer["summary"]["route"], "direct")
        self.assertIn("kernel.py", [file["name"] for file in answer["files"]])

    def test_damaged_and_hostile_folders_are_shown_and_not_followed(self) -> None:
        path = self.add("run_1")
        (path / "journal.jsonl").write_text("{}\n{}\n")
        (path / "summary.json").unlink()
        (path / "summary.json").symlink_to("/etc/passwd")
        os.mkfifo(path / "pipe")
        with open(path / "big.json", "wb") as file:
            file.truncate(1 << 40)
        text = self.runs("show", "run_1").out
        self.assertIn("run_1  damaged", text)
        self.assertIn("is a link, and links are not followed", text)
        self.assertIn("journal.jsonl:1: damaged", text)
        self.assertNotIn("root:", text)

    def test_control_characters_do_not_reach_the_terminal(self) -> None:
        self.add("run_1", message="\x1b[2Jgone\r", problem_path="a\x1b]0;x\x07.py")
        for words in (("show", "run_1"), ("list",)):
            self.assertNotRegex(self.runs(*words).out, "[\x1b\x07\r]")


class Remove(Case):
    def test_several_at_once_or_none(self) -> None:
        for day, name in enumerate(("run_1", "run_2", "run_3"), 1):
            self.add(name, day)
        self.runs("rm", "run_1", "nothing", code=2)
        self.assertEqual(self.names(), ["run_1", "run_2", "run_3"])
        self.assertEqual(len(self.runs("rm", "run_1", "last").out.splitlines()), 2)
        self.assertEqual(self.names(), ["run_2"])
        self.runs("rm", code=2)

    def test_one_that_is_going_on_stays(self) -> None:
        path = self.add("run_1")
        with open(path / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("run_1  going on", self.runs("show", "run_1").out)
            self.assertIn("is going on; it is not removed", self.runs("rm", "run_1", code=2).err)
            self.assertIn("removed 0 runs", self.runs("gc", "--larger-than", "0B").out)
        self.runs("rm", "run_1")
        self.assertEqual(self.names(), [])

    def test_paths_outside_and_links_are_refused(self) -> None:
        self.add("run_1")
        (self.root / ".fuse" / "run_link").symlink_to(self.run_folder)
        for word in (self.run_folder, self.root / ".fuse" / "run_link", self.root, "/", "..", f"{self.root}/.fuse/run_1/../../.."):
            self.runs("rm", word, code=2)
        self.assertTrue((self.run_folder / "run.json").exists())
        self.assertEqual(self.names(), ["run_1", "run_link"])


class Gc(Case):
    def test_by_age_by_size_and_by_number(self) -> None:
        for day in range(1, 6):
            (self.add(f"run_{day}", day) / "blob").write_bytes(os.urandom(1 << 20))
        dry = self.runs("gc", "--larger-than", "3MiB", "--dry-run").out
        self.assertRegex(dry, r"would remove 3 runs, [\d.]+ MiB of 5 runs")
        self.assertEqual(len(self.names()), 5)
        self.runs("gc", "--larger-than", "4.5MiB", "--keep", "4")
        self.assertEqual(self.names(), ["run_2", "run_3", "run_4", "run_5"])
        self.runs("gc", "--keep", "2")
        self.assertEqual(self.names(), ["run_4", "run_5"])
        self.runs("gc", "--older-than", "36500d")
        self.assertEqual(self.names(), ["run_4", "run_5"])
        self.runs("gc", "--older-than", "1d")
        self.assertEqual(self.names(), [])

    def test_bad_limits(self) -> None:
        for flags, says in ((("--older-than", "7"), "such as 7d"), (("--larger-than", "2"), "such as 2GiB"), (("--keep", "x"), "whole number"), ((), "say what may go")):
            self.assertIn(says, self.runs("gc", *flags, code=2).err)
        self.assertIn("only gc takes it", self.runs("list", "--keep", "1", code=2).err)
        self.assertIn('did you mean "show"?', self.runs("shwo", code=2).err)
        self.assertIn("which run?", self.runs("show", code=2).err)
        self.assertIn("unexpected argument", self.runs("show", "a", "b", code=2).err)


if __name__ == "__main__":
    unittest.main()

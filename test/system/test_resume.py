"""Runs that are stopped: wherever it was, --resume goes on, does no finished step again and ends with the bytes of a run that nobody stopped."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import program

# Two parts that are verified in no time.
PROBLEM = '''
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.sort(torch.cumsum(torch.cumsum(x, 0), 0), -1)[0]


def get_inputs():
    return [torch.randn(6, 4)]


def get_init_inputs():
    return []
'''
LASTING = ("subgraphs.json", "orchestrator", "kernels_out", "compose_out", "route.json", "graph.txt", "problem.py", "request.json")
KEPT_ALWAYS = ("run.json", "journal.jsonl", "events.jsonl", "lock", "request.json", "problem.py")
NO_TIME = "0.0001"  # minutes
# In a mount namespace: a disk that is nearly full, or can only be read, and then is all right again. $1: a run to go on with, or nothing.
DISK = """
mount -t tmpfs -o size=64m tmpfs "$DISK" || exit 77
if [ -n "$1" ]; then cp -a "$1" "$DISK/whole"; fi
room=$(($(df -k --output=used "$DISK" | tail -1) + $ROOM))
mount -o "remount,$MODE,size=${room}k" "$DISK" || exit 77
shift
"$PROGRAM" "$@"
echo "exit $?"
mount -o remount,rw,size=64m "$DISK"
"$PROGRAM" pipeline --resume "$DISK/whole" > /dev/null
echo "exit $?"
cp -a "$DISK/whole" "$RESULT"
"""


def finished_steps(folder: Path) -> int:
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


class Resume(unittest.TestCase):
    folder: Path
    whole: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.problem = cls.folder / "p.py"
        cls.problem.write_text(PROBLEM)
        cls.whole = cls.folder / "undisturbed" / "whole"
        cls.begin = ("pipeline", "--problem", cls.problem, "--no-router-cache", "--dispatch-jobs", "1")
        done = program.run(*cls.begin, "--out", cls.whole)
        assert done.code == 0, done.text()
        cls.lines = (cls.whole / "journal.jsonl").read_text().splitlines(keepends=True)
        cls.wanted = program.contents(cls.whole, LASTING)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def cut(self, name: str, count: int) -> Path:
        """The run as it was when so many steps were finished."""
        copy = self.folder / name / "whole"
        shutil.copytree(self.whole, copy)
        (copy / "journal.jsonl").write_text("".join(self.lines[:count]))
        kept = {one["path"] for line in self.lines[:count] for one in json.loads(line)["artifacts"]}
        for path in [path for path in copy.rglob("*") if path.is_file()]:
            if str(path.relative_to(copy)) not in {*kept, *KEPT_ALWAYS}:
                path.unlink()
        return copy

    def recorded(self, folder: Path) -> dict[str, int]:
        """When each file was written that a finished step vouches for (what two steps write is written twice)."""
        names = [one["path"] for line in (folder / "journal.jsonl").read_text().splitlines() for one in json.loads(line)["artifacts"]]
        return {name: (folder / name).stat().st_mtime_ns for name in names if name not in ("graph.txt", "route.json", "summary.json")}

    def assert_goes_on(self, folder: Path, done: program.Finished, before: dict[str, int]) -> None:
        self.assertEqual(done.code, 0, done.text())
        self.assertEqual(program.contents(folder, LASTING), self.wanted)
        self.assertTrue(json.loads((folder / "summary.json").read_text())["success"])
        self.assertEqual({name: (folder / name).stat().st_mtime_ns for name in before}, before, "a finished step was done again")

    def start_until(self, folder: Path, steps: int, *words: str | Path) -> subprocess.Popen[str]:
        process = program.start(*words)
        while process.poll() is None and finished_steps(folder) < steps:
            time.sleep(0.001)
        return process

    def test_a_run_goes_on_after_every_step(self) -> None:
        self.assertGreaterEqual(len(self.lines), 7)
        copies = {str(count): self.cut(f"stopped{count}", count) for count in range(len(self.lines) + 1)}
        before = {name: self.recorded(copy) for name, copy in copies.items()}
        done = program.run_all({name: lambda copy=copy: program.run("pipeline", "--resume", copy) for name, copy in copies.items()})
        for name, copy in copies.items():
            with self.subTest(finished=name):
                self.assert_goes_on(copy, done[name], before[name])

    def test_a_run_that_is_killed_after_every_step_goes_on(self) -> None:
        out = self.folder / "killed" / "whole"
        words: tuple[str | Path, ...] = (*self.begin, "--out", out)
        before: dict[str, int] = {}
        kills = 0
        for steps in range(1, len(self.lines)):
            process = self.start_until(out, steps, *words)
            process.kill()
            process.communicate()
            kills += process.returncode == -signal.SIGKILL
            self.assertEqual({name: (out / name).stat().st_mtime_ns for name in before}, before, "a finished step was done again")
            before = self.recorded(out)
            words = ("pipeline", "--resume", out)
        self.assertGreaterEqual(kills, 4)
        self.assert_goes_on(out, program.run(*words), before)

    def test_the_limit_of_attempts_ends_a_run_that_goes_on_later(self) -> None:
        out = self.folder / "attempts" / "whole"
        done = program.run(*self.begin, "--out", out, "--max-attempts", "1", "--json")
        says = "the limit of 1 attempt (--max-attempts)"
        self.assertEqual(done.code, 1, done.text())
        told = done.json()
        self.assertEqual((told["route"], told["success"], told["kernel_code"]), ("fuser", False, None))
        self.assertEqual(told["details"]["message"], f"{says} was reached: 1 of 2 parts are verified")
        self.assertIn(f"--resume {out}", done.err)
        self.assertEqual(len(done.err.strip().splitlines()), 1, done.err)
        parts = json.loads((out / "kernels_out/summary.json").read_text())
        self.assertEqual([(part["success"], part["message"] == f"not reached: {says}") for part in parts], [(True, False), (False, True)])
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual((summary["success"], summary["exit_code"], summary["message"]), (False, 1, told["details"]["message"]))
        self.assertEqual(summary["subgraphs"], parts)
        before = self.recorded(out)
        done = program.run("pipeline", "--resume", out, "--max-attempts", "1")
        self.assertEqual(done.code, 1, done.text())
        self.assertIn("2 of 2 parts are verified, the program as a whole is not", done.out)
        self.assert_goes_on(out, program.run("pipeline", "--resume", out, "--max-attempts", "1"), before)

    def test_the_limit_of_time_ends_a_run_that_goes_on_later(self) -> None:
        says = f"the limit of {NO_TIME} minutes (--max-minutes)"
        rows = {0: f"{says} was reached before the route was decided", 1: f"{says} was reached before the program was cut into parts",
                2: f"{says} was reached: 0 of 2 parts are verified", 3: f"{says} was reached: 1 of 2 parts are verified",
                5: f"{says} was reached: 2 of 2 parts are verified, the program as a whole is not"}
        for steps, message in rows.items():
            with self.subTest(finished=steps):
                copy = self.cut(f"late{steps}", steps)
                done = program.run("pipeline", "--resume", copy, "--max-minutes", NO_TIME, "--json")
                self.assertEqual((done.code, done.json()["details"]["message"]), (1, message), done.text())
                self.assertEqual(finished_steps(copy), steps, "the limit was recorded as a finished step")
                self.assertEqual(json.loads((copy / "summary.json").read_text())["message"], message)
                if steps >= 2:
                    parts = json.loads((copy / "kernels_out/summary.json").read_text())
                    self.assertEqual([part["message"] == f"not reached: {says}" for part in parts], [steps < 3, steps < 4])
        copy = self.folder / "late3/whole"
        before = self.recorded(copy)
        self.assert_goes_on(copy, program.run("pipeline", "--resume", copy, "--max-minutes", "60"), before)
        fresh = self.folder / "late" / "whole"
        done = program.run(*self.begin, "--out", fresh, "--max-minutes", NO_TIME)
        self.assertEqual(done.code, 1, done.text())
        self.assert_goes_on(fresh, program.run("pipeline", "--resume", fresh), {})

    def test_an_interrupted_run_ends_at_once_and_keeps_what_it_has(self) -> None:
        out = self.folder / "interrupted" / "whole"
        process = self.start_until(out, 3, *self.begin, "--out", out)  # the first part is finished, the second is being judged
        below: dict[int, str] = {}  # whatever was ever seen below it: processes come and go with what is judged

        def is_at_work() -> bool:
            below.update(program.descendants(process.pid))
            return len(below) > 1

        self.assertTrue(program.wait_until(is_at_work, 10), "nothing is being judged")
        done = program.finish(process, signal.SIGINT, 30)
        self.assertEqual(done.code, 130, done.text())
        self.assertLess(done.seconds, 2)
        self.assertEqual(program.alive(below), [])
        self.assertGreaterEqual(finished_steps(out), 3, done.text())
        self.assert_goes_on(out, program.run("pipeline", "--resume", out), self.recorded(out))

    def test_a_full_disk_and_a_read_only_one_lose_nothing(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        go_on = ("pipeline", "--resume", disk / "whole")
        rows = {"full at the beginning": (0, 24, "rw", (*self.begin, "--out", disk / "whole"), "No space left on device"),
                "full at the second part": (3, 4, "rw", go_on, "No space left on device"),
                "full at the composition": (5, 8, "rw", go_on, "No space left on device"),
                "to be read only": (3, 64, "ro", go_on, "Read-only file system")}
        unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
        for number, (name, (steps, room, mode, words, says)) in enumerate(rows.items()):
            with self.subTest(name):
                copy = self.cut(f"disk{number}", steps) if steps else None
                result = self.folder / f"disk{number}_result"
                env = {"DISK": str(disk), "ROOM": str(room), "MODE": mode, "PROGRAM": program.PROGRAM, "RESULT": str(result)}
                before = self.recorded(copy) if copy else {}
                done = subprocess.run([*unshare, "sh", "-c", DISK, "sh", str(copy or ""), *map(str, words)], cwd=program.ROOT, env=program.environment(env), stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=program.LIMIT_S)
                if done.returncode in (1, 77) and not done.stdout:
                    self.skipTest("no disk can be mounted here: " + done.stderr)
                self.assertEqual(done.stdout.split("exit ")[1:], ["3\n", "0\n"], done.stdout + done.stderr)
                self.assertIn(says, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assert_goes_on(result, program.Finished(0, "", "", 0), before)

    def test_two_runs_in_one_folder_do_not_disturb_each_other(self) -> None:
        place = self.folder / "both"
        place.mkdir()
        shutil.copy(self.problem, place / "p.py")
        words = ("auto", "--problem", "p.py", "--json")
        done = program.run_all({name: lambda: program.run(*words, cwd=place) for name in ("a", "b")})
        for one in done.values():
            self.assertEqual(one.code, 0, one.text())
        folders = [place / one.json()["details"]["run_dir"] for one in done.values()]
        self.assertNotEqual(*folders)
        first, second = (program.contents(folder, LASTING) for folder in folders)
        for files in (first, second):
            files.pop("route.json")  # says whether it was remembered
        self.assertEqual(first, second)
        self.assertEqual(len(json.loads((place / ".fuse/router_cache.json").read_text())["entries"]), 1)

    def test_two_runs_that_are_to_be_one_folder(self) -> None:
        out = self.folder / "same" / "whole"
        first = self.start_until(out, 1, *self.begin, "--out", out)
        second = program.run(*self.begin, "--out", out)
        first.communicate()
        self.assertEqual((first.returncode, second.code), (0, 3), second.text())
        self.assertIn(f"the run is in use by process {first.pid}", second.err)
        self.assertEqual(len(second.err.strip().splitlines()), 1, second.err)
        self.assertEqual(program.contents(out, LASTING), self.wanted)

    def test_another_job_in_the_folder_of_a_run_is_refused(self) -> None:
        for words, says in ((("pipeline", "--problem", self.problem, "--out", self.whole, "--precision", "tf32"), "asked for otherwise"),
                            (("pipeline", "--resume", self.whole, "--precision", "tf32"), "--precision=tf32 cannot be given"),
                            (("pipeline", "--problem", program.ROOT / "examples/softmax_rows.py", "--out", self.whole), "another problem")):
            done = program.run(*words)
            self.assertEqual(done.code, 2, done.text())
            self.assertIn(says, done.err)
        self.assertEqual(program.contents(self.whole, LASTING), self.wanted)

    def test_a_run_of_another_command_is_not_taken_for_an_earlier_one(self) -> None:
        out = self.folder / "generated"
        made = program.run("generate", "--problem", program.ROOT / "test/problems/relu.py", "--no-verify", "--out", out)
        self.assertEqual(made.code, 0, made.text())
        done = program.run("auto", "--problem", self.problem, "--out", out, "--no-router-cache")
        self.assertEqual((done.code, len(done.err.splitlines())), (2, 1), done.text())
        self.assertIn("holds a run of another command", done.err)

    def test_two_runs_that_begin_in_one_folder_at_the_same_time(self) -> None:
        out = self.folder / "at_once" / "whole"
        other = self.folder / "other.py"
        other.write_text(PROBLEM.replace("6, 4", "7, 4"))
        problems = {"first": self.problem, "second": other}
        done = program.run_all({name: lambda path=path: program.run("pipeline", "--problem", path, "--no-router-cache", "--out", out) for name, path in problems.items()})
        codes = {name: one.code for name, one in done.items()}
        self.assertEqual(sorted(codes.values()), [0, 3] if 3 in codes.values() else [0, 2], codes)
        winner = min(codes, key=lambda name: codes[name])
        self.assertEqual((out / "problem.py").read_text(), problems[winner].read_text())
        self.assertIn("7, 4" if winner == "second" else "6, 4", (out / "compose_out/composed_kernel.py").read_text())
        self.assertEqual(program.run("pipeline", "--resume", out).code, 0)


if __name__ == "__main__":
    unittest.main()

"""The live view, as the user of a terminal sees it."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import time
import unittest

import program
from terminal import Terminal

PROBLEM = "test/problems/relu.py"
STAGES = ("problem", "graph", "partition", "route", "synth", "refactored")
DEFAULT_MODES = {"25": True, "7": True, "2026": False}


class LiveView(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = f"{folder.name}/run"

    def slow_problem(self) -> str:
        """Long enough in each of its stages to be watched."""
        text = (program.ROOT / PROBLEM).read_text(encoding="utf-8")
        path = f"{os.path.dirname(self.out)}/slow.py"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text}\nimport time\n\ntime.sleep(0.15)\n")
        return path

    def start(self, *flags: str, columns: int = 80, rows: int = 24, env: dict[str, str] | None = None) -> Terminal:
        return Terminal("generate", "--problem", PROBLEM, "--out", self.out, *flags, columns=columns, rows=rows, env=env)

    def test_stages_come_and_the_last_state_stays(self) -> None:
        terminal = self.start()
        terminal.until(lambda: bool(re.search(r"problem +running +\d\.\d s", terminal.screen.text())))
        terminal.until(lambda: bool(re.search(r"verify +running", terminal.screen.text())))
        self.assertEqual(terminal.finish(), 0, terminal.screen.text())
        lines = terminal.screen.text().splitlines()
        kernel = next(i for i, line in enumerate(lines) if "kernel.py" in line)
        states = [line.split()[:2] for line in lines if re.match(r"\w+ +(running|done|accepted|stopped) ", line)]
        self.assertEqual(states, [[stage, "done"] for stage in STAGES] + [["verify", "accepted"]], terminal.screen.text())
        self.assertLess(kernel, next(i for i, line in enumerate(lines) if line.startswith("verify ")))
        self.assertTrue(any(line.startswith("ACCEPTED") for line in lines))
        self.assertEqual(terminal.screen.modes, DEFAULT_MODES)

    def test_frames_are_few_and_whole(self) -> None:
        begin = time.monotonic()
        terminal = self.start("--no-verify")
        self.assertEqual(terminal.finish(), 0)
        seconds = time.monotonic() - begin
        frames = re.findall(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", terminal.raw, re.DOTALL)
        self.assertGreater(len(frames), 3)
        self.assertLess(len(frames), 11 * seconds + 2)
        for frame in frames:
            self.assertTrue(frame.startswith("\x1b[?25l") and frame.endswith("\x1b[?25h"), repr(frame))
            self.assertNotIn("\x1b[2J", frame)  # a screen that is cleared flickers

    def test_follows_the_size_of_the_window(self) -> None:
        terminal = Terminal("generate", "--problem", self.slow_problem(), "--out", self.out, columns=120)
        terminal.until(lambda: bool(re.search(r"verify +running", terminal.screen.text())))
        for columns in (30, 20):
            terminal.resize(columns, 24)
            terminal.until(lambda: bool(re.search(rf"(?m)^(?=> verify +\d+s$).{{{columns - 1}}}$", terminal.screen.text())))
            seen = re.findall(r"(?m)^[+>!.]? ?(\w+) .*\ds?$", terminal.screen.text())
            self.assertEqual(len(seen), len(set(seen)), terminal.screen.text())
        terminal.resize(100, 30)
        self.assertEqual(terminal.finish(), 0)
        states = re.findall(r"(?m)^(\w+) +(?:done|accepted|running) ", terminal.screen.text())
        self.assertEqual(states, [*STAGES, "verify"], terminal.screen.text())
        self.assertNotRegex(terminal.screen.text(), r"(?m)^[+>] ")

    def test_twenty_columns(self) -> None:
        terminal = self.start("--no-verify", columns=20, rows=6)
        self.assertEqual(terminal.finish(), 0)
        for frame in re.findall(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", terminal.raw, re.DOTALL):
            plain = re.sub(r"\x1b\[[?\d]*[A-Za-z]", "", frame).replace("\r", "")
            self.assertLessEqual(plain.count("\n"), 5)
            self.assertTrue(all(len(line) <= 19 for line in plain.splitlines()), repr(plain))
        self.assertRegex(terminal.screen.text(), r"(?m)^\+ synth +\d+s$")

    def test_interrupted(self) -> None:
        terminal = self.start()
        terminal.until(terminal.shows("running"))
        begin = time.monotonic()
        terminal.type("\x03")
        self.assertEqual(terminal.finish(), 130, terminal.screen.text())
        self.assertLess(time.monotonic() - begin, 1.5)
        self.assertRegex(terminal.screen.text(), r"(?m)^\w+ +stopped +\d\.\d s$")
        self.assertNotIn("^C", terminal.screen.text())
        self.assertEqual(terminal.screen.modes, DEFAULT_MODES)

    def test_stages_by_themselves(self) -> None:
        os.mkdir(self.out)
        problem = f"{self.out}/two_parts.py"
        with open(problem, "w", encoding="utf-8") as file:
            file.write("import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.sort(torch.cumsum(x, 0), -1)[0]\n\n"
                       "def get_inputs():\n    return [torch.randn(6, 4)]\n\ndef get_init_inputs():\n    return []\n")
        terminal = Terminal("extract", "--problem", problem, "--out", self.out)
        self.assertEqual(terminal.finish(), 0, terminal.screen.text())
        states = re.findall(r"(?m)^(\w+) +done ", terminal.screen.text())
        self.assertEqual(states, ["problem", "graph", "partition", "route", "synth", "extract"], terminal.screen.text())
        terminal = Terminal("dispatch", "--subgraphs", f"{self.out}/subgraphs.json", "--out-dir", f"{self.out}/kernels_out", "--dispatch-jobs", "1")
        terminal.until(lambda: bool(re.search(r"dispatch +running.*\n  cumsum +verifying.*\n  sort +waiting", terminal.screen.text())))
        self.assertEqual(terminal.finish(), 0, terminal.screen.text())
        self.assertRegex(terminal.screen.text(), r"dispatch +done.*\n  cumsum +verified.*\n  sort +verified.*\nok +cumsum")

    def test_killed(self) -> None:
        terminal = self.start()
        terminal.until(terminal.shows("running"))
        os.kill(terminal.pid, signal.SIGKILL)
        self.assertEqual(terminal.finish(), -signal.SIGKILL)
        self.assertEqual(terminal.screen.modes, DEFAULT_MODES)

    def test_bad_problem_leaves_one_sentence_below(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("import torch\nraise ValueError('no')\n")
            file.flush()
            terminal = Terminal("generate", "--problem", file.name, "--out", self.out)
            self.assertEqual(terminal.finish(), 2)
        lines = terminal.screen.text().rstrip().splitlines()
        self.assertRegex(lines[0], r"^problem +stopped")
        self.assertTrue(lines[1].startswith("kernelagent: generate: "), lines)

    def test_colours(self) -> None:
        coloured = self.start("--no-verify")
        self.assertEqual(coloured.finish(), 0)
        self.assertIn("\x1b[32mdone\x1b[0m", coloured.raw)
        plain = self.start("--no-verify", env={"NO_COLOR": "1"})
        self.assertEqual(plain.finish(), 0)
        self.assertNotRegex(plain.raw, r"\x1b\[\d*m")

    def test_verbose_keeps_every_event(self) -> None:
        terminal = self.start("--no-verify", "--verbose")
        self.assertEqual(terminal.finish(), 0)
        self.assertRegex(terminal.screen.text(), r"(?m)^synth: 1 kernel written")
        self.assertRegex(terminal.screen.text(), r"(?m)^synth +done")


class PlainLines(unittest.TestCase):
    def generate(self, *flags: str, env: dict[str, str] | None = None) -> tuple[str, str]:
        """What came on the terminal, and on a stderr that is none."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/err", "w+", encoding="utf-8") as err:
                stderr = None if env else err.fileno()
                terminal = Terminal("generate", "--problem", PROBLEM, "--no-verify", "--out", f"{folder}/run", *flags, env=env, stderr=stderr)
                self.assertEqual(terminal.finish(), 0, terminal.raw)
                err.seek(0)
                return terminal.raw, err.read()

    def test_no_terminal(self) -> None:
        out, err = self.generate()
        self.assertEqual(err, "")
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(out.splitlines()), 1)

    def test_no_terminal_but_verbose(self) -> None:
        out, err = self.generate("--verbose")
        self.assertNotIn("\x1b", out + err)
        self.assertEqual([line.split(":")[0] for line in err.splitlines()], list(STAGES))

    def test_dumb_terminal(self) -> None:
        for env in ({"TERM": "dumb"}, {"TERM": ""}):
            out, _ = self.generate(env=env)
            self.assertNotIn("\x1b", out)
            self.assertIn("synth: 1 kernel written", out)

    def test_json_on_a_terminal(self) -> None:
        out, _ = self.generate("--json", env={"TERM": "xterm"})
        self.assertNotIn("\x1b", out)
        self.assertEqual(out.lstrip()[0], "{")


if __name__ == "__main__":
    unittest.main()

"""Problems in plain words on the command line: generate, auto and pipeline take a sentence where a file could be, by rule and by a language model."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import CLEARED, KEY, FakeModel

SENTENCE = "Implement ReLU over a contiguous 1D tensor of length 1024"
UNDERSTOOD = "relu; float32 x (1024,); result (1024,)"
TWO_PARTS = "cumulative sum over dim 0 of (6, 4), then softmax"
UNKNOWN = "frobnicate every row of (4, 8)"
MODEL = "a-local-model"
GOOD = '''"""Each row is sorted and turned round."""

import torch
import torch.nn as nn

rows = 4
columns = 8


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
'''
NO_INPUTS = GOOD.replace("def get_inputs():", "def get_other():")
RAISES = GOOD.replace("torch.relu(x) * 2", "torch.no_such_function(x)")
READS = "import subprocess\n" + GOOD


def fenced(text: str) -> str:
    return f"Here it is:\n```python\n{text}```\n"


def questions(fake: FakeModel) -> list[str]:
    """Those about the sentence; a model may be asked for kernels too."""
    return [request["prompt"] for request in fake.requests() if "Somebody describes a computation in plain words" in request["prompt"]]


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.out = self.folder.path / "run"

    def run_it(self, *words: str | Path, code: int = 0, env: dict[str, str] | None = None) -> program.Finished:
        done = program.run(*words, cwd=self.folder.path, env={**dict.fromkeys(CLEARED, ""), **(env or {})})
        self.assertEqual(done.code, code, done.text())
        return done

    def record(self) -> dict[str, Any]:
        return json.loads((self.out / "sentence.json").read_text())


class ByRule(Case):
    def test_generate_shows_the_program_keeps_it_and_verifies_the_kernel(self) -> None:
        done = self.run_it("generate", SENTENCE, "--device", "cpu", "--out", self.out)
        text = (self.out / "problem.py").read_text()
        self.assertTrue(done.out.startswith(f"understood by rule: {UNDERSTOOD}\n{self.out}/problem.py:\n"), done.out)
        self.assertIn("\n".join("  " + line if line else "" for line in text.strip().splitlines()), done.out)
        self.assertIn("ACCEPTED", done.out)
        self.assertEqual((self.record()["sentence"], self.record()["understood"], self.record()["by"]), (SENTENCE, UNDERSTOOD, "rules"))
        self.assertIn(SENTENCE, json.loads((self.out / "run.json").read_text())["command"])
        self.assertIn("torch.relu", text)
        again = json.loads((self.out / "verdict.json").read_text())["reproduce"].split()
        self.assertEqual(again[:4], ["kernelagent", "verify", "--problem", f"{self.out}/problem.py"])
        self.run_it(*again[1:])

    def test_auto_and_pipeline_take_sentences_and_explain_tells_them(self) -> None:
        for command in ("auto", "pipeline"):
            with self.subTest(command):
                out = self.folder.path / command
                told = self.run_it(command, SENTENCE, "--device", "cpu", "--out", out, "--json").json()
                self.assertTrue(told["success"])
                self.assertEqual((told["sentence"], told["understood"], told["problem_code"]), (SENTENCE, UNDERSTOOD, (out / "problem.py").read_text()))
                text = self.run_it("explain", out).out
                self.assertIn(f"the sentence: {SENTENCE}\n  understood by rule: {UNDERSTOOD}\n", text)
                self.assertEqual(self.run_it("explain", out, "--json").json()["sentence"]["text"], SENTENCE)
                self.run_it("report", out)
                self.assertIn(SENTENCE, (out / "report.html").read_text())

    def test_json_of_generate(self) -> None:
        told = self.run_it("generate", SENTENCE, "--device", "cpu", "--no-verify", "--json", "--out", self.out).json()
        self.assertEqual((told["success"], told["understood"], told["problem_code"]), (True, UNDERSTOOD, (self.out / "problem.py").read_text()))

    def test_a_file_as_a_plain_word_is_the_problem(self) -> None:
        file = self.folder.write("my net.py", GOOD + "\n\ndef twice(x):\n    return x * 2\n\n\ndef twice_inputs():\n    return [torch.randn(4)]\n")
        for word in (file, f"{file}:twice"):
            with self.subTest(word):
                told = self.run_it("generate", word, "--no-verify", "--json").json()
                self.assertNotIn("understood", told)
        self.run_it("pipeline", "my net.py", "--device", "cpu", "--out", self.out)
        self.assertEqual(json.loads((self.out / "request.json").read_text())["words"], ["--device=cpu", "--problem=my net.py"])
        self.assertFalse((self.out / "sentence.json").exists())

    def test_what_is_no_problem_is_one_sentence(self) -> None:
        self.folder.write("net.py", GOOD)
        rows: list[tuple[tuple[str, ...], str]] = [
            ((UNKNOWN,), 'the word "frobnicate" is not understood; understood are sentences like "fused bias + gelu'),
            (("",), "the problem is an empty text; accepted: --problem FILE, or a sentence such as"),
            (("  \n ",), "the problem is an empty text"),
            ((SENTENCE, "--problem", "net.py"), f'"{SENTENCE}" and --problem net.py are two problems; one is expected'),
            (("net.py", "--problem", "net.py"), '"net.py" and --problem net.py are two problems'),
            (("relu", "of", "(4,)"), 'unexpected argument "of"; one problem is expected: --problem FILE, or a sentence in quotes'),
            (("other.py",), "other.py does not exist"),
            (("other:Model",), "other does not exist"),
            (("other",), 'there is no file "other", and as a sentence: the word "other" is not understood'),
            (("an other.py",), 'there is no file "an other.py", and as a sentence: '),
            ((".",), ". is a directory, not a file"),
            (("relu of (4,)\x01",), "understood are sentences like"),
            ((), "--problem is missing"),
        ]
        for words, says in rows:
            for command in ("generate", "auto"):
                with self.subTest(words=words, command=command):
                    done = self.run_it(command, *words, code=2)
                    self.assertIn(f"kernelagent: {command}: ", done.err)
                    self.assertIn(says, done.err)
                    self.assertEqual((done.out, len(done.err.splitlines())), ("", 1))
        self.assertFalse((self.folder.path / ".fuse").exists(), "a sentence that is refused leaves nothing behind")

    def test_other_commands_take_no_sentence(self) -> None:
        self.assertIn("unexpected argument", self.run_it("extract", SENTENCE, code=2).err)

    def test_help_says_that_a_sentence_is_accepted(self) -> None:
        for command in ("generate", "auto", "pipeline"):
            self.assertIn(f'kernelagent {command} --problem P.py | "SENTENCE"', self.run_it(command, "--help").out)


class Resume(Case):
    def test_a_run_that_was_stopped_goes_on(self) -> None:
        done = self.run_it("pipeline", TWO_PARTS, "--device", "cpu", "--out", self.out, "--max-minutes", "0.0001", code=1)
        self.assertIn("was reached before the route was decided", done.out)
        self.assertIn(TWO_PARTS, self.run_it("explain", self.out).out)
        refused = self.run_it("pipeline", TWO_PARTS, "--resume", self.out, code=2)
        self.assertIn("the run goes on as it was begun", refused.err)
        before = (self.out / "sentence.json").stat().st_mtime_ns
        done = self.run_it("pipeline", "--resume", self.out, "--json")
        self.assertEqual((done.json()["success"], done.json()["sentence"]), (True, TWO_PARTS))
        self.assertEqual((self.out / "sentence.json").stat().st_mtime_ns, before, "a finished step was done again")
        steps = [json.loads(line)["step"] for line in (self.out / "journal.jsonl").read_text().splitlines()]
        self.assertEqual((steps[0], steps[-1], steps.count("problem")), ("problem", "summary", 1))

    def test_out_of_the_same_sentence_goes_on_and_of_another_is_refused(self) -> None:
        words = ("pipeline", TWO_PARTS, "--device", "cpu", "--out", self.out)
        self.run_it(*words)
        before = (self.out / "kernels_out/summary.json").stat().st_mtime_ns
        self.run_it(*words)
        self.assertEqual((self.out / "kernels_out/summary.json").stat().st_mtime_ns, before)
        other = self.run_it("pipeline", SENTENCE, "--device", "cpu", "--out", self.out, code=2)
        self.assertIn(f'holds a run of another problem ("{TWO_PARTS}"); name another folder', other.err)
        (self.out / "problem.py").write_text(GOOD)
        for again in (words, ("pipeline", "--resume", self.out)):
            self.assertIn("problem.py is not what it was when the run began", self.run_it(*again, code=2).err)

    def test_a_folder_that_is_used_again_for_a_file_forgets_the_sentence(self) -> None:
        self.run_it("generate", SENTENCE, "--no-verify", "--out", self.out)
        self.run_it("generate", self.folder.write("net.py", GOOD), "--no-verify", "--out", self.out)
        self.assertNotIn("the sentence", self.run_it("explain", self.out).out)


class ByModel(Case):
    def asked(self, fake: FakeModel, *words: str | Path, code: int = 0) -> program.Finished:
        done = self.run_it(*words, "--model", MODEL, "--producers", "codegen", code=code, env=fake.environment())  # kernels are not what is asked for here
        for path in [path for path in self.folder.path.rglob("*") if path.is_file()]:
            self.assertNotIn(KEY.encode(), path.read_bytes(), path)
        self.assertNotIn(KEY, done.out + done.err)
        return done

    def test_a_sentence_that_the_rules_understand_asks_nobody(self) -> None:
        with FakeModel([{"answer": fenced(GOOD)}]) as fake:
            self.asked(fake, "generate", SENTENCE, "--no-verify")
            self.assertEqual(questions(fake), [])

    def test_the_model_writes_the_program(self) -> None:
        with FakeModel([{"answer": fenced(GOOD)}]) as fake:
            done = self.asked(fake, "generate", UNKNOWN, "--device", "cpu", "--out", self.out)
            self.assertTrue(done.out.startswith(f"understood by {MODEL}: Each row is sorted and turned round.\n"), done.out)
            self.assertIn("ACCEPTED", done.out)
            self.assertEqual((self.out / "problem.py").read_text(), GOOD)
            self.assertEqual((self.record()["by"], self.record()["questions"]), (MODEL, 1))
            self.assertGreater(self.record()["output_tokens"], 0)
            self.assertIn(UNKNOWN, questions(fake)[0])

    def test_what_it_writes_cannot_reach_the_terminal_as_it_is(self) -> None:
        with FakeModel([{"answer": fenced(GOOD.replace("Each", "\x1b[2JEach") + "# \x1b]0;title\x07\n")}]) as fake:
            done = self.asked(fake, "generate", UNKNOWN, "--no-verify", "--out", self.out)
            self.assertIn("turned round.", done.out)
            self.assertNotIn("\x1b", done.out + done.err)

    def test_it_is_asked_again_with_what_was_wrong(self) -> None:
        rows = {"no code": ("I would rather not.", "no code block was found"), "no get_inputs": (fenced(NO_INPUTS), "the file defines no get_inputs"),
                "raises": (fenced(RAISES), "problem.py:12: forward raises AttributeError"),
                "other imports": (fenced(READS), "imports something")}
        for name, (answer, complaint) in rows.items():
            with self.subTest(name), FakeModel([{"answers": [answer, fenced(GOOD)]}]) as fake:
                self.asked(fake, "generate", UNKNOWN, "--no-verify", "--out", self.folder.path / name.replace(" ", "_"))
                self.assertEqual(len(questions(fake)), 2)
                self.assertIn(complaint, questions(fake)[1])

    def test_an_answer_that_was_cut_off_is_continued(self) -> None:
        half = fenced(GOOD)[:-60]
        rules = [{"answer": half, "finish": "length", "times": 1}, {"answer": "```python\n" + fenced(GOOD)[-60:]}]
        with FakeModel(rules) as fake:
            self.asked(fake, "generate", UNKNOWN, "--no-verify", "--out", self.out)
            self.assertEqual((self.out / "problem.py").read_text().strip(), GOOD.strip())
            self.assertEqual(self.record()["questions"], 2)

    def test_what_it_cannot_do_is_one_sentence(self) -> None:
        rows: list[tuple[dict[str, Any], int, int, str]] = [
            ({"answer": "UNCLEAR: what frobnicate means"}, 2, 1, f"{MODEL} does not understand the sentence either: what frobnicate means"),
            ({"answer": fenced(RAISES)}, 2, 3, f"{MODEL} wrote no program for the sentence that can be used in 3 answers, the last one: "),
            ({"act": "echo_key"}, 2, 3, "wrote no program"),
            ({"status": 401, "body": '{"error": "wrong key"}'}, 3, 1, "does not accept the key of OPENAI_API_KEY"),
        ]
        for rule, code, asked, says in rows:
            with self.subTest(says), FakeModel([rule]) as fake:
                done = self.asked(fake, "auto", UNKNOWN, code=code)
                self.assertIn(says, done.err)
                self.assertEqual((done.out, len(done.err.splitlines()), len(questions(fake))), ("", 1, asked))
                kept = re.search(r"what was said is in (\S+)\)$", done.err.strip())
                self.assertEqual(len(list((self.folder.path / kept[1]).glob("*.json"))) if kept else 0, asked if code == 2 else 0, done.err)
        self.assertEqual(len(list((self.folder.path / ".fuse").glob("run_*"))), 3, "who was not answered leaves nothing behind")

    def test_a_model_that_cannot_be_asked_is_said_with_what_the_rules_say(self) -> None:
        done = self.run_it("generate", UNKNOWN, "--model", "gpt-5.2", code=3)
        self.assertIn('"frobnicate" is not understood', done.err)
        self.assertIn("gpt-5.2 cannot be asked", done.err)

    def test_a_run_that_goes_on_asks_nobody_again(self) -> None:
        with FakeModel([{"answer": fenced(GOOD), "times": 1}]) as fake:
            words = ("auto", UNKNOWN, "--device", "cpu", "--out", self.out)
            self.asked(fake, *words, "--max-minutes", "0.0001", code=1)
            self.assertTrue(json.loads(self.run_it("auto", "--resume", self.out, "--json", env=fake.environment()).out)["success"])
            self.asked(fake, *words)
            self.asked(fake, "generate", UNKNOWN, "--no-verify", "--replay", self.out, "--out", self.folder.path / "again")
            self.assertEqual((self.folder.path / "again/problem.py").read_text(), GOOD)
            other = self.asked(fake, "generate", UNKNOWN + " twice", "--replay", self.out, code=2)
            self.assertIn("--replay: ", other.err)
            self.assertEqual(len(questions(fake)), 1)


if __name__ == "__main__":
    unittest.main()

"""kernelagent optimize with a language model that rewrites kernels, against the fake server: it is a mover like any other, and nothing that it says is believed."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import FakeModel, clean_environment, need_client
from test_workers import POLYNOMIAL, POLYNOMIAL_KERNEL

# The built-in generator cannot write this program, and the number is no knob: only the model can make it faster.
PROBLEM = POLYNOMIAL.replace("torch.randn(64, 128)", "torch.randn(8, 64)")
FAST = POLYNOMIAL_KERNEL.replace("BLOCK=1024", "BLOCK=SIZE").replace(", 1024)", ", SIZE)").replace("\n@triton.jit", "\nSIZE = 2 ** 10\n\n\n@triton.jit", 1)
SLOW = FAST.replace("SIZE = 2 ** 10", "SIZE = 2 ** 4")
WRONG = FAST.replace("2.0) * (", "2.5) * (")
EDIT = "Change: larger blocks\nExpected: a quarter of the time\n\n<<<<<<< SEARCH\nSIZE = 2 ** 4\n=======\nSIZE = 2 ** 6\n>>>>>>> REPLACE\n"


def answer(code: str, change: str = "larger blocks", expected: str = "fewer programs, so less time") -> str:
    return f"Change: {change}\nExpected: {expected}\n\n```python\n{code}\n```\n"


def setUpModule() -> None:
    need_client()


class OptimizeModel(unittest.TestCase):
    def setUp(self) -> None:
        folder = program.Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.problem = folder.write("p.py", PROBLEM)
        self.kernel = folder.write("k.py", SLOW)
        self.out = self.folder / "run"

    def words(self, *words: str | Path, out: Path | None = None, device: str = "cpu", rounds: int = 1) -> list[str | Path]:
        return ["optimize", "--problem", self.problem, "--kernel", self.kernel, "--device", device, "--strategy", "greedy", "--bottlenecks", "1", "--max-rounds", str(rounds), "--out", out or self.out, *words]

    def optimize(self, rules: list[dict[str, Any]], *words: str | Path, rounds: int = 1, model: str = "gpt-5.2") -> tuple[program.Finished, list[dict[str, Any]]]:
        with FakeModel(rules) as fake:
            given = self.words(*(("--model", model) if model else ()), *words, rounds=rounds)
            done = program.run(*given, env=clean_environment(fake.environment()), cwd=self.folder)
            return done, fake.requests()

    def state(self) -> dict[str, Any]:
        return json.loads((self.out / "program_database.json").read_text())

    def artifacts(self, out: Path | None = None) -> dict[str, str]:
        folder = out or self.out
        return {f"{path.parents[2].name}/{path.name}": path.read_text() for path in folder.glob("workers/w*/*/artifacts/*") if path.suffix in (".txt", ".py")}

    def test_a_faster_kernel_of_the_model_wins(self) -> None:
        self.assertIn("SIZE = 2 ** 4\n", SLOW)
        done, asked = self.optimize([{"times": 1, "answer": EDIT}, {"answer": answer(FAST)}], "--json", rounds=2)
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        self.assertEqual((told["kernel_code"].strip(), len(asked)), (FAST, 2), told["stop"])
        self.assertGreater(told["speedup"], 2)
        self.assertTrue(told["verdict"]["accepted"])
        self.assertEqual((told["models"]["questions"], told["models"]["model"], told["models"]["silent"]), (2, "gpt-5.2", ""))
        state = self.state()
        self.assertEqual([(row["outcome"], row.get("by", row["move"])) for row in state["attempts"]], [("kept", "gpt-5.2")] * 2)
        self.assertEqual(state["programs"][1]["path"], ["larger blocks (said by gpt-5.2)"] * 2)
        self.assertEqual(state["reflections"][0]["expected_outcome"], "a quarter of the time")
        self.assertIn("times faster than what it changed", state["reflections"][0]["actual_outcome"])
        for words in ("shifted_chebyshev_polynomial_t", "SIZE = 2 ** 4", "def kernel_function(x):", "What is not allowed", "multiprocessors", "interpreter on a CPU", "Change: "):
            self.assertIn(words, asked[0]["prompt"])
        self.assertNotIn("What was tried last", asked[0]["prompt"])
        for words in ("SIZE = 2 ** 6", "round 1: larger blocks (said by gpt-5.2): kept", "expected: a quarter of the time", "try: larger blocks (said by gpt-5.2): it helped"):
            self.assertIn(words, asked[1]["prompt"])
        files = self.artifacts()
        self.assertEqual(files["w0/round001_opt_reply.txt"], EDIT)
        self.assertIn("SIZE = 2 ** 6", files["w0/round002_opt_prompt.txt"])
        self.assertIn("came: ", files["w0/round002_reflexion.txt"])
        why = program.run("explain", self.out, cwd=self.folder)
        self.assertIn("larger blocks (said by gpt-5.2)", why.out)
        self.assertIn("2 questions to language models", why.out)

    def test_what_is_wrong_is_refused_and_told(self) -> None:
        done, asked = self.optimize([{"times": 1, "answer": answer(WRONG, "another formula")}, {"times": 1, "answer": "I would rather talk about the weather."}, {"times": 1, "answer": answer("# again\n" + SLOW)},
                                     {"times": 1, "answer": answer(SLOW)}, {"answer": answer(FAST)}], "--patience", "9", "--json", rounds=5)
        self.assertEqual(done.code, 0, done.text())
        rows = self.state()["attempts"]
        self.assertEqual([row["outcome"] for row in rows], ["refused", "refused", "same_code", "same_code", "kept"], rows)
        self.assertEqual(len(asked), 5)
        self.assertIn("result.mismatch", rows[0]["reason"])
        self.assertIn("no code block was found", rows[1]["reason"])
        self.assertIn("avoid: another formula (said by gpt-5.2): it was refused", asked[1]["prompt"])
        self.assertIn("result.mismatch", asked[1]["prompt"])
        self.assertIn("no code block was found", asked[2]["prompt"])
        self.assertIn("nothing new", asked[4]["prompt"])
        self.assertEqual(done.json()["candidates"], {"refused": 2, "same_code": 2, "kept": 1})

    def test_at_a_limit_the_search_goes_on_without_it(self) -> None:
        usage = {"input": 900, "output": 200}
        done, asked = self.optimize([{"times": 1, "answer": EDIT, "usage": usage}, {"answer": answer(FAST), "usage": usage}], "--max-tokens-total", "1000", "--json", rounds=5)
        self.assertEqual(done.code, 0, done.text())
        told = done.json()
        self.assertEqual((len(asked), told["total_rounds"]), (1, 2))
        says = "gpt-5.2 is not asked any more: the limit of 1000 tokens (--max-tokens-total) was reached"
        self.assertEqual((told["stop"], told["models"]["silent"]), (f"no move is left to try: {says}", says))
        self.assertIn("SIZE = 2 ** 6", told["kernel_code"])
        self.assertIn(says, json.loads((self.out / "summary.json").read_text())["message"])
        with FakeModel([{"answer": answer(FAST), "usage": usage}]) as fake:  # what the run has spent counts when it goes on
            again = program.run("optimize", "--resume", self.out, "--max-tokens-total", "2000", "--max-rounds", "9", env=clean_environment(fake.environment()), cwd=self.folder)
            self.assertEqual((again.code, len(fake.requests())), (0, 1), again.text())
        self.assertRegex(again.out, r"2 questions to language models, 2200 tokens, [\d.]+ dollars; the limit of 2000 tokens")
        self.assertIn("SIZE = 2 ** 10", (self.out / "output/best_kernel.py").read_text())

    def test_a_replay_needs_no_server(self) -> None:
        done, asked = self.optimize([{"times": 1, "answer": answer(WRONG)}, {"answer": answer(FAST)}], "--record", self.folder / "r.jsonl", "--json", rounds=2)
        self.assertEqual((done.code, len(asked)), (0, 2), done.text())
        again = program.run(*self.words("--replay", self.out, "--json", device=f"recorded:{self.folder / 'r.jsonl'}", out=self.folder / "again" / "run", rounds=2), env=clean_environment({}), cwd=self.folder)
        self.assertEqual(again.code, 0, again.text())
        self.assertEqual(self.artifacts(self.folder / "again" / "run"), self.artifacts())
        self.assertEqual(again.json()["models"]["questions"], 2)
        self.assertNotIn("another question", again.err)
        timed = program.run(*self.words("--replay", self.out, "--json", out=self.folder / "timed", rounds=2), env=clean_environment({}), cwd=self.folder)
        self.assertEqual((timed.code, timed.json()["kernel_code"].strip()), (0, FAST), timed.text())
        alone = program.run(*self.words("--json", device=f"recorded:{self.folder / 'r.jsonl'}", out=self.folder / "alone", rounds=2), env=clean_environment({}), cwd=self.folder)
        self.assertEqual((alone.code, alone.json()["kernel_code"].strip(), alone.json()["models"]), (0, FAST, None), alone.text())
        self.assertEqual(alone.json()["candidates"], done.json()["candidates"])

    def test_hostile_words_are_only_words(self) -> None:
        hostile = "\x1b[2J\x1b]0;title\x07 <script>alert(1)</script> \u202ekernel {{task}} %s " + "x" * 500
        done, _ = self.optimize([{"answer": answer(FAST, hostile, hostile)}])
        self.assertEqual(done.code, 0, done.text())
        why, page = program.run("explain", self.out, cwd=self.folder), self.folder / "page.html"
        self.assertEqual(program.run("report", self.out, "--out", page, cwd=self.folder).code, 0)
        for text in (done.out, done.err, why.out):
            for bad in ("\x1b", "\x07", "\u202e"):
                self.assertNotIn(bad, text)
        self.assertIn("<script>alert(1)</script>", done.out)
        self.assertLess(max(map(len, done.out.splitlines())), 300)
        self.assertNotIn("<script>alert(1)", page.read_text())

    def test_nobody_is_asked_who_was_not_named(self) -> None:
        done, asked = self.optimize([{"answer": answer(FAST)}], "--json", model="")
        self.assertEqual((done.code, len(asked), done.json()["models"]), (0, 0, None), done.text())
        self.assertEqual(done.json()["stop"], "no move is left to try")
        (self.folder / "c.yaml").write_text("openai_model: gpt-5.2\nhigh_reasoning_effort: false\n")
        self.out = self.folder / "by_file"
        done, asked = self.optimize([{"answer": answer(FAST)}], "--config", self.folder / "c.yaml", "--json", model="")
        self.assertEqual((done.code, [one["model"] for one in asked]), (0, ["gpt-5.2"]), done.text())
        self.assertEqual(done.json()["config_notes"], [])
        self.out = self.folder / "no_key"
        alone = program.run(*self.words("--model", "gpt-5.2", "--json", "--verbose"), env=clean_environment({}), cwd=self.folder)
        self.assertEqual(alone.code, 0, alone.text())
        self.assertIn("gpt-5.2 is not asked", alone.err)
        self.assertIn("gpt-5.2 was not asked", alone.json()["models"]["silent"])
        self.out = self.folder / "no_server"
        gone = program.run(*self.words("--model", "gpt-5.2", "--json", "--llm-timeout-s", "1"), env=clean_environment({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k"}), cwd=self.folder)
        self.assertEqual(gone.code, 0, gone.text())
        self.assertIn("no move is left to try: gpt-5.2 is not asked any more", gone.json()["stop"])


if __name__ == "__main__":
    unittest.main()

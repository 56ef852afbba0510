"""Language-model workers against the fake server: every way in which a conversation can go, as users see it."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import KEY, FakeModel, clean_environment, need_client

RELU = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
"""
# The built-in generator has no row for it.
POLYNOMIAL = RELU.replace("torch.relu(x)", "torch.special.shifted_chebyshev_polynomial_t(x, 2)")
TWO_PARTS = RELU.replace("torch.relu(x)", "torch.softmax(torch.relu(x) @ x.t(), -1)")
KERNEL = program.RELU_KERNEL.strip()
WRONG = KERNEL.replace("x < 0, 0.0, x", "x < 0, 0.5, x")
CHEAT = "import torch\n\n\ndef kernel_function(x):\n    return torch.relu(x)\n"
POLYNOMIAL_KERNEL = KERNEL.replace("tl.where(x < 0, 0.0, x)", "(4.0 * x - 2.0) * (2.0 * x - 1.0) - 1.0")


def fenced(code: str) -> str:
    return f"The kernel:\n\n```python\n{code}\n```\n"


def setUpModule() -> None:
    need_client()


class Workers(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.out = self.folder.path / "run"

    def ask(self, rules: list[dict[str, Any]], *words: str | Path, problem: str = RELU, command: str = "auto", alone: bool = True, workers: int = 1) -> tuple[program.Finished, list[dict[str, Any]]]:
        path = self.folder.write("p.py", problem)
        with FakeModel(rules) as fake:
            given = ["--problem", path, "--model", "gpt-5.2", "--workers", str(workers), "--no-router-cache", "--out", self.out, "--json", *(["--producers", "model"] if alone else []), *words]
            if command == "generate":
                given.remove("--no-router-cache")
            done = program.run(command, *given, env=clean_environment(fake.environment()), cwd=self.folder.path)
            return done, fake.requests()

    def accepted(self, done: program.Finished, **wanted: Any) -> dict[str, Any]:
        self.assertEqual(done.code, 0, done.text())
        answer = done.json()
        self.assertTrue(answer["success"], done.text())
        for name, value in wanted.items():
            self.assertEqual(answer["details"][name], value, answer["details"])
        return answer

    def attempt(self, worker: int, round_: int) -> dict[str, Any]:
        return json.loads((self.out / f"workers/worker_{worker}/round_{round_}.json").read_text())

    def test_a_wrong_kernel_is_refined(self) -> None:
        done, asked = self.ask([{"times": 1, "answer": fenced(WRONG)}, {"answer": fenced(KERNEL)}])
        answer = self.accepted(done, producer="model", worker_id=1, rounds=2)
        self.assertEqual(answer["kernel_code"].strip(), KERNEL)
        self.assertEqual(self.attempt(1, 1)["rule"], "result.mismatch")
        self.assertEqual(len(asked), 2)
        self.assertIn("torch.relu(x)", asked[0]["prompt"])
        self.assertIn("result.mismatch", asked[1]["prompt"])
        self.assertIn("0.5, x", asked[1]["prompt"])

    def test_a_cheat_is_refused_by_its_rule(self) -> None:
        done, asked = self.ask([{"times": 1, "answer": fenced(CHEAT)}, {"answer": fenced(KERNEL)}])
        self.accepted(done, rounds=2)
        rule = self.attempt(1, 1)["rule"]
        self.assertTrue(rule.startswith("policy."), rule)
        self.assertIn(rule, asked[1]["prompt"])

    def test_what_is_no_kernel_is_answered_by_a_sentence(self) -> None:
        rules = [{"times": 1, "answer": "I would rather talk about the weather."}, {"times": 1, "answer": "```cpp\nint main() {}\n```"}, {"answer": fenced(KERNEL)}]
        done, asked = self.ask(rules)
        self.accepted(done, rounds=3)
        self.assertIn(self.attempt(1, 1)["reason"], asked[1]["prompt"])
        self.assertIn(self.attempt(1, 2)["reason"], asked[2]["prompt"])

    def test_the_same_kernel_again_is_not_judged_again(self) -> None:
        rules = [{"times": 1, "answer": fenced(WRONG)}, {"times": 1, "answer": fenced("# once more\n" + WRONG)}, {"answer": fenced(KERNEL)}]
        done, asked = self.ask(rules)
        self.accepted(done, rounds=3)
        self.assertIn("tried before", self.attempt(1, 2)["reason"])
        self.assertIn("tried before", asked[2]["prompt"])

    def test_an_answer_that_is_cut_is_continued(self) -> None:
        whole = fenced(KERNEL)
        done, asked = self.ask([{"times": 1, "answer": whole[:400], "finish": "length"}, {"answer": whole[400:]}])
        self.accepted(done, rounds=1)
        self.assertEqual(len(asked), 2)

    def test_edits_of_the_kernel_that_was_refused(self) -> None:
        edit = "<<<<<<< SEARCH\n    tl.store(y_ptr + offsets, tl.where(x < 0, 0.5, x), mask=mask)\n=======\n    tl.store(y_ptr + offsets, tl.where(x < 0, 0.0, x), mask=mask)\n>>>>>>> REPLACE\n"
        done, _ = self.ask([{"times": 1, "answer": fenced(WRONG)}, {"answer": edit}])
        self.assertEqual(self.accepted(done, rounds=2)["kernel_code"].strip(), KERNEL)

    def test_a_storm_of_refusals_and_a_cut_stream_are_retried(self) -> None:
        busy = {"times": 2, "status": 429, "headers": {"Retry-After": "0"}, "body": "{\"error\": {\"message\": \"slow down\"}}"}
        done, asked = self.ask([busy, {"times": 1, "answer": fenced(KERNEL), "act": "cut", "after": 3}, {"answer": fenced(KERNEL)}])
        self.accepted(done, rounds=1)
        self.assertEqual(len(asked), 4)

    def test_a_model_that_says_nothing_ends_its_worker(self) -> None:
        done, _ = self.ask([{"act": "stall", "answer": "..."}], "--llm-timeout-s", "1")
        self.assertEqual(done.code, 1, done.text())
        self.assertIn("gpt-5.2", done.json()["details"]["message"])
        self.out = self.folder.path / "both"
        done, _ = self.ask([{"act": "stall", "answer": "..."}], "--llm-timeout-s", "1", alone=False)
        self.accepted(done, producer="codegen")  # nothing is lost

    def test_the_first_accepted_kernel_stops_the_others(self) -> None:
        names = "{" + ", ".join(f'"{word}"' for word in "abcd") + "}"
        rules = [{"times": 1, "answer": fenced(KERNEL)}, {"times": 1, "answer": fenced(KERNEL.replace("1024", "512"))}, {"act": "stall", "answer": names}]
        done, asked = self.ask(rules, workers=4)
        answer = self.accepted(done, producer="model")
        self.assertIn(answer["kernel_code"].strip(), (KERNEL, KERNEL.replace("1024", "512")))
        self.assertEqual(len(asked), 4)
        self.assertLess(done.seconds, 60)  # nobody waits for the two that say nothing

    def test_at_the_limit_of_tokens_nothing_more_is_asked(self) -> None:
        rules = [{"answer": fenced(WRONG), "usage": {"input": 600, "output": 600}}]
        done, asked = self.ask(rules, "--max-tokens-total", "1000")
        self.assertEqual(done.code, 1, done.text())
        self.assertEqual(len(asked), 1)
        self.assertIn("--max-tokens-total", done.json()["details"]["message"])
        self.out = self.folder.path / "both"
        done, asked = self.ask(rules, "--max-dollars", "0", alone=False)
        self.accepted(done, producer="codegen")
        self.assertEqual(asked, [])

    def test_the_rounds_are_counted(self) -> None:
        done, asked = self.ask([{"answers": [fenced(WRONG.replace("0.5", str(number))) for number in (0.5, 0.6, 0.7, 0.8)]}], "--rounds", "3", "--no-fallback")
        self.assertEqual(done.code, 1, done.text())
        self.assertEqual(len(asked), 3)
        self.assertIn("3 rounds", done.json()["details"]["message"])

    def test_the_built_in_kernel_is_the_one_to_beat_and_stays_without_a_gpu(self) -> None:
        done, asked = self.ask([{"answer": fenced(KERNEL)}], alone=False)
        answer = self.accepted(done, producer="codegen")
        self.assertIn("relu_kernel", answer["kernel_code"])
        self.assertIn(answer["kernel_code"].splitlines()[-2].strip(), asked[0]["prompt"])
        self.assertEqual((self.out / "model_kernel.py").read_text().strip(), KERNEL)

    def test_what_the_built_in_generator_cannot_write(self) -> None:
        for command in ("auto", "generate"):
            with self.subTest(command):
                self.out = self.folder.path / command
                done, asked = self.ask([{"answer": fenced(POLYNOMIAL_KERNEL)}], problem=POLYNOMIAL, alone=False, command=command)
                answer = done.json()
                self.assertEqual(done.code, 0, done.text())
                self.assertEqual(answer["details"]["producer"], "model")
                self.assertEqual(len(asked), 1)
        self.assertEqual(answer["worker_id"], 1)

    def test_parts_are_asked_for_one_by_one(self) -> None:
        done, asked = self.ask([{"answer": "no"}], "--rounds", "1", problem=TWO_PARTS, command="pipeline", alone=False)
        self.assertEqual(done.code, 0, done.text())
        parts = json.loads((self.out / "kernels_out/summary.json").read_text())
        self.assertEqual(len(asked), len(parts))
        for part in parts:
            self.assertEqual(part["producer"], "codegen")
            self.assertTrue((self.out / "conversations/dispatch" / part["id"] / "worker_1/1.json").exists())

    def test_a_model_is_asked_about_the_route(self) -> None:
        path = self.folder.write("p.py", TWO_PARTS)
        for answer, decided_by in (("{\"strategy\": \"kernelagent\", \"confidence\": 0.8, \"reason\": \"one is enough\"}", "model"), ("whatever you like", "rules")):
            with self.subTest(decided_by), FakeModel([{"answer": answer}]) as fake:
                done = program.run("auto", "--problem", path, "--router-model", "gpt-5.2", "--no-router-cache", "--json", env=clean_environment(fake.environment()), cwd=self.folder.path)
                decided = done.json()["details"]["decided"]
                self.assertEqual((done.code, decided["decided_by"], len(fake.requests())), (0, decided_by, 1), done.text())
                if decided_by == "model":
                    self.assertEqual((decided["strategy"], decided["rationale"]), ("kernelagent", "one is enough"))

    def test_a_recording_is_replayed_offline(self) -> None:
        done, _ = self.ask([{"times": 1, "answer": fenced(WRONG)}, {"answer": fenced(KERNEL)}])
        self.accepted(done)
        again = self.folder.path / "again"
        names = ("kernel.py", "verdict.json", "candidate.json", "conversations", "workers", "route.json")
        for _ in range(2):
            replayed = program.run("auto", "--replay", self.out, "--out", again, "--no-router-cache", "--json", env=clean_environment({}), cwd=self.folder.path)
            self.assertEqual(replayed.code, 0, replayed.text())
            self.assertEqual(program.contents(again, names), program.contents(self.out, names))
        nothing = program.run("auto", "--replay", self.folder.path, "--json", env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual((nothing.code, len(nothing.err.splitlines())), (2, 1), nothing.text())

    def test_a_run_that_goes_on_asks_no_question_twice(self) -> None:
        wrong = [{"times": 1, "answer": fenced(WRONG.replace("0.5", number))} for number in ("0.5", "0.6", "0.7")]
        done, asked = self.ask(wrong, "--max-attempts", "2")
        self.assertEqual(done.code, 1, done.text())
        with FakeModel([{"answer": fenced(KERNEL)}]) as fake:
            more = program.run("auto", "--resume", self.out, "--json", env=clean_environment(fake.environment()), cwd=self.folder.path)
            self.assertEqual(more.code, 0, more.text())
            self.assertEqual((len(asked), len(fake.requests())), (3, 1))
            self.assertEqual(more.json()["details"]["rounds"], 4)

    def test_the_key_is_in_no_file(self) -> None:
        done, asked = self.ask([{"times": 1, "act": "echo_key"}, {"answer": fenced(KERNEL)}])
        self.accepted(done)
        self.assertIn(KEY, json.dumps(asked[0]["headers"]))
        for path in self.folder.path.rglob("*"):
            if path.is_file() and path.name != "requests.jsonl":
                self.assertNotIn(KEY.encode(), path.read_bytes(), path)
        self.assertNotIn(KEY, done.out + done.err)

    def test_a_model_without_a_key_is_left_out_and_told(self) -> None:
        path = self.folder.write("p.py", RELU)
        words = ("auto", "--problem", path, "--model", "gpt-5.2", "--no-router-cache", "--verbose")
        done = program.run(*words, "--out", self.out, env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("gpt-5.2 is not asked", done.err)
        alone = program.run(*words, "--producers", "model", env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual(alone.code, 3, alone.text())
        self.assertIn("OPENAI_API_KEY", alone.err)
        unknown = program.run(*words, "--producers", "everybody", env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual(unknown.code, 2, unknown.text())


if __name__ == "__main__":
    unittest.main()

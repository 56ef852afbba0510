"""What a language model is asked about a sentence is a conversation of the run like all others: recorded, counted, limited, replayed."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import FakeModel, need_client
from test_sentence_problem import GOOD, MODEL, RAISES, SENTENCE, UNKNOWN, Case, fenced


def setUpModule() -> None:
    need_client()


class Conversation(Case):
    asked: list[str]

    def started(self, rules: list[dict[str, Any]], *words: str | Path, code: int = 0) -> program.Finished:
        with FakeModel(rules) as fake:
            done = self.run_it(*words, "--model", MODEL, code=code, env=fake.environment())
            self.asked = [request["prompt"] for request in fake.requests()]
        return done

    def test_it_is_recorded_and_told(self) -> None:
        rules = [{"answer": fenced(RAISES), "times": 1, "usage": {"input": 100, "output": 20}}, {"answer": fenced(GOOD), "usage": {"input": 200, "output": 30}}]
        done = self.started(rules, "generate", UNKNOWN, "--producers", "codegen", "--no-verify", "--out", self.out)
        self.assertTrue(done.out.endswith("2 questions to language models, 350 tokens\n"), done.out)
        told = [json.loads((self.out / f"conversations/sentence/{number}.json").read_text()) for number in (1, 2)]
        self.assertEqual([one["reply"]["answers"][0]["text"] for one in told], [fenced(RAISES), fenced(GOOD)])
        self.assertEqual((self.record()["questions"], self.record()["input_tokens"], self.record()["output_tokens"]), (2, 300, 50))
        self.assertIn("2 questions about it, 350 tokens", self.run_it("explain", self.out).out)
        self.assertEqual(self.run_it("explain", self.out, "--json").json()["sentence"]["questions"], 2)

    def test_at_a_limit_nothing_more_is_asked_and_what_was_answered_is_not_asked_again(self) -> None:
        words = ("auto", UNKNOWN, "--producers", "codegen", "--device", "cpu", "--json", "--out", self.out)
        costly = {"answer": fenced(RAISES), "usage": {"input": 600, "output": 600}}
        done = self.started([costly], *words, "--max-tokens-total", "1000", code=1)
        self.assertIn("the limit of 1000 tokens (--max-tokens-total) was reached before a-local-model had written a program", done.err)
        self.assertEqual((len(self.asked), done.out, len(done.err.splitlines())), (1, "", 1))
        self.assertIn("begin it anew, with --out", self.run_it("auto", "--resume", self.out, code=2).err)
        done = self.started([{"answer": fenced(GOOD), "usage": {"input": 7, "output": 3}}], *words)
        self.assertEqual(len(self.asked), 1)
        self.assertIn("forward raises AttributeError", self.asked[0])
        self.assertEqual(done.json()["details"]["models"], {"questions": 2, "input_tokens": 607, "output_tokens": 603, "dollars": 0.0, "limit": ""})
        self.run_it("generate", SENTENCE, "--no-verify", "--out", self.folder.path / "other")
        refused = self.started([costly], "auto", UNKNOWN, "--out", self.folder.path / "other", code=2)
        self.assertIn("holds a run of another problem", refused.err)
        self.assertEqual(self.asked, [])

    def test_it_counts_against_the_limits_of_the_whole_run(self) -> None:
        costly = {"answer": fenced(GOOD), "usage": {"input": 600, "output": 600}}
        done = self.started([costly], "auto", UNKNOWN, "--device", "cpu", "--json", "--max-tokens-total", "1000", "--out", self.out)
        self.assertEqual((len(self.asked), done.json()["details"]["producer"]), (1, "codegen"))
        self.assertEqual((done.json()["details"]["models"]["questions"], done.json()["details"]["models"]["limit"]), (1, "the limit of 1000 tokens (--max-tokens-total)"))

    def test_the_kernel_writer_is_shown_the_sentence_and_all_is_replayed_offline(self) -> None:
        kernel = program.RELU_KERNEL.strip().replace("tl.where(x < 0, 0.0, x)", "tl.where(x < 0, 0.0, x) * 2")
        rules = [{"match": "describes a computation in plain words", "answers": [fenced(RAISES), fenced(GOOD)]}, {"answer": fenced(kernel + "\n")}]
        words = ("generate", UNKNOWN, "--producers", "model", "--workers", "1", "--device", "cpu", "--json")
        done = self.started(rules, *words, "--out", self.out)
        self.assertEqual((done.json()["kernel_code"].strip(), len(self.asked)), (kernel, 3))
        self.assertRegex(self.asked[2], rf"This is what was asked for, in words:\n\n\[begin description \w+\]\n{re.escape(UNKNOWN)}\n\[end description \w+\]")
        names = ("conversations", "sentence.json", "problem.py", "kernel.py", "workers")
        for number, again in enumerate(((*words, "--model", MODEL), ("auto",))):
            with self.subTest(again):
                out = self.folder.path / f"again_{number}"
                self.run_it(*again, "--replay", self.out, "--out", out)
                self.assertEqual(program.contents(out, names), program.contents(self.out, names))


if __name__ == "__main__":
    unittest.main()

"""Language models that are asked where to cut the program and how to compose it, against the fake server: the rules stand unless the answer is found to be better."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import unittest
from pathlib import Path
from typing import Any

import program
from fake_model import FakeModel, clean_environment, need_client
from test_workers import POLYNOMIAL, POLYNOMIAL_KERNEL, RELU, TWO_PARTS, fenced

# Five parts by rule; as one it needs a launch less, and moves an eighth fewer bytes.
MERGED = program.ROOT / "test" / "problems" / "window_heads.py"


def setUpModule() -> None:
    need_client()


def groups(*members: list[str]) -> str:
    return json.dumps({"groups": members, "reason": "fewer values go through memory"})


def operations(prompt: str) -> list[str]:
    return re.findall(r"^- (\S+): ", prompt[prompt.index("The operations"):prompt.index("The rules cut")], re.MULTILINE)


class Advice(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = program.Folder()
        self.addCleanup(self.folder.remove)
        self.out = self.folder.path / "run"

    def ask(self, rules: list[dict[str, Any]], command: str, *words: str | Path) -> tuple[program.Finished, list[dict[str, Any]]]:
        with FakeModel(rules) as fake:
            done = program.run(command, *words, env=clean_environment(fake.environment()), cwd=self.folder.path)
            return done, fake.requests()

    def extract(self, problem: Path, rules: list[dict[str, Any]], *words: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        done, asked = self.ask(rules, "extract", "--problem", problem, "--extract-model", "gpt-5.2", "--out", self.out, *words)
        self.assertEqual(done.code, 0, done.text())
        return json.loads((self.out / "orchestrator/cut.json").read_text()), asked

    def test_a_cut_that_is_better_is_taken_and_replayed(self) -> None:
        _, asked = self.extract(MERGED, [{"answer": "no"}])
        ids = operations(asked[0]["prompt"])
        self.assertGreater(len(ids), 10)
        self.assertGreater(len(json.loads((self.out / "subgraphs.json").read_text())), 1)
        self.out = self.folder.path / "judged"
        cut, asked = self.extract(MERGED, [{"answer": groups(ids)}])
        self.assertEqual((cut["decided_by"], len(asked)), ("model", 1), cut)
        self.assertIn("its composed program is accepted", cut["message"])
        self.assertEqual(cut["rounds"][0]["reason"], "fewer values go through memory")
        self.assertEqual(len(json.loads((self.out / "subgraphs.json").read_text())), 1)

        first, second = self.folder.path / "first", self.folder.path / "second"
        done, _ = self.ask([{"answer": groups(ids)}], "pipeline", "--problem", MERGED, "--extract-model", "gpt-5.2", "--no-router-cache", "--no-verify", "--out", first)
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("not judged", json.loads((first / "orchestrator/cut.json").read_text())["message"])
        self.assertEqual((first / "subgraphs.json").read_bytes(), (self.out / "subgraphs.json").read_bytes())
        offline = program.run("pipeline", "--replay", first, "--out", second, env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual(offline.code, 0, offline.text())
        for name in ("orchestrator/cut.json", "subgraphs.json", "compose_out/composed_kernel.py"):
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes(), name)

    def test_answers_that_are_no_better_cut_go_back_with_the_reason(self) -> None:
        problem = self.folder.write("p.py", TWO_PARTS)
        _, asked = self.extract(problem, [{"answer": "no"}])
        self.assertEqual(len(asked), 3)
        ids = operations(asked[0]["prompt"])
        first, last = ids[0], ids[-1]
        plain = json.loads((self.out / "subgraphs.json").read_text())
        rows = [("I would leave it.", "no JSON object was found"), ('{"groups": "all"}', "must be a list of lists of ids"), ('{"groups": [["nothing"]]}', '"nothing" is no operation of the list'),
                (groups(ids[:-1]), f"{last} is in no group"), (groups(ids, [first]), f"{first} is there twice"), (groups([first, last], ids[1:-1]), "needs a result of a group"),
                (groups(*([each] for each in ids)), "the cut is not faster")]
        for answer, says in rows:
            with self.subTest(says):
                self.out = self.folder.path / f"row{len(list(self.folder.path.iterdir()))}"  # in the same folder no question is asked twice
                cut, asked = self.extract(problem, [{"answer": answer}])
                self.assertEqual(cut["decided_by"], "rules", cut)
                self.assertIn(says, cut["rounds"][0]["outcome"])
                self.assertIn("the cut of the rules stands", cut["message"])
                self.assertEqual(json.loads((self.out / "subgraphs.json").read_text()), plain)
                if len(asked) > 1:
                    self.assertIn("An earlier answer was not taken: ", asked[1]["prompt"])
                    self.assertIn(says.replace('"', ""), asked[1]["prompt"].replace('"', ""))

    def test_a_model_that_cannot_be_asked_leaves_the_cut_to_the_rules(self) -> None:
        problem = self.folder.write("p.py", TWO_PARTS)
        cut, _ = self.extract(problem, [{"status": 400, "body": "{\"error\": {\"message\": \"no such model\"}}"}])
        self.assertEqual((cut["decided_by"], cut["rounds"]), ("rules", []), cut)
        self.assertIn("no such model", cut["message"])

    def composed_by_rules(self) -> tuple[Path, str]:
        """The problem, and its composed program without the test of itself."""
        problem = self.folder.write("p.py", TWO_PARTS)
        done = program.run("pipeline", "--problem", problem, "--no-verify", "--no-router-cache", "--out", self.out, env=clean_environment({}), cwd=self.folder.path)
        self.assertEqual(done.code, 0, done.text())
        text = (self.out / "compose_out/composed_kernel.py").read_text()
        return problem, text[:text.index("if __name__ ==")]

    def compose(self, problem: Path, rules: list[dict[str, Any]]) -> tuple[program.Finished, list[dict[str, Any]]]:
        return self.ask(rules, "compose", "--problem", problem, "--subgraphs", self.out / "subgraphs.json", "--kernels-summary", self.out / "kernels_out/summary.json", "--verify", "--compose-model",
                        "gpt-5.2", "--out-dir", self.folder.path / "compose_out", "--json")

    def test_where_the_rules_composition_is_refused_the_models_is_taken(self) -> None:
        problem, text = self.composed_by_rules()
        summary = self.out / "kernels_out/summary.json"
        parts = json.loads(summary.read_text())
        kernel = self.out / "kernels_out" / parts[0]["id"] / "kernel.py"
        broken = kernel.read_text().replace("tl.maximum(", "1.25 * tl.maximum(", 1)
        self.assertNotEqual(broken, kernel.read_text())
        kernel.write_text(broken)
        parts[0]["kernel_sha256"] = hashlib.sha256(broken.encode()).hexdigest()
        summary.write_text(json.dumps(parts))
        done, asked = self.compose(problem, [{"times": 1, "answer": fenced("def kernel_function(x):\n    return x\n")}, {"answer": fenced(text)}])
        self.assertEqual(done.code, 0, done.text())
        self.assertEqual(len(asked), 2)
        for words in ("step 1: ", "step 2: ", "1.25 * ", "torch.softmax"):
            self.assertIn(words, asked[0]["prompt"])
        folder = self.folder.path / "compose_out"
        said = json.loads((folder / "summary.json").read_text())
        self.assertTrue(said["verified"], said)
        self.assertIn("worker 1 of gpt-5.2, round 2", said["message"])
        self.assertEqual(json.loads((folder / "candidate.json").read_text())["producer"], "model")
        self.assertIn("1.25 * ", (folder / "composed_by_rules.py").read_text())
        composed = folder / "composed_kernel.py"
        self.assertEqual(said["sha256"], hashlib.sha256(composed.read_bytes()).hexdigest())
        alone = subprocess.run([program.environment({})["KERNELAGENT_PYTHON"], str(composed)], env={**program.environment({}), "TRITON_INTERPRET": "1"}, capture_output=True, text=True, timeout=program.LIMIT_S)
        self.assertEqual((alone.returncode, "ALL_TESTS_PASSED" in alone.stdout), (0, True), alone.stdout + alone.stderr)

    def test_without_a_gpu_the_rules_composition_stays(self) -> None:
        problem, text = self.composed_by_rules()
        name = re.search(r"@triton\.jit\ndef (\w+)\(", text)
        assert name is not None
        done, asked = self.compose(problem, [{"answer": fenced(text.replace(name[1], name[1] + "_of_mine"))}])
        self.assertEqual(done.code, 0, done.text())
        self.assertEqual(len(asked), 1)
        said = json.loads((self.folder.path / "compose_out/summary.json").read_text())
        self.assertIn("is accepted too", said["message"])
        self.assertNotIn("_of_mine", (self.folder.path / "compose_out/composed_kernel.py").read_text())
        self.assertIn("_of_mine", (self.folder.path / "compose_out/model_kernel.py").read_text())

    def test_a_key_without_a_model_serves_what_the_built_in_generator_cannot_do(self) -> None:
        easy, hard = self.folder.write("easy.py", RELU), self.folder.write("hard.py", POLYNOMIAL)
        words = ("--no-router-cache", "--json", "--workers", "1", "--problem")
        done, asked = self.ask([{"answer": fenced(POLYNOMIAL_KERNEL)}], "auto", *words, easy)
        self.assertEqual((done.code, len(asked)), (0, 0), done.text())
        done, asked = self.ask([{"answer": fenced(POLYNOMIAL_KERNEL)}], "auto", *words, hard)
        self.assertEqual(done.code, 0, done.text())
        self.assertEqual([request["model"] for request in asked], ["claude-sonnet-4-20250514"])
        self.assertEqual(done.json()["details"]["producer"], "model")
        done, asked = self.ask([{"answer": "-"}], "auto", *words, hard, "--producers", "codegen")
        self.assertEqual((done.code, len(asked)), (1, 0), done.text())
        sentence = "frobnicate every row of (64, 128)"
        done, asked = self.ask([{"times": 1, "answer": fenced(RELU)}], "generate", sentence, "--json", "--no-verify")
        self.assertEqual((done.code, [request["model"] for request in asked]), (0, ["claude-sonnet-4-20250514"]), done.text())
        done, asked = self.ask([{"answer": fenced(RELU)}], "generate", sentence, "--json", "--producers", "codegen")
        self.assertEqual((done.code, len(asked)), (2, 0), done.text())


if __name__ == "__main__":
    unittest.main()

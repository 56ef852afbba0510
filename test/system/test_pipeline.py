"""The pipeline as a user meets it: stages alone and together give the same bytes (runs that are stopped: test_resume.py; bad input: test_bad_files.py)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import program

ROOT = program.ROOT
PROBLEM = '''
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)

    def forward(self, x):
        return torch.relu(self.inner(self.norm(x))).view(-1, 2, x.shape[1]).sum(1)


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = torch.cumsum(block(x), 0)
        return torch.sort(x, -1)[0], x


rows, width = 12, 8


def get_inputs():
    return [torch.randn(rows, width)]


def get_init_inputs():
    return [width]
'''
STAGE_FILES = ("subgraphs.json", "orchestrator", "kernels_out", "compose_out")


class Pipeline(unittest.TestCase):
    folder: Path
    whole: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "p.py").write_text(PROBLEM)
        cls.whole = cls.folder / "runs" / "whole"
        cls.done = program.run("pipeline", "--problem", cls.folder / "p.py", "--out", cls.whole, "--no-router-cache", "--json")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def test_the_composed_program_is_verified_and_the_json_says_so(self) -> None:
        self.assertEqual(self.done.code, 0, self.done.text())
        told = self.done.json()
        self.assertEqual((told["route"], told["success"]), ("fuser", True))
        self.assertEqual(told["kernel_code"], (self.whole / "compose_out/composed_kernel.py").read_text())
        self.assertTrue(told["details"]["composition"]["verified"])
        subgraphs = json.loads((self.whole / "subgraphs.json").read_text())
        self.assertEqual(sorted(call["order"] for part in subgraphs for call in part["calls"]), list(range(sum(part["count"] for part in subgraphs))))
        self.assertGreater(sum(part["count"] for part in subgraphs), len(subgraphs), "nothing was found to be alike")
        results = json.loads((self.whole / "kernels_out/summary.json").read_text())
        self.assertEqual([one["id"] for one in results], [part["id"] for part in subgraphs])
        self.assertTrue(all(one["success"] for one in results))

    def test_the_program_tests_itself(self) -> None:
        done = subprocess.run([sys.executable, self.whole / "compose_out/composed_kernel.py"], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "TRITON_INTERPRET": "1"}, timeout=program.LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("PASS", done.stdout)
        self.assertIn("ALL_TESTS_PASSED", done.stdout)

    def test_the_refactored_program_is_in_the_archive(self) -> None:
        text = subprocess.run(["tar", "-xzOf", self.whole / "orchestrator/code.py.tgz", "code.py"], capture_output=True, text=True, check=True).stdout
        compile(text, "code.py", "exec")
        self.assertIn("nn.Module", text)

    def test_stages_alone_give_the_same_bytes(self) -> None:
        out = self.folder / "stages"
        problem = self.folder / "p.py"
        for words in (("extract", "--problem", problem, "--out", out),
                      ("dispatch", "--subgraphs", out / "subgraphs.json", "--out-dir", out / "kernels_out"),
                      ("compose", "--problem", problem, "--subgraphs", out / "subgraphs.json", "--kernels-summary", out / "kernels_out/summary.json",
                       "--out-dir", out / "compose_out", "--verify")):
            done = program.run(*words)
            self.assertEqual(done.code, 0, done.text())
        self.assertEqual(program.contents(out, STAGE_FILES), program.contents(self.whole, STAGE_FILES))

    def test_parts_of_other_sizes_and_values_share_their_kernels(self) -> None:
        out = self.folder / "runs" / "dense"
        done = program.run("pipeline", "--problem", ROOT / "test/problems/dense_block.py", "--no-verify", "--out", out)
        self.assertEqual(done.code, 0, done.text())
        parts = {part["id"]: part for part in json.loads((out / "subgraphs.json").read_text())}
        self.assertEqual([tensor["name"] for tensor in parts["cat_batch_norm_relu_3"]["inputs"]], ["x", "x_1", "x_2"])
        self.assertEqual(parts["cat_batch_norm_relu_3"]["calls"][0]["inputs"], ["x", "conv2d", "conv2d_1"])
        text = (out / "compose_out/composed_kernel.py").read_text()
        # seven layers: what is done to joined channels does not depend on how many images were joined, nor on what they are called
        for name, launches in {"relu_kernel": 4, "batch_norm_kernel_1": 4, "batch_norm_kernel_2": 4}.items():
            self.assertEqual(text.count(f"    {name}["), launches, name)
        self.assertLessEqual(text.count("@triton.jit"), 16, "24 where nothing is shared")

    def test_a_second_run_knows_the_export(self) -> None:
        folder = self.folder / "known"
        folder.mkdir()
        (folder / "p.py").write_text((self.folder / "p.py").read_text())

        def run(name: str, *words: str) -> tuple[str, bytes]:
            done = program.run("pipeline", "--problem", "p.py", "--no-verify", "--out", f"runs/{name}", *words, cwd=folder)
            self.assertEqual(done.code, 0, done.text())
            events = [json.loads(line) for line in (folder / "runs" / name / "events.jsonl").read_text().splitlines()]
            told = next(event["message"] for event in events if (event["stage"], event["event"]) == ("problem", "done"))
            return told, (folder / "runs" / name / "compose_out/composed_kernel.py").read_bytes()

        first = run("first")
        entries = list((folder / ".fuse/exports").iterdir())
        self.assertEqual((first[0], len(entries)), ("p.py loaded", 1))
        self.assertEqual(run("second"), ("p.py known from an earlier run", first[1]))
        entries[0].write_text(entries[0].read_text().replace("aten", "atem"))
        self.assertEqual(run("damaged"), first)
        (folder / "p.py").write_text("import json\n" + (folder / "p.py").read_text())  # not torch's, not among the known ones
        self.assertEqual(run("other")[0], "p.py loaded")
        self.assertEqual(len(list((folder / ".fuse/exports").iterdir())), 1)

    def test_a_part_without_a_kernel_is_named(self) -> None:
        kernels = self.folder / "some_failed"
        shutil.copytree(self.whole / "kernels_out", kernels)
        results = json.loads((kernels / "summary.json").read_text())
        results[0].update(success=False, message="no family takes it")
        (kernels / "summary.json").write_text(json.dumps(results))
        words = ("compose", "--problem", self.folder / "p.py", "--subgraphs", self.whole / "subgraphs.json", "--kernels-summary", kernels / "summary.json")
        done = program.run(*words, "--out-dir", self.folder / "c1", "--verify")
        self.assertEqual(done.code, 1, done.text())
        self.assertIn(results[0]["id"], done.out)
        self.assertFalse((self.folder / "c1/composed_kernel.py").exists())
        done = program.run(*words, "--out-dir", self.folder / "c2", "--verify", "--allow-torch-fallback", "--json")
        self.assertEqual((done.json()["torch_parts"], done.json()["verified"]), ([results[0]["id"]], False), done.text())
        self.assertIn("PyTorch", (self.folder / "c2/composed_kernel.py").read_text())


if __name__ == "__main__":
    unittest.main()

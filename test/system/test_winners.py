"""Winners: a search puts its kernel into the store; generate, auto and pipeline take it, judged again; lists, files and damage."""

from __future__ import annotations

import hashlib
import json
import unittest
from pathlib import Path
from typing import Any

import program

LINEAR = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.NAME = torch.nn.Linear(32, 64)

    def forward(self, x):
        return torch.cumsum(self.NAME(x), dim=1) if CUMSUM else self.NAME(x)

def get_inputs():
    return [torch.randn(16, 32)]

def get_init_inputs():
    return []
"""
FIRST = LINEAR.replace("NAME", "fc").replace("CUMSUM", "False")
SAME = LINEAR.replace("NAME", "projection").replace("CUMSUM", "False").replace("torch.randn", "torch.rand")
LARGER = SAME.replace("16, 32", "24, 32")
TWO_PARTS = LINEAR.replace("NAME", "fc").replace("CUMSUM", "True")

SLOW = """
import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, rows, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, 32)
    x = tl.load(x_ptr + row * 32 + k)
    w = tl.load(w_ptr + column[:, None] * 32 + k[None, :])
    y = tl.sum(w * x[None, :], axis=1) + tl.load(b_ptr + column)
    tl.store(y_ptr + row * 64 + column, y)


def kernel_function(x, fc_weight, fc_bias):
    x = x.contiguous()
    y = torch.empty((x.shape[0], 64), dtype=x.dtype, device=x.device)
    linear_kernel[(x.shape[0], triton.cdiv(64, 4))](x, fc_weight, fc_bias, y, x.shape[0], BLOCK=4)
    return y
"""


# An operator without a row in our table: 4 x^2 - 2.
HERMITE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.special.hermite_polynomial_h(x, 2)

def get_inputs():
    return [torch.randn(256, 16)]

def get_init_inputs():
    return []
"""
HERMITE_KERNEL = program.RELU_KERNEL.replace("tl.where(x < 0, 0.0, x)", "4.0 * x * x - 2.0").replace("1024", "64")


class Winners(unittest.TestCase):
    folder: program.Folder
    path: Path
    told: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = program.Folder()
        cls.path = cls.folder.path
        for name, text in {"first.py": FIRST, "same.py": SAME, "larger.py": LARGER, "two.py": TWO_PARTS, "k.py": SLOW}.items():
            cls.folder.write(name, text.lstrip())
        done = cls.run_in("optimize", "--problem", "first.py", "--kernel", "k.py", "--device", "cpu", "--max-rounds", "1", "--json")
        assert done.code == 0, done.text()
        cls.told = done.json()
        assert cls.run_in("runs", "winners", "--export", "all.json").code == 0

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.remove()

    @classmethod
    def run_in(cls, *words: str | Path) -> program.Finished:
        return program.run(*words, cwd=cls.path)

    def rows(self) -> list[dict[str, Any]]:
        return json.loads((self.path / "all.json").read_text())["winners"]

    def store_with(self, name: str, *rows: dict[str, Any]) -> Path:
        file = self.path / f"{name}.json"
        file.write_text(json.dumps({"schema": 1, "winners": rows}))
        store = self.path / f"{name}.sqlite"
        done = self.run_in("runs", "winners", "--store", store, "--import", file)
        self.assertEqual(done.code, 0, done.text())
        return store

    def test_a_search_keeps_its_winner(self) -> None:
        self.assertGreater(self.told["speedup"], 1)
        self.assertIn("kept as the winner for cpu (interpreter)", self.told["winner"]["message"])
        listed = self.run_in("runs", "winners", "--json").json()
        self.assertEqual(listed, self.rows())
        (row,) = listed
        self.assertEqual((row["signature"], row["kernel"]), (self.told["winner"]["signature"], self.told["kernel_code"]))
        self.assertEqual((row["gpu"], row["device"], row["problem"]), ("cpu (interpreter)", "cpu", "first.py"))
        self.assertEqual((row["best_ms"], row["input_ms"]), (self.told["best_time_ms"], self.told["initial_kernel_time_ms"]))
        self.assertIn(row["signature"][:12], self.run_in("runs", "winners").out)
        self.assertNotIn("winners", self.run_in("runs").out)

    def test_who_takes_it(self) -> None:
        rows = {
            "generate, other names": (("generate", "--problem", "same.py", "--device", "cpu"), True),
            "auto": (("auto", "--problem", "first.py", "--device", "cpu"), True),
            "not without --device cpu": (("generate", "--problem", "same.py"), False),
            "not where it is refused": (("generate", "--problem", "same.py", "--device", "cpu", "--no-winners"), False),
            "no other sizes": (("generate", "--problem", "larger.py", "--device", "cpu"), False),
            "no other mode": (("generate", "--problem", "same.py", "--device", "cpu", "--mode", "eval"), False),
            "no other tier": (("generate", "--problem", "same.py", "--device", "cpu", "--precision", "fp32"), False),
            "no class": (("generate", "--problem", "same.py", "--device", "cpu", "--emit", "kernelbench"), False),
        }
        for name, (words, taken) in rows.items():
            with self.subTest(name):
                done = self.run_in(*words, "--json")
                self.assertEqual(done.code, 0, done.text())
                told = done.json().get("details", done.json())
                self.assertEqual("store" in told, taken, done.text())
                self.assertTrue(told["verdict"]["accepted"])
                if taken:
                    self.assertEqual((told["store"]["accepted"], told["store"]["winner"]["run_id"]), (True, self.rows()[0]["run_id"]))
                    folder = told.get("folder") or told["run_dir"]
                    self.assertIn("linear_kernel[", (self.path / folder / "kernel.py").read_text())
                    self.assertIn("from the store of winners:", self.run_in("explain", folder).out)

    def test_a_winner_of_another_machine_serves_this_one(self) -> None:
        store = self.store_with("h200", {**self.rows()[0], "gpu": "NVIDIA H200 SXM", "device": "cuda"})
        done = self.run_in("generate", "--problem", "same.py", "--store", store)
        self.assertEqual(done.code, 0, done.text())
        self.assertRegex(done.out, "from the store of winners: .* ms on NVIDIA H200 SXM")
        other = self.run_in("generate", "--problem", "same.py", "--store", store, "--gpu", "a100")
        self.assertNotIn("from the store", other.out)
        old = self.store_with("old", {**self.rows()[0], "gpu": "NVIDIA H200 SXM", "device": "cuda", "versions": {"kernelagent": "0.1.0", "torch": "1.13.0", "triton": "3.0.0"}})
        self.assertNotIn("from the store", self.run_in("generate", "--problem", "same.py", "--store", old).out)

    def test_a_winner_that_lies_is_refused(self) -> None:
        kernel = SLOW.replace("axis=1) +", "axis=1) -")
        store = self.store_with("wrong", {**self.rows()[0], "kernel": kernel, "kernel_sha256": hashlib.sha256(kernel.encode()).hexdigest()})
        for command in ("generate", "auto"):
            with self.subTest(command):
                done = self.run_in(command, "--problem", "same.py", "--device", "cpu", "--store", store)
                self.assertEqual(done.code, 0, done.text())
                self.assertIn("is refused here (result.mismatch", done.out)
                self.assertIn("ACCEPTED", done.out)

    def test_a_part_takes_its_own(self) -> None:
        done = self.run_in("pipeline", "--problem", "two.py", "--device", "cpu", "--out", "parts")
        self.assertEqual(done.code, 0, done.text())
        results = json.loads((self.path / "parts/kernels_out/summary.json").read_text())
        self.assertEqual([row["producer"] for row in results], ["store", "codegen"], done.text())

    def test_a_program_that_the_generator_cannot_write(self) -> None:
        self.folder.write("hermite.py", HERMITE.lstrip())
        self.folder.write("hermite_kernel.py", HERMITE_KERNEL.lstrip())
        asked = ("--problem", "hermite.py", "--device", "cpu", "--store", "hermite.sqlite")
        self.assertEqual(self.run_in("auto", *asked).code, 1)
        found = self.run_in("optimize", *asked, "--kernel", "hermite_kernel.py", "--max-rounds", "1", "--json")
        self.assertIn("kept as the winner", found.json()["winner"]["message"], found.text())
        for command in ("auto", "generate"):
            with self.subTest(command):
                done = self.run_in(command, *asked)
                self.assertEqual(done.code, 0, done.text())
                self.assertIn("from the store of winners: ", done.out)

    def test_damage_is_one_sentence(self) -> None:
        store = self.path / "damaged.sqlite"
        store.write_bytes(b"not a database, whatever it is called" * 100)
        for words in (("--json",), ("--export", "x.json"), ("--remove", "ab"), ("--import", "all.json"), ("--rebuild",)):
            with self.subTest(words):
                done = self.run_in("runs", "winners", "--store", store, *words)
                self.assertEqual((done.code, len(done.err.splitlines())), (2, 1), done.text())
                self.assertIn("damaged.sqlite is no store of winners, or damaged", done.err)
        done = self.run_in("auto", "--problem", "first.py", "--device", "cpu", "--store", store, "--verbose")
        self.assertEqual(done.code, 0, done.text())
        self.assertIn("damaged.sqlite is no store of winners", done.err)

    def test_files_that_are_none(self) -> None:
        (self.path / "no.json").write_text("{}")
        (self.path / "half.json").write_text((self.path / "all.json").read_text()[:200])
        rows = {
            "no file": ("--import", "none.json", "does not exist"),
            "no winners": ("--import", "no.json", "no.json"),
            "half": ("--import", "half.json", "half.json"),
            "no such": ("--remove", "0000", "no winner has a signature"),
            "no hash": ("--remove", "../x", "is no signature"),
        }
        for name, (flag, value, says) in rows.items():
            with self.subTest(name):
                done = self.run_in("runs", "winners", flag, value)
                self.assertEqual((done.code, len(done.err.splitlines())), (2, 1), done.text())
                self.assertIn(says, done.err)
        self.assertEqual(self.run_in("runs", "list", "--rebuild").code, 2)
        self.assertEqual(self.run_in("runs", "winners", "--rebuild", "--remove", "ab").code, 2)

    def test_rebuilt_and_removed(self) -> None:
        store = self.path / "again.sqlite"
        done = self.run_in("runs", "winners", "--store", store, "--rebuild")
        self.assertEqual(done.code, 0, done.text())
        found = self.run_in("runs", "winners", "--store", store, "--json").json()  # other tests may have searched here as well
        self.assertEqual([row for row in found if row["problem"] == "first.py"], self.rows())
        gone = self.run_in("runs", "winners", "--store", store, "--remove", self.rows()[0]["signature"][:8])
        self.assertEqual((gone.code, gone.out), (0, "removed 1 winner\n"), gone.text())
        left = self.run_in("runs", "winners", "--store", store, "--json").json()
        self.assertEqual([row for row in left if row["problem"] == "first.py"], [])
        self.assertIn("no winners in", self.run_in("runs", "winners", "--store", "nowhere.sqlite").out)


if __name__ == "__main__":
    unittest.main()

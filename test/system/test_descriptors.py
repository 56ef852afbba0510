"""Products whose operands come by tensor descriptors, through the judge: `generate --forms descriptors` in the interpreter, where a block that is fetched wrongly gives wrong numbers."""

import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import program
from test_default_tiles import PROBLEM

FETCHED, POINTERS = "operands by descriptors", "operands by pointers: "

# name -> (sizes, constructor, forward, inputs, what the head of the file says of each product)
CASES = {
    "rests": ("M, N, K = 200, 136, 72", "pass", "return a @ b, c.T @ b, a @ d.T, c.T @ d.T",
              "torch.randn(M, K).half(), torch.randn(K, N).half(), torch.randn(K, M).half(), torch.randn(N, K).half()", [FETCHED] * 4),
    "batch": ("B, M = 3, 104", "pass", "return torch.relu(torch.bmm(a, b)) + 1, a.transpose(1, 2) @ b.transpose(1, 2)",
              "torch.randn(B, M, M).bfloat16(), torch.randn(B, M, M).bfloat16()", [FETCHED] * 2),
    "own_square": ("M = 136", "pass", "return a @ a.T + a", "torch.randn(M, M).bfloat16()", [FETCHED]),
    "heads": ("B, S = 2, 64", "pass", "return a.reshape(B, S, 3, 64)[:, :, 1] @ b", "torch.randn(B, S, 192).half(), torch.randn(B, 64, 72).half()",
              [POINTERS + "an operand is no block of memory"]),
    "narrow": ("M, N = 200, 136", "pass", "return a @ b", "torch.randn(M, 1).half(), torch.randn(1, N).half()", [POINTERS + "neither rows nor columns of an operand lie side by side in memory"]),
    "odd": ("M, N, K = 199, 137, 71", "pass", "return a @ b", "torch.randn(M, K).half(), torch.randn(K, N).half()", [POINTERS + "rows of a do not begin at multiples of 16 bytes"]),
    "few_rows": ("M, N, K = 24, 512, 64", "pass", "return a @ b", "torch.randn(M, K).half(), torch.randn(K, N).half()", [POINTERS + "a tile of 32 rows is multiplied out of registers"]),
    "layer": ("M, N, K = 1024, 2048, 2048", "self.layer = nn.Linear(K, N)", "return F.gelu(self.layer(a))", "torch.randn(M, K)", [FETCHED]),
}


def write(folder: str, name: str, **other: str) -> Path:
    sizes, init, forward, inputs, _ = CASES[name]
    text = PROBLEM.format(sizes=other.get("sizes", sizes), init=init, forward=forward, inputs=inputs, arguments=", ".join("abcd"[: inputs.count("torch.rand")]))
    path = Path(folder) / f"{name}{len(other)}.py"
    path.write_text(text)
    return path


class Descriptors(unittest.TestCase):
    def generated(self, folder: str, name: str) -> tuple[program.Finished, str]:
        done = program.run("generate", "--problem", write(folder, name), "--out", f"{folder}/{name}", "--forms", "descriptors", "--device", "cpu", "--no-winners", "--json")
        return done, (Path(folder) / name / "kernel.py").read_text()

    def test_every_kind_of_operand_is_read_right(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            for name, (done, text) in zip(CASES, pool.map(lambda name: self.generated(folder, name), CASES)):
                with self.subTest(name):
                    self.assertEqual(done.code, 0, done.text())
                    said = [line.partition(", operands")[2] for line in text.splitlines() if ", operands by" in line]
                    self.assertEqual(["operands" + rest for rest in said], CASES[name][4])

    def test_sizes_decide_at_every_launch(self):
        """A kernel that was written to fetch blocks reads by pointers where they do not fit; both in the same file."""
        with tempfile.TemporaryDirectory() as folder:
            done = program.run("generate", "--problem", write(folder, "rests"), "--out", f"{folder}/run", "--forms", "descriptors", "--no-verify", "--no-winners")
            self.assertEqual(done.code, 0, done.text())
            for sizes in ("M, N, K = 199, 137, 71", "M, N, K = 33, 260, 1", "M, N, K = 65, 8, 264"):
                judged = program.run("verify", "--problem", write(folder, "rests", sizes=sizes), "--kernel", f"{folder}/run/kernel.py", "--device", "cpu")
                self.assertEqual(judged.code, 0, sizes + judged.text())

    def test_a_chunk_of_one_step_adds_up_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            problem, kernel = write(folder, "layer"), Path(folder) / "run" / "kernel.py"
            done = program.run("generate", "--problem", problem, "--out", kernel.parent, "--forms", "descriptors", "--no-verify", "--no-winners")
            self.assertEqual(done.code, 0, done.text())
            text = kernel.read_text()
            self.assertIn("CHUNK=256", text)
            kernel.write_text(text.replace("CHUNK=256", "CHUNK=16"))
            judged = program.run("verify", "--problem", problem, "--kernel", kernel, "--device", "cpu")
            self.assertEqual(judged.code, 0, judged.text())

    def test_other_gpus_and_no_form_write_pointers(self):
        with tempfile.TemporaryDirectory() as folder:
            for gpu, forms, says in (("a100", "descriptors", POINTERS + "the GPU has no engine that copies blocks"), ("h200", "none", "")):
                done = program.run("generate", "--problem", write(folder, "rests"), "--out", f"{folder}/{gpu}", "--gpu", gpu, "--forms", forms, "--no-verify", "--no-winners")
                text = (Path(folder) / gpu / "kernel.py").read_text()
                self.assertEqual(done.code, 0, done.text())
                self.assertIn(says, text)
                self.assertNotIn("blocks", text.partition('"""\n\nimport')[2])


if __name__ == "__main__":
    unittest.main()

"""What Triton's compiler makes of products whose operands come by descriptors: the copy engine and the multiplier of an sm_90 are used, blocks go from one to the other without
coming back to registers, nothing spills, and shared memory is enough. No GPU is needed."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from compiled import PYTHON, TOOL
from test_default_tiles import PROBLEM, SHARED_LIMIT

SQUARE, TWO = "torch.rand(M, K), torch.rand(K, N)", "torch.rand(M, K){0}, torch.rand(K, N){0}"

# name -> (sizes, constructor, forward, inputs, (BM, BN, BK, warps, stages) of the product)
CASES = {
    "float32": ("M, N, K = 4096, 4096, 4096", "pass", "return a @ b", SQUARE, (128, 128, 64, 8, 3)),
    "float32_layer": ("M, N, K = 1024, 8192, 8192", "self.layer = nn.Linear(K, N)", "return F.gelu(self.layer(a))", "torch.rand(M, K)", (128, 128, 64, 8, 3)),
    "float32_batch_transposed": ("B, M, N, K = 8, 1024, 1024, 1024", "pass", "return a.transpose(1, 2) @ b.transpose(1, 2)", "torch.rand(B, K, M), torch.rand(B, N, K)",
                                 (128, 128, 64, 8, 3)),
    "float32_few_tiles": ("M, N, K = 768, 768, 2000", "pass", "return a @ b", SQUARE, (64, 64, 64, 4, 4)),
    "float16": ("M, N, K = 4096, 4096, 4096", "pass", "return a @ b", TWO.format(".half()"), (128, 256, 64, 8, 3)),
    "float16_gelu": ("M, N, K = 4096, 4096, 4096", "pass", "return F.gelu(a @ b)", TWO.format(".half()"), (128, 128, 64, 8, 4)),
    "bfloat16_deep": ("M, N, K = 2048, 2048, 32768", "pass", "return a @ b", TWO.format(".bfloat16()"), (128, 128, 64, 8, 4)),
    "bfloat16_batch_transposed": ("B, M, N, K = 8, 2048, 2048, 512", "pass", "return a.transpose(1, 2) @ b.transpose(1, 2)",
                                  "torch.rand(B, K, M).bfloat16(), torch.rand(B, N, K).bfloat16()", (128, 256, 64, 8, 3)),
}


def write(path: Path, sizes: str, init: str, forward: str, inputs: str) -> Path:
    path.write_text(PROBLEM.format(sizes=sizes, init=init, forward=forward, inputs=inputs, arguments=", ".join("ab"[: inputs.count("torch.rand")])))
    return path


class DescriptorTiles(unittest.TestCase):
    def product(self, problem: Path, kernel: str, folder: str) -> dict:
        """The launch that multiplies."""
        done = subprocess.run([PYTHON, str(TOOL), str(problem), kernel], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "TRITON_CACHE_DIR": f"{folder}/cache", "TRITON_INTERPRET": "0"})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        found = [launch for line in done.stdout.splitlines() if line.startswith("{") and (launch := json.loads(line))["multiplied"]]
        self.assertEqual(len(found), 1, done.stdout)
        if os.environ.get("KERNELAGENT_SHOW"):
            print(problem.stem, found[0], flush=True)
        self.assertLessEqual(found[0]["shared"], SHARED_LIMIT, found[0])
        return found[0]

    def made(self, name: str, folder: str) -> tuple[Path, str]:
        problem = write(Path(folder) / f"{name}.py", *CASES[name][:4])
        made = program.run("generate", "--problem", problem, "--out", f"{folder}/run", "--no-verify", "--no-winners", "--forms", "descriptors")
        self.assertEqual(made.code, 0, made.text())
        return problem, f"{folder}/run/kernel.py"

    def test_blocks_are_fetched_and_multiplied_where_they_lie(self):
        for name, (*_, tile) in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                launch = self.product(*self.made(name, folder), folder)
                self.assertGreater(launch["fetched"], 0, launch)
                self.assertEqual((launch["spills"], launch["between"], launch["serial"]), (0, 0, False), launch)
                self.assertEqual((*(launch["constants"][each] for each in ("BM", "BN", "BK")), launch["num_warps"], launch["num_stages"]), tile)

    def test_a_chunk_of_one_step_is_one_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            problem, kernel = self.made("float32", folder)
            text = Path(kernel).read_text()
            self.assertIn("CHUNK=256", text)
            Path(kernel).write_text(text.replace("CHUNK=256", "CHUNK=64"))
            launch = self.product(problem, kernel, folder)
            self.assertEqual((launch["spills"], launch["between"], launch["serial"]), (0, 0, False), launch)

    def test_rows_that_begin_elsewhere_are_read_by_pointers(self):
        with tempfile.TemporaryDirectory() as folder:
            _, kernel = self.made("float32", folder)
            odd = write(Path(folder) / "odd.py", "M, N, K = 4095, 4093, 4091", *CASES["float32"][1:4])
            launch = self.product(odd, kernel, folder)
            self.assertEqual(launch["fetched"], 0, launch)


if __name__ == "__main__":
    unittest.main()

"""The child that measures ceilings, the way that needs no GPU: tiny sizes, the interpreter, the CPU's clock."""

from __future__ import annotations

import unittest

import torch
from test_policy import load_bridge

load_bridge()

from ka_bridge import ceilings, module_loader  # noqa: E402

CEILINGS = {"copy_bytes", "read_bytes", "l2_bytes", "float32_flops", "tf32_flops", "float16_flops", "bfloat16_flops", "launch_seconds", "python_launch_seconds"}


class Ceilings(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        module_loader.remove_scratch()

    def test_every_ceiling_has_samples_and_work(self) -> None:
        answer = ceilings.answer_to({"device": "cpu"})
        self.assertTrue(answer["ok"], answer)
        self.assertEqual({row["ceiling"] for row in answer["rows"]}, CEILINGS)
        for row in answer["rows"]:
            with self.subTest(row["ceiling"] + ", " + row["how"]):
                self.assertGreater(row["work"], 0)
                self.assertGreaterEqual(len(row["seconds"]), 3)
                self.assertTrue(all(second > 0 for second in row["seconds"]))

    def test_the_kernels_do_the_work_that_is_counted(self) -> None:
        measured = ceilings.Ceilings("cpu")
        size = 4 * measured.sizes.block
        source, target = torch.randn(size), torch.zeros(size)
        measured.kernels.copy_kernel[(4,)](source, target, BLOCK=measured.sizes.block)
        self.assertTrue(torch.equal(source, target))
        sums = torch.zeros(3)
        measured.kernels.read_kernel[(3,)](source, sums, 4, 8, BLOCK=measured.sizes.block)  # two passes
        self.assertAlmostEqual(sums.sum().item(), 2 * source.sum().item(), places=2)

    def test_without_a_gpu_it_says_so(self) -> None:
        if torch.cuda.is_available():
            self.skipTest("this machine has a GPU")
        self.assertEqual(ceilings.answer_to({"device": "cuda"})["error"]["kind"], "needs_cuda")


if __name__ == "__main__":
    unittest.main()

"""Convolutions in the form conv_tiles: they compute what PyTorch computes, at the judge's sizes too, and what the compiler makes of them for sm_90 is what was wanted. No GPU is needed."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import program

PYTHON = os.environ.get("KERNELAGENT_PYTHON") or program.environment()["KERNELAGENT_PYTHON"]
TOOL = Path(__file__).with_name("launch_resources.py")
ALL = bool(os.environ.get("KERNELAGENT_ALL"))
SHARED_LIMIT = 232448  # bytes that one program may use on sm_90

PROBLEM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        {forward}


def get_inputs():
    return [torch.randn({sizes})]


def get_init_inputs():
    return []
"""

# name -> (constructor, forward, sizes)
ACCEPTED = {
    "bias_relu": ("self.c = nn.Conv2d(64, 128, 3, padding=1)", "return F.relu(self.c(x))", "8, 64, 56, 56"),
    "stride_odd_sizes": ("self.c = nn.Conv2d(72, 192, 3, stride=2, padding=1, bias=False)", "return self.c(x)", "129, 72, 83, 57"),
    "rectangle": ("self.c = nn.Conv2d(32, 64, (5, 7))", "return self.c(x)", "3, 32, 117, 123"),
    "one_by_one": ("self.c = nn.Conv2d(512, 1024, 1, stride=2)", "return self.c(x)", "128, 512, 28, 28"),
    "dilated_residual": ("self.c = nn.Conv2d(64, 64, 3, padding=2, dilation=2)", "return F.relu(self.c(x) + x)", "1, 64, 251, 251"),
    "batch_norm": ("self.c, self.n = nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64)", "return F.relu(self.n(self.c(x)))", "16, 64, 56, 56"),
    "line": ("self.c = nn.Conv1d(64, 128, 9, padding=4)", "return self.c(x)", "32, 64, 4000"),
    "transposed": ("self.c = nn.ConvTranspose2d(64, 128, 3, stride=2, padding=1, bias=False)", "return F.relu(self.c(x))", "17, 64, 47, 33"),
    "transposed_batch_norm": ("self.c, self.n = nn.ConvTranspose2d(64, 64, 4, stride=2, padding=1), nn.BatchNorm2d(64)", "return torch.tanh(self.n(self.c(x)))", "32, 64, 56, 64"),
    "transposed_same": ("self.c = nn.ConvTranspose2d(64, 64, 3, padding=1)", "return self.c(x)", "32, 64, 55, 65"),
    "transposed_line": ("self.c = nn.ConvTranspose1d(40, 64, 3, stride=4, output_padding=1)", "return F.relu(self.c(x))", "64, 40, 8001"),
    "transposed_volume": ("self.c = nn.ConvTranspose3d(32, 64, 3, stride=2, padding=1, output_padding=1)", "return F.gelu(self.c(x))", "8, 32, 9, 15, 17"),
    "transposed_dilated": ("self.c = nn.ConvTranspose2d(32, 64, 3, stride=(3, 2), padding=1, dilation=2)", "return self.c(x)", "32, 32, 40, 44"),
    "volume": ("self.c = nn.Conv3d(32, 64, 3, padding=1)", "return self.c(x)", "4, 32, 18, 30, 34"),
}
QUICK = ("bias_relu", "stride_odd_sizes", "transposed")  # in every run of the suite; KERNELAGENT_ALL=1 has them all

# name -> (constructor, sizes, why not)
REFUSED = {
    "groups": ("self.c = nn.Conv2d(128, 256, 3, padding=1, groups=2)", "16, 128, 56, 56", "it is made of groups"),
    "few_channels": ("self.c = nn.Conv2d(3, 128, 7, padding=3)", "64, 3, 112, 112", "3 channels are too few for a step"),
    "few_features": ("self.c = nn.Conv2d(128, 24, 3, padding=1)", "64, 128, 112, 112", "24 features are too few for a tile"),
    "transposed_by_three": ("self.c = nn.ConvTranspose2d(64, 128, 3, stride=3)", "64, 64, 56, 56", "the results of 3 phases are not woven into each other"),
    "transposed_groups": ("self.c = nn.ConvTranspose2d(128, 128, 3, stride=2, groups=2)", "64, 128, 56, 56", "it is made of groups"),
    "far_apart": ("self.c = nn.Conv2d(64, 128, 3, padding=16, dilation=16)", "256, 64, 14, 14", "zeros between its lines"),
}

COMPILED = {
    "512_of_28": ("self.c = nn.Conv2d(512, 512, 3, padding=1)", "return self.c(x)", "32, 512, 28, 28"),
    "64_of_56": ("self.c = nn.Conv2d(64, 64, 3, padding=1)", "return F.relu(self.c(x))", "32, 64, 56, 56"),
    "from_96_stride": ("self.c = nn.Conv2d(96, 192, 3, stride=2, padding=1)", "return F.relu(self.c(x))", "64, 96, 56, 56"),
    "transposed": ("self.c = nn.ConvTranspose2d(64, 128, 3, stride=2, padding=1, output_padding=1)", "return self.c(x)", "16, 64, 128, 128"),
    "transposed_odd": ("self.c = nn.ConvTranspose3d(64, 128, 3, stride=2, padding=1)", "return torch.clamp(self.c(x), min=-1.0) / 2", "16, 64, 24, 48, 48"),
    "long_epilogue": ("self.c = nn.Conv2d(128, 128, 3, padding=1)", "return torch.sigmoid(F.gelu(self.c(x)) + x) * x", "16, 128, 64, 64"),
    **{f"{channels}_of_{side}": (f"self.c = nn.Conv2d({channels}, {channels}, 3, padding=1)", "return self.c(x)", f"{batch}, {channels}, {side}, {side}")
       for channels, side, batch in ((128, 28, 64), (256, 14, 128), (256, 64, 16), (64, 256, 8), (512, 14, 128))},
    "transposed_same": ("self.c = nn.ConvTranspose2d(64, 64, 3, padding=1)", "return self.c(x)", "32, 64, 56, 56"),
    "transposed_volume": ("self.c = nn.ConvTranspose3d(32, 64, 3, stride=2, padding=1, output_padding=1)", "return F.gelu(self.c(x))", "16, 32, 16, 32, 32"),
    "transposed_line": ("self.c = nn.ConvTranspose1d(64, 128, 8, stride=4, padding=2)", "return self.c(x)", "32, 64, 16000"),
    "to_64": ("self.c = nn.Conv2d(256, 64, 3)", "return F.relu(self.c(x))", "32, 256, 56, 56"),
}


class ConvTiles(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = Path(self.folder.name)

    def generated(self, name: str, init: str, forward: str, sizes: str, *options: str) -> program.Finished:
        problem = self.out / f"{name}.py"
        problem.write_text(PROBLEM.format(init=init, forward=forward, sizes=sizes))
        return program.run("generate", "--problem", problem, "--out", self.out / name, "--no-winners", "--forms", "conv_tiles", *options)

    def text(self, name: str) -> str:
        return (self.out / name / "kernel.py").read_text()

    def test_the_judge_accepts_them(self):
        for name in ACCEPTED if ALL else QUICK:
            with self.subTest(name):
                done = self.generated(name, *ACCEPTED[name])
                self.assertEqual(done.code, 0, done.text())
                self.assertIn("ACCEPTED", done.text())
                self.assertIn("TensorDescriptor", self.text(name))

    def test_the_others_stay_as_they_are_with_a_reason(self):
        for name, (init, sizes, reason) in REFUSED.items():
            with self.subTest(name):
                done = self.generated(name, init, "return self.c(x)", sizes, "--no-verify", "--explain")
                self.assertEqual(done.code, 0, done.text())
                self.assertIn(reason, done.out)
                self.assertNotIn("TensorDescriptor", self.text(name))

    def test_what_the_compiler_makes_of_them(self):
        for name, case in list(COMPILED.items())[: None if ALL else 5]:
            with self.subTest(name):
                done = self.generated(name, *case, "--no-verify")
                self.assertEqual(done.code, 0, done.text())
                launches = self.launches(name)
                fetching = [launch for launch in launches if launch["fetched"]]
                self.assertEqual(len(fetching), 1, launches)
                for launch in launches:
                    if os.environ.get("KERNELAGENT_SHOW"):
                        print(name, launch, flush=True)
                    self.assertEqual(launch["spills"], 0, launch)
                    self.assertLessEqual(launch["shared"], SHARED_LIMIT, launch)
                for launch in fetching:
                    self.assertGreater(launch["multiplied"], 0, launch)
                    self.assertGreaterEqual(launch["num_stages"], 3, launch)
                    self.assertEqual(launch["between"], 0, "with three stages a block must not go through registers on its way to the tensor cores")

    def launches(self, name: str) -> list[dict]:
        done = subprocess.run([PYTHON, str(TOOL), str(self.out / f"{name}.py"), str(self.out / name / "kernel.py")], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "TRITON_CACHE_DIR": str(self.out / "cache"), "TRITON_INTERPRET": "0"})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


if __name__ == "__main__":
    unittest.main()

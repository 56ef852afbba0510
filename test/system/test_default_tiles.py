"""The tiles that the generator chooses by itself fit an sm_90: nothing spills, shared memory is enough. No GPU is needed."""

import unittest

import compiled

SHARED_LIMIT = 232448  # bytes that one program may use on sm_90

PROBLEM = """
import torch
import torch.nn as nn
import torch.nn.functional as F
{sizes}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {arguments}):
        {forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""

# name -> (sizes, constructor, forward, inputs): one for each way that a family arranges its work
CASES = {
    "matmul_float32": ("M, N, K = 4096, 4096, 4096", "pass", "return F.gelu(a @ b)", "torch.rand(M, K), torch.rand(K, N)"),
    "matmul_small": ("M, N, K = 40, 300, 700", "pass", "return F.relu(a @ b)", "torch.rand(M, K), torch.rand(K, N)"),
    "matmul_deep": ("M, N, K = 2048, 2048, 16384", "pass", "return a @ b", "torch.rand(M, K), torch.rand(K, N)"),
    "matmul_in_parts": ("M, N, K = 256, 256, 524288", "pass", "return a @ b", "torch.rand(M, K), torch.rand(K, N)"),
    "matmul_float16": ("M, N, K = 4096, 4096, 4096", "pass", "return F.gelu(a @ b)", "torch.rand(M, K).half(), torch.rand(K, N).half()"),
    "matmul_bfloat16_deep": ("M, N, K = 2048, 2048, 32768", "pass", "return a @ b", "torch.rand(M, K).bfloat16(), torch.rand(K, N).bfloat16()"),
    "conv": ("N, S = 16, 128", "self.conv = nn.Conv2d(64, 128, 3, padding=1)", "return F.relu(self.conv(a))", "torch.rand(N, 64, S, S)"),
    "conv_transpose": ("N, S = 16, 128", "self.up = nn.ConvTranspose2d(64, 128, 3, stride=2, padding=1)", "return F.relu(self.up(a))", "torch.rand(N, 64, S, S)"),
    "attention_float32": ("B, S = 8, 1024", "pass", "return F.scaled_dot_product_attention(a, b, c, is_causal=True)",
                          "torch.rand(B, 12, S, 64), torch.rand(B, 12, S, 64), torch.rand(B, 12, S, 64)"),
    "attention_float32_wide": ("B, S = 8, 1024", "pass", "return F.scaled_dot_product_attention(a, b, c)",
                               "torch.rand(B, 12, S, 128), torch.rand(B, 12, S, 128), torch.rand(B, 12, S, 128)"),
    "attention_float16": ("B, S = 8, 2048", "pass", "return F.scaled_dot_product_attention(a, b, c, is_causal=True)",
                          "torch.rand(B, 16, S, 128).half(), torch.rand(B, 16, S, 128).half(), torch.rand(B, 16, S, 128).half()"),
    "attention_float16_wide": ("B, S = 8, 2048", "pass", "return F.scaled_dot_product_attention(a, b, c)",
                               "torch.rand(B, 16, S, 256).half(), torch.rand(B, 16, S, 256).half(), torch.rand(B, 16, S, 256).half()"),
    "attention_masked": ("B, S = 8, 1000", "pass", "return F.scaled_dot_product_attention(a, b, c, attn_mask=d)",
                         "torch.rand(B, 12, S, 80), torch.rand(B, 12, S, 80), torch.rand(B, 12, S, 80), torch.rand(1, 1, S, S)"),
    "alone": ("N, C = 512, 256", "self.f = nn.Linear(256, 256)", "return F.softmax(F.relu(self.f(a)), -1)", "torch.rand(N, C)"),
    "side_by_side": ("N, C = 512, 256", "self.f, self.g, self.h = nn.Linear(256, 256), nn.Linear(256, 256), nn.Linear(256, 256)",
                     "return [F.softmax(F.relu(f(a)), -1) for f in (self.f, self.g, self.h)]", "torch.rand(N, C)"),
    "rows_whole": ("N, C = 4096, 16000", "pass", "return F.softmax(a, dim=-1)", "torch.rand(N, C)"),
    "rows_widest_softmax": ("N, C = 4096, 32768", "pass", "return F.softmax(a, dim=-1)", "torch.rand(N, C)"),
    "rows_widest_aligned": ("N, C = 4096, 32000", "pass", "return F.softmax(a + b, dim=-1)", "torch.rand(N, C), torch.rand(N, C)"),
    "rows_widest_norm": ("N, C = 4096, 32000", "self.norm = nn.RMSNorm(C)", "return self.norm(a)", "torch.rand(N, C)"),
    "rows_widest_length": ("N, C = 4096, 32000", "pass", "return a / a.norm(dim=-1, keepdim=True)", "torch.rand(N, C)"),
    "rows_widest_half": ("N, C = 4096, 20480", "self.norm = nn.RMSNorm(C).bfloat16()", "return self.norm(a)", "torch.rand(N, C).bfloat16()"),
    "rows_widest_loss": ("N, C = 4096, 32000", "pass", "return F.cross_entropy(a, b)", "torch.rand(N, C), torch.randint(0, C, (N,))"),
    "rows_too_wide_place": ("N, C = 4096, 32768", "pass", "return a.argmax(-1)", "torch.rand(N, C)"),
    "rows_too_wide_odd": ("N, C = 4096, 31999", "pass", "return F.softmax(a, dim=-1)", "torch.rand(N, C)"),
    "rows_too_wide_operands": ("N, C = 4096, 32768", "self.norm = nn.LayerNorm(C)", "return self.norm(a)", "torch.rand(N, C)"),
    "rows_too_wide_expression": ("N, C = 4096, 32768", "pass", "return F.softmax(F.gelu(a), dim=-1)", "torch.rand(N, C)"),
    "rows_looped": ("N, C = 4096, 393216", "pass", "return F.log_softmax(a, dim=-1)", "torch.rand(N, C)"),
    "rows_looped_variance": ("N, C = 4096, 393216", "self.norm = nn.LayerNorm(C)", "return self.norm(a)", "torch.rand(N, C)"),
    "rows_softmax_in_parts": ("N, C = 128, 262144", "pass", "return F.softmax(a, dim=-1)", "torch.rand(N, C)"),
    "rows_in_parts": ("N, C = 32768, 32768", "pass", "return F.mse_loss(a, b), a.flatten().argmax()", "torch.rand(N, C), torch.rand(N, C)"),
    "columns": ("N, C = 65536, 512", "pass", "return a.sum(0)", "torch.rand(N, C)"),
    "batch_norm": ("N, S = 64, 256", "self.norm = nn.BatchNorm2d(64)", "return self.norm(a)", "torch.rand(N, 64, S, S)"),
}

SPILLS = {"rows_widest_length": 8}  # bytes; triton 3.7 does, 3.6 does not


def problem_text(sizes: str, init: str, forward: str, inputs: str) -> str:
    return PROBLEM.format(sizes=sizes, init=init, forward=forward, inputs=inputs, arguments=", ".join("abcd"[: inputs.count("torch.rand")]))


class DefaultTiles(unittest.TestCase):
    known: dict[str, list[dict]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.known = compiled.launches({name: problem_text(*case) for name, case in CASES.items()})

    def launches(self, name: str) -> list[dict]:
        return self.known[name]

    def test_nothing_spills_and_shared_memory_is_enough(self):
        for name in CASES:
            for launch in self.launches(name):
                with self.subTest(name, kernel=launch["kernel"]):
                    self.assertLessEqual(launch["spills"], SPILLS.get(name, 0), launch)
                    self.assertLessEqual(launch["shared"], SHARED_LIMIT, launch)

    def test_launches_side_by_side_load_as_wide_as_alone(self):
        names = [launch["kernel"] for launch in self.launches("side_by_side")]
        self.assertEqual(names, ["linear_relu_kernel_x3", "softmax_kernel_x3"])
        for together, alone in zip(self.launches("side_by_side"), self.launches("alone"), strict=True):
            self.assertEqual(together["kernel"], alone["kernel"] + "_x3")
            for what in ("narrow", "shared", "programs"):
                self.assertEqual(together[what], alone[what], together)
            self.assertEqual(together["narrow"], 0, together)

    def test_rows_that_fill_all_registers_are_read_once(self):
        for name in (name for name in CASES if name.startswith(("rows_widest", "rows_too_wide"))):
            launch = self.launches(name)[0]
            self.assertEqual((launch["passes"] == 0, launch["num_warps"]), (True, 32) if "widest" in name else (False, 4), launch)

    def test_long_rows_are_read_twice(self):
        for name in ("rows_looped", "rows_looped_variance"):
            (launch,) = self.launches(name)
            self.assertEqual(launch["passes"], 2, launch)
        self.assertEqual([launch["kernel"] for launch in self.launches("rows_softmax_in_parts")], ["softmax_kernel", "softmax_kernel_1", "softmax_kernel_2"])

    def test_long_reductions_and_few_products_fill_the_gpu(self):
        for name in ("rows_in_parts", "matmul_in_parts"):
            self.assertGreaterEqual(self.launches(name)[0]["programs"], 132, name)


if __name__ == "__main__":
    unittest.main()

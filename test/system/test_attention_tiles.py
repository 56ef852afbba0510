"""What Triton's compiler makes of attention for an sm_90: keys and values are copied ahead of the loop, 16-bit numbers are multiplied by the tensor cores of that GPU, nothing spills, and
blocks that are fetched do not come back to registers. No GPU is needed."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from compiled import PYTHON, TOOL
from test_default_tiles import PROBLEM, SHARED_LIMIT

CAUSAL, PLAIN, MASKED = (f"return F.scaled_dot_product_attention(a, b, c{more})" for more in (", is_causal=True", "", ", attn_mask=d"))
CAPPED = "x = torch.tanh(a @ b.transpose(-2, -1) / 50.0) * 50.0; return torch.softmax(x, -1) @ c"


def case(forward: str, dtype: str, width: int, rows: int = 2048, columns: int = 2048, mask: str = "") -> tuple[str, str, str, str]:
    query, key = (f"torch.rand(4, 16, {n}, {width}).{dtype}()" for n in (rows, columns))
    return "", "pass", forward, ", ".join([query, key, key] + ([f"torch.rand({mask}).{dtype}()"] if mask else []))


# name -> (case, (BM, BN, warps, stages))
HALVES = {
    "causal_64": (case(CAUSAL, "bfloat16", 64), (128, 64, 4, 3)),
    "plain_64": (case(PLAIN, "half", 64), (128, 64, 4, 3)),
    "odd_64": (case(CAUSAL, "half", 64, 2047, 2049), (128, 64, 4, 3)),
    "narrow_40": (case(PLAIN, "half", 40), (128, 64, 4, 3)),
    "masked_64": (case(MASKED, "half", 64, mask="1, 1, 2048, 2048"), (128, 64, 8, 3)),
    "capped_64": (case(CAPPED, "bfloat16", 64), (128, 64, 8, 3)),
    "few_64": (case(PLAIN, "half", 64, 64), (64, 64, 4, 3)),
    "one_query_128": (case(PLAIN, "half", 128, 1), (16, 64, 4, 3)),
    "causal_128": (case(CAUSAL, "bfloat16", 128), (128, 64, 8, 3)),
    "narrow_80": (case(PLAIN, "half", 80), (128, 64, 8, 3)),
    "masked_128": (case(MASKED, "bfloat16", 128, mask="4, 1, 2048, 2048"), (128, 64, 8, 3)),
    "causal_256": (case(CAUSAL, "half", 256), (128, 32, 8, 3)),
    "masked_256": (case(MASKED, "half", 256, mask="1, 1, 2048, 2048"), (128, 32, 8, 2)),
    "few_256": (case(CAUSAL, "half", 256, 64), (64, 32, 4, 3)),
}
# in two float16 parts each
PARTS = {
    "causal_64": (case(CAUSAL, "float", 64), (128, 64, 8, 3)),
    "masked_64": (case(MASKED, "float", 64, mask="1, 1, 2048, 2048"), (128, 64, 8, 3)),
    "narrow_40": (case(PLAIN, "float", 40), (128, 64, 8, 3)),
    "causal_128": (case(CAUSAL, "float", 128), (128, 32, 8, 3)),
    "masked_128": (case(MASKED, "float", 128, mask="4, 1, 2048, 2048"), (128, 16, 8, 3)),
    "masked_80": (case(MASKED, "float", 80, 1000, 1000, "1, 1, 1000, 1000"), (128, 16, 8, 3)),
    "odd_80": (case(CAUSAL, "float", 80, 2047, 2049), (128, 32, 8, 3)),
}
# of these, what descriptors are tried with
FETCHED, FETCHED_PARTS = ("causal_64", "odd_64", "narrow_40", "causal_128", "causal_256", "few_256"), ("causal_64", "causal_128", "odd_80")
# without tensor cores
FLOATS = {
    "short_64": case(CAUSAL, "float", 64, 48, 48),
    "weighted_64": case("return (torch.softmax(a @ b.transpose(-2, -1), -1) * d) @ c", "float", 64, 1000, 1000, "1, 1, 1000, 1000"),
    "weighted_128": case("return (torch.softmax(a @ b.transpose(-2, -1), -1) * d) @ c", "float", 128, 1000, 1000, "1, 1, 1000, 1000"),
    "few_128": case(PLAIN, "float", 128, 64),
    "plain_256": case(PLAIN, "float", 256, 512, 512),
    "masked_256": case(MASKED, "float", 256, 512, 512, "1, 1, 512, 512"),
}


ALL = bool(os.environ.get("KERNELAGENT_ALL"))
QUICK = ("causal_64", "narrow_40", "causal_256", "masked_80", "weighted_128")  # in every run of the suite; KERNELAGENT_ALL=1 has them all


def chosen(cases: dict) -> dict:
    return cases if ALL else {name: found for name, found in cases.items() if name in QUICK}


class AttentionTiles(unittest.TestCase):
    def launches(self, name: str, problem: tuple[str, str, str, str], *options: str) -> list[dict]:
        sizes, init, forward, inputs = problem
        arguments = ", ".join("abcd"[: inputs.count("torch.rand")])
        with tempfile.TemporaryDirectory() as out:
            path = Path(out) / f"{name}.py"
            path.write_text(PROBLEM.format(sizes=sizes, init=init, forward=forward, inputs=inputs, arguments=arguments))
            made = program.run("generate", "--problem", path, "--out", f"{out}/run", "--no-verify", "--no-winners", *options)
            self.assertEqual(made.code, 0, made.text())
            done = subprocess.run([PYTHON, str(TOOL), str(path), f"{out}/run/kernel.py"], capture_output=True, text=True, timeout=600,
                                  env={**os.environ, "TRITON_CACHE_DIR": f"{out}/cache", "TRITON_INTERPRET": "0"})
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            out = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            if os.environ.get("KERNELAGENT_SHOW"):
                for launch in out:
                    print(name, launch, flush=True)
            for launch in out:
                self.assertEqual(launch["spills"], 0, launch)
                self.assertLessEqual(launch["shared"], SHARED_LIMIT, launch)
            return out

    def test_halves_are_copied_ahead_and_multiplied_by_tensor_cores(self):
        for name, (problem, tile) in chosen(HALVES).items():
            with self.subTest(name):
                launch = self.launches(name, problem)[-1]
                self.assertEqual((*(launch["constants"][each] for each in ("BM", "BN")), launch["num_warps"], launch["num_stages"]), tile)
                self.assertGreater(launch["copied"], 0, launch)
                self.assertFalse(launch["serial"], launch)
                if tile[0] >= 64:
                    self.assertGreater(launch["multiplied"], 0, launch)

    def test_floats_in_two_parts_are_multiplied_by_tensor_cores(self):
        for name, (problem, tile) in chosen(PARTS).items():
            with self.subTest(name):
                launch = self.launches(name, problem)[-1]
                self.assertEqual((*(launch["constants"][each] for each in ("BM", "BN")), launch["num_warps"], launch["num_stages"]), tile)
                self.assertGreater(launch["copied"], 0, launch)
                self.assertGreater(launch["multiplied"], 0, launch)
                self.assertFalse(launch["serial"], launch)

    def test_blocks_are_fetched_and_multiplied_where_they_lie(self):
        halves, parts = ({name: cases[name] for name in names} for cases, names in ((HALVES, FETCHED), (PARTS, FETCHED_PARTS)))
        for name, (problem, tile) in [*chosen(halves).items(), *chosen(parts).items()]:
            with self.subTest(name):
                launch = self.launches(name, problem, "--forms", "descriptors")[-1]
                self.assertEqual((*(launch["constants"][each] for each in ("BM", "BN")), launch["num_warps"], launch["num_stages"]), tile)
                self.assertGreater(launch["fetched"], 0, launch)
                self.assertGreater(launch["multiplied"], 0, launch)
                self.assertEqual((launch["returned"], launch["serial"]), (0, False), launch)

    def test_floats_do_not_spill(self):
        for name, problem in chosen(FLOATS).items():
            with self.subTest(name):
                self.assertEqual(self.launches(name, problem)[-1]["spills"], 0)


if __name__ == "__main__":
    unittest.main()

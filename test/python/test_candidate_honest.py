"""Honest kernels through the candidate child: right results, nothing reported against them, and they compile."""

from __future__ import annotations

import unittest

import torch
from candidate_harness import DEVICE, Candidate, Child, kernel_source, memory_file

RELU = """
    @triton.jit
    def relu_kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.maximum(tl.load(x + i, mask=i < n), 0.0), mask=i < n)

    def kernel_function(x):
        assert x.is_cuda and x.device.type == "cuda", "a CUDA tensor is needed"
        y = torch.empty(x.shape, device="cuda", dtype=x.dtype)
        relu_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel(), BLOCK=64)
        return y
"""
SOFTMAX = """
    @triton.jit
    def row_max(v):
        return tl.max(v, axis=0)

    @triton.jit
    def softmax_kernel(x, y, n, stride, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        i = tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
        e = tl.exp(v - row_max(v))
        tl.store(y + row * n + i, e / e.sum(axis=0), mask=i < n)

    def kernel_function(x):
        y = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]),
                                      num_warps=8)
        return y
"""
MATMUL = """
    @triton.jit
    def matmul_kernel(a, b, bias, c, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr,
                      BK: tl.constexpr):
        rm = tl.program_id(0) * BM + tl.arange(0, BM)
        rn = tl.program_id(1) * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            rk = k + tl.arange(0, BK)
            ta = tl.load(a + rm[:, None] * sam + rk[None, :] * sak, mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
            tb = tl.load(b + rk[:, None] * sbk + rn[None, :] * sbn, mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
            acc = tl.dot(ta, tb, acc, input_precision="ieee")
        if bias is not None:
            acc += tl.load(bias + rn, mask=rn < N, other=0.0)[None, :]
        tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))

    def kernel_function(x, *, fc_weight, fc_bias=None):
        x = x.contiguous()
        w = fc_weight.t()
        M, K = x.shape
        N = w.shape[1]
        c = torch.empty((M, N), device=x.device)
        matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](x, w, fc_bias, c, M, N, K, x.stride(0), x.stride(1),
                                                              w.stride(0), w.stride(1), BM=16, BN=32, BK=16)
        return c
"""
TWO_PHASE = """
    @triton.jit
    def partial_kernel(x, total, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))

    @triton.jit
    def finish_kernel(total, y, n):
        tl.store(y, tl.load(total) / n)

    def kernel_function(x):
        total = torch.zeros(1, device=x.device, dtype=torch.float32)
        y = torch.empty((), device=x.device, dtype=torch.float32)
        partial_kernel[(triton.cdiv(x.numel(), 128),)](x, total, x.numel(), BLOCK=128)
        finish_kernel[(1,)](total, y, x.numel())
        return y
"""
SEVERAL = """
    @triton.jit
    def max_kernel(x, values, indices, n, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        i = tl.arange(0, BLOCK)
        v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
        tl.store(values + row, tl.max(v, axis=0))
        tl.store(indices + row, tl.argmax(v, axis=0).to(tl.int64))

    def kernel_function(x):
        rows = x.reshape(-1, x.shape[-1])
        values = x.new_empty(rows.shape[0])
        indices = torch.full((rows.shape[0],), -1, device=x.device, dtype=torch.int64)
        max_kernel[(rows.shape[0],)](rows, values, indices, rows.shape[1], BLOCK=32)
        return values.view(x.shape[:-1]), indices.view(x.shape[:-1])
"""
TUNED = """
    def prune(configs, args, **kwargs):
        return [c for c in configs if c.kwargs["BLOCK"] < 1024]

    CONFIGS = [triton.Config({"BLOCK": b, "EXTRA": e}, num_warps=w) for b, e, w in
               ((64, 0.0, 2), (128, 0.0, 4), (256, 1.0, 8), (1024, 0.0, 8))]

    @triton.autotune(configs=CONFIGS, key=["n"], prune_configs_by={"early_config_prune": prune})
    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
    @triton.jit
    def double_kernel(x, y, n, BLOCK: tl.constexpr, EXTRA: tl.constexpr, EVEN: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        if EVEN:
            v = tl.load(x + i)
            tl.store(y + i, v * 2 + EXTRA)
        else:
            v = tl.load(x + i, mask=i < n)
            tl.store(y + i, v * 2 + EXTRA, mask=i < n)

    def kernel_function(x):
        y = torch.empty_like(x)
        double_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
        return y
"""
HEURISTICS_OUTSIDE = TUNED.replace('    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})\n', "").replace(
    "    @triton.autotune", '    @triton.heuristics({"EVEN": lambda args: False})\n    @triton.autotune')
DESCRIPTOR = """
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def copy_kernel(src, dst, BM: tl.constexpr, BN: tl.constexpr):
        i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
        dst.store([i, j], src.load([i, j]) * 2.0)

    def kernel_function(x):
        y = torch.empty_like(x)
        block = [16, 32]
        copy_kernel[(triton.cdiv(x.shape[0], 16), triton.cdiv(x.shape[1], 32))](
            TensorDescriptor.from_tensor(x, block), TensorDescriptor.from_tensor(y, block), BM=16, BN=32)
        return y
"""
MODEL = """
    @triton.jit
    def scale_kernel(x, w, y, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        row = tl.program_id(0)
        tl.store(y + row * n + i, tl.load(x + row * n + i, mask=i < n) * tl.load(w + i, mask=i < n), mask=i < n)

    class ModelNew(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(size))

        def forward(self, x):
            y = torch.empty_like(x)
            scale_kernel[(x.shape[0],)](x, self.weight, y, x.shape[1], BLOCK=32)
            return y
"""
RANDOM = """
    @triton.jit
    def keep_kernel(x, mask, y, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        keep = tl.load(mask + i, mask=i < n) != 0
        tl.store(y + i, tl.where(keep, tl.load(x + i, mask=i < n) * 2.0, 0.0), mask=i < n)

    def kernel_function(x):
        mask = torch.empty_like(x).bernoulli_(0.5)
        y = torch.empty_like(x)
        keep_kernel[(1,)](x, mask, y, x.numel(), BLOCK=128)
        return y
"""


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


class Honest(unittest.TestCase):

    def check(self, text: str, expected, *inputs, weights=None, options=None, compiles: bool = True, **run):
        """Runs with both poisons, twice each; everything must be in order and bitwise equal; then compiles."""
        with Candidate(text, len(inputs), weights, **(options or {})) as child:
            self.assertTrue(child.imported["ok"], child.imported)
            answers = [child.run(*inputs, poison=p, reuse=r, **run) for p in ("nan", "pattern") for r in (False, True)]
        wanted = list(expected) if isinstance(expected, (tuple, list)) else [expected]
        for answer in answers:
            self.assertTrue(answer["ok"], answer)
            for field in ("denied", "inputs_changed", "out_of_bounds", "foreign_launches"):
                self.assertEqual(answer[field], [], field)
            self.assertEqual((answer["threads"], answer["unknown_memory"]), (1, 0))
            self.assertGreater(answer["launched"], 0)
            for spec, got, want in zip(answer["outputs"], answer["results"], wanted, strict=True):
                self.assertTrue(spec["touched_by_kernel"])
                self.assertIsNone(spec["aliases_input"])
                self.assertEqual(spec["poison"], 0)
                torch.testing.assert_close(got, want)
            for got, first in zip(answer["results"], answers[0]["results"]):
                if "atomic_add" not in text or DEVICE == "cpu":
                    self.assertTrue(torch.equal(got, first), "the same call gave other bits")
        if compiles:
            self.compile(text, answers[0]["launches"])
        return answers[0]

    def compile(self, text: str, launches: list) -> list:
        with Child("compile_check") as child:
            answer = child.ask({"cmd": "compile", "filename": "k.py", "launches": launches,
                                "target": {"backend": "cuda", "arch": 90, "warp_size": 32}},
                               [memory_file(kernel_source(text).encode())])
        self.assertTrue(answer["ok"], answer)
        for kernel in answer["kernels"]:
            self.assertTrue(kernel["ok"], kernel)
            self.assertIsNotNone(kernel["registers"])
        return answer["kernels"]

    def test_elementwise(self):
        x = drawn(1000)
        answer = self.check(RELU, x.relu(), x)
        launch = answer["launches"][0]
        self.assertEqual(launch["signature"], {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"})
        self.assertEqual((launch["grid"], launch["num_warps"]), ([16, 1, 1], 4))

    def test_elementwise_half_types(self):
        for dtype in (torch.float16, torch.bfloat16):
            x = drawn(100).to(dtype)
            self.check(RELU, x.relu(), x)

    def test_softmax_with_a_device_function(self):
        x = drawn(5, 37)
        answer = self.check(SOFTMAX, x.softmax(-1), x)
        self.assertEqual(answer["launches"][0]["num_warps"], 8)

    def test_matmul_with_weights_and_a_strided_input(self):
        x, weight, bias = drawn(40, 20).t(), drawn(30, 40), drawn(30)
        self.check(MATMUL, x @ weight.t() + bias, x, weights={"fc.weight": weight, "fc.bias": bias})

    def test_matmul_without_bias(self):
        x, weight = drawn(20, 40), drawn(30, 40)
        answer = self.check(MATMUL, x @ weight.t(), x, weights={"fc.weight": weight})
        self.assertIsNone(answer["launches"][0]["constexprs"]["bias"])

    def test_two_phases_with_atomics(self):
        x = drawn(1000)
        self.assertEqual(self.check(TWO_PHASE, x.mean(), x)["launched"], 2)

    def test_several_outputs_and_integers(self):
        x = drawn(3, 4, 20)
        answer = self.check(SEVERAL, tuple(x.max(-1)), x)
        self.assertEqual(answer["structure"], "tuple")

    def test_every_configuration(self):
        x = drawn(512)
        for text in (TUNED, HEURISTICS_OUTSIDE):
            for config, extra in ((0, 0.0), (1, 0.0), (2, 1.0), (3, 0.0)):
                answer = self.check(text, x * 2 + extra, x, config=config, compiles=config == 0)
                self.assertEqual(answer["autotuners"], [{"name": "double_kernel", "configs": 4, "left": 3,
                                                         "used": config % 3}])
                self.assertEqual(answer["launches"][0]["num_warps"], (2, 4, 8, 2)[config])

    def test_tensor_descriptors(self):
        x = drawn(32, 64)
        self.check(DESCRIPTOR, x * 2, x)

    def test_host_code_that_only_looks(self):
        lines = """
            y = torch.empty(x.shape, device=x.device, dtype=torch.promote_types(x.dtype, torch.float32))
            assert x.is_floating_point() and x.ndim == 2 and x.nelement() == x.numel() and x.element_size() == 4
            assert torch.result_type(x, x) == torch.float32 and torch.broadcast_shapes(x.shape, (1,)) == x.shape
            assert x.movedim(0, 1).swapaxes(0, 1).is_contiguous()
            assert len(x) == x.size(0) and x.T.shape == x.mT.shape and x.ravel().shape == (x.numel(),)
            parts = x.chunk(2, dim=1) + x.split(1) + x.unbind(0) + x.tensor_split(2)
            assert x.unflatten(1, (2, -1)).flatten(1).view_as(x).expand_as(x).data_ptr() == x.data_ptr()
            assert torch.broadcast_to(x[:1], x.shape).stride(0) == 0 and x[None].squeeze(0).squeeze((0,)).dim() == 2
            assert x.narrow(0, 0, 1).storage_offset() == 0 and x.unfold(0, 2, 1).dim() == 3 and x.detach().is_cuda
            zero = torch.tensor(0.0, device="cuda")
            scratch = torch.zeros(4, device=x.device.type)
            scratch[1] = 5.0
            scratch[2:].fill_(1.0)
            sms = torch.cuda.get_device_properties(x.device).multi_processor_count
            assert torch.cuda.is_available() and sms > 0 and torch.cuda.current_device() == x.get_device()
            with torch.cuda.device(x.device), torch.inference_mode():
                y = torch.empty_like(x)
            with torch.device("cuda"):
                more = torch.empty(3)
            assert more.is_cuda and x.to("cuda") is x and x.to(torch.float32).cuda() is x
"""
        text = RELU.replace('        y = torch.empty(x.shape, device="cuda", dtype=x.dtype)\n',
                            lines.replace("\n            ", "\n        ").lstrip("\n"))
        x = drawn(4, 6)
        self.check(text, x.relu(), x)

    def test_module_level_devices(self):
        x = drawn(10)
        text = '    DEVICE = torch.device("cuda")\n    ONE = torch.ones(3, device=DEVICE)\n' + RELU
        self.check(text, x.relu(), x)

    def test_empty_and_scalar_tensors(self):
        for x in (drawn(0), drawn(3, 0), drawn()):
            text = RELU.replace("relu_kernel[", "if x.numel() == 0:\n            return y\n        relu_kernel[")
            with Candidate(text, 1) as child:
                answer = child.run(x)
            self.assertTrue(answer["ok"], answer)
            self.assertTrue(torch.equal(answer["results"][0], x.relu()))

    def test_model_class(self):
        x, weight = drawn(4, 20), drawn(20)
        self.check(MODEL, x * weight, x, weights={"weight": weight},
                   options={"entry": "ModelNew", "init_args": [20]})

    @unittest.skipIf(DEVICE == "cuda", "the expected numbers are drawn on the CPU")
    def test_random_draws_follow_the_seed(self):
        x = torch.ones(100)
        torch.manual_seed(7)
        mask = torch.empty_like(x).bernoulli_(0.5)
        self.check(RANDOM, x * 2 * mask, x, options={"random": True})


if __name__ == "__main__":
    unittest.main()

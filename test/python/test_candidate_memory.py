"""What the candidate child knows about memory: real stores, bounds, races between programs, poison, fresh outputs."""

from __future__ import annotations

import os
import unittest

import torch
from candidate_harness import DEVICE, Candidate, bridge, memory_file
from test_candidate_cheats import DOUBLE, X, body, ran

interpreted = unittest.skipIf(DEVICE == "cuda", "single accesses are seen by the interpreter only")


def with_kernel(kernel: str, host: str, name: str = "k") -> str:
    """A kernel `name` with the given parameters and lines, and a kernel_function(x) with the given lines."""
    head, *lines = kernel.strip().splitlines()
    text = f"    @triton.jit\n    def {name}({head}):\n" + "".join(f"        {line}\n" for line in lines)
    return text + "    def kernel_function(x):\n" + "".join(f"        {line}\n" for line in host.strip().splitlines())


class RealStores(unittest.TestCase):
    """touched_by_kernel"""

    def touched(self, text: str, *inputs) -> bool:
        answer = ran(text, *inputs)
        self.assertTrue(answer["ok"], answer)
        return answer["outputs"][0]["touched_by_kernel"]

    @interpreted
    def test_a_masked_store_is_none(self):
        kernel = "p, n\ni = tl.arange(0, 64)\ntl.store(p + i, 0.0, mask=i < n)"
        self.assertFalse(self.touched(with_kernel(kernel, "y = torch.zeros_like(x)\nk[(2,)](y, 0)\nreturn y"), X))
        self.assertTrue(self.touched(with_kernel(kernel, "y = torch.zeros_like(x)\nk[(2,)](y, 1)\nreturn y"), X))

    @interpreted
    def test_a_load_is_none(self):
        kernel = "p, q\ntl.store(q, tl.load(p))"
        host = "y = torch.zeros_like(x)\nk[(1,)](y, torch.empty_like(x))\nreturn y"
        self.assertFalse(self.touched(with_kernel(kernel, host), X))

    def test_a_copy_by_pytorch_is_no_answer(self):
        kernel = "p, n\ni = tl.arange(0, 128)\ntl.store(p + i, tl.load(p + i, mask=i < n), mask=i < n)"
        given = X.view(10, 10).t()
        for host in ("y = x.contiguous()", "y = torch.empty((10, 10), device=x.device)\ny.copy_(x)"):
            self.assertFalse(self.touched(with_kernel(kernel, host + "\nk[(1,)](y, 100)\nreturn y"), given))
        host = "z = x.contiguous()\ny = torch.empty_like(z)\nreturn launch(z, y)"
        self.assertTrue(self.touched(body(host), given))

    def test_atomics_and_descriptors_count(self):
        self.assertTrue(self.touched(with_kernel("p\ntl.atomic_add(p, 1.0)",
                                                 "y = torch.zeros_like(x)\nk[(3,)](y)\nreturn y"), X))
        self.assertTrue(self.touched(with_kernel(
            "p\nd = tl.make_tensor_descriptor(p, shape=[16, 16], strides=[16, 1], block_shape=[16, 16])\n"
            "d.store([0, 0], tl.full((16, 16), 1.0, tl.float32))",
            "triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device='cuda'))\n"
            "y = torch.empty((16, 16), device=x.device)\nk[(1,)](y)\nreturn y"), X))

    @interpreted
    def test_through_a_table_of_addresses(self):
        kernel = ("table, x, n\nout = tl.load(table).to(tl.pointer_type(tl.float32))\ni = tl.arange(0, 128)\n"
                  "tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)")
        host = ("y = torch.empty_like(x)\ntable = torch.tensor([y.data_ptr()], dtype=torch.int64, device='cuda')\n"
                "k[(1,)](table, x, 100)\nreturn y")
        answer = ran(with_kernel(kernel, host), X)
        self.assertTrue(answer["outputs"][0]["touched_by_kernel"])
        self.assertEqual(answer["out_of_bounds"], [])

    def test_without_elements(self):
        answer = ran(body("return torch.empty((0, 3), device='cuda')"), X)
        self.assertTrue(answer["outputs"][0]["touched_by_kernel"] and answer["outputs"][0]["fresh"])


@interpreted
class Bounds(unittest.TestCase):

    def found(self, kernel: str, host: str) -> list[dict]:
        answer = ran(with_kernel(kernel, host), X)
        self.assertTrue(answer["ok"], answer)
        return answer["out_of_bounds"]

    def test_loads_behind_the_end(self):
        found = self.found("x, y, n\ni = tl.arange(0, 128)\ntl.store(y + i, tl.load(x + i), mask=i < n)",
                           "y = torch.empty_like(x)\nk[(1,)](x, y, 100)\nreturn y")
        self.assertEqual(found, [{"what": "load", "kernel": "k", "memory": "input 0", "side": "after", "byte": 0,
                                  "elements": 28}])

    def test_wild_pointers_do_no_harm(self):
        wild = "p = tl.load(table).to(tl.pointer_type(tl.float32))\n"
        for access, what in (("tl.store(p, 1.0)", "store"), ("tl.store(out, tl.load(p))", "load"),
                             ("tl.atomic_add(p, 1.0)", "atomic"),
                             ("tl.atomic_cas(p.to(tl.pointer_type(tl.int32)), 0, 1)", "atomic")):
            for address in ("4096", "y.data_ptr() + 98304 + 400"):
                found = self.found(f"table, out\n{wild}{access}", "y = torch.empty_like(x)\n"
                                   f"t = torch.tensor([{address}], dtype=torch.int64, device='cuda')\n"
                                   "k[(2,)](t, y)\nreturn y")
                self.assertEqual([(f["what"], f["kernel"]) for f in found], [(what, "k")])

    def test_masked_lanes_may_point_anywhere(self):
        self.assertEqual(self.found("x, y, n\ni = tl.arange(0, 128) * 1000003\n"
                                    "tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)",
                                    "y = torch.empty_like(x)\nk[(1,)](x, y, 100)\nreturn y"), [])

    def test_memory_kept_from_an_earlier_call_and_constants(self):
        text = "    KEPT = []\n    C = torch.ones(100, device='cuda')\n" + body("""
if not KEPT:
    KEPT.append(torch.empty_like(x))
launch(C, KEPT[0])
return launch(KEPT[0], torch.empty_like(x))""")
        with Candidate(text, 1) as child:
            for _ in range(3):
                answer = child.run(X)
                self.assertEqual((answer["out_of_bounds"], answer["unknown_memory"]), ([], 0))
                self.assertTrue((answer["results"][0] == 4).all())

    def test_a_tile_over_two_tensors(self):
        found = self.found("a, b, y\ni = tl.arange(0, 64)\np = tl.where(i < 32, a + i, b + i)\ntl.store(y + i, tl.load(p))",
                           "y = torch.empty_like(x)\nk[(1,)](x, torch.ones_like(x), y)\nreturn y")
        self.assertEqual(found, [])


@interpreted
class Programs(unittest.TestCase):
    """Order and races."""

    ORDER = ("y, n\ni = tl.program_id(0)\ntl.store(y + i, tl.load(y + i - 1, mask=i > 0, other=0.0) + 1)",
             "y = torch.zeros_like(x)\nk[(100,)](y, 100)\nreturn y")

    def test_orders(self):
        with Candidate(with_kernel(*self.ORDER), 1) as child:
            results = {}
            for order in ("forward", "reverse", "shuffled"):
                answer = child.run(X, order=order, poison_seed=5)
                results[order] = answer["results"][0]
                self.assertEqual([r["what"] for r in answer["races"]], ["a program loads what another program stores"])
            again = child.run(X, order="shuffled", poison_seed=5)["results"][0]
        self.assertTrue(torch.equal(results["forward"], X))
        self.assertTrue((results["reverse"] == 1).all())
        self.assertTrue(torch.equal(again, results["shuffled"]))
        self.assertFalse(torch.equal(results["shuffled"], results["forward"]))
        self.assertFalse(torch.equal(results["shuffled"], results["reverse"]))

    def test_every_program_runs_once_in_every_order(self):
        kernel = ("y\ni = (tl.program_id(0) * 5 + tl.program_id(1)) * 3 + tl.program_id(2)\n"
                  "tl.atomic_add(y + i, i + 1.0)")
        with Candidate(with_kernel(kernel, "y = torch.zeros(60, device='cuda')\nk[(4, 5, 3)](y)\nreturn y"), 1) as child:
            for seed in range(6):
                for order in ("forward", "reverse", "shuffled", "nested"):
                    result = child.run(X, order=order, poison_seed=seed)["results"][0]
                    self.assertTrue(torch.equal(result, torch.arange(60) + 1.0))

    RACES = {
        "same place": ("y, x, n\ntl.store(y, tl.load(x + tl.program_id(0)))", True),
        "sum": ("y, x, n\ntl.store(y, tl.load(y) + tl.load(x + tl.program_id(0)))", True),
        "same value": ("y, x, n\ntl.store(y, tl.load(x))", False),
        "same value, read back": ("y, x, n\ntl.store(y, tl.load(x))\ntl.store(y + 1 + tl.program_id(0), tl.load(y))", False),
        "in place": ("y, x, n\ni = tl.program_id(0) * 16 + tl.arange(0, 16)\n"
                     "tl.store(y + i, tl.load(y + i, mask=i < n) + 1, mask=i < n)", False),
        "neighbours in place": ("y, x, n\ni = tl.program_id(0) * 16 + tl.arange(0, 16)\n"
                                "tl.store(y + i, tl.load(y + i + 1, mask=i + 1 < n), mask=i < n)", True),
        "interleaved": ("y, x, n\ni = tl.program_id(0) + 6 * tl.arange(0, 16)\ntl.store(y + i, 1.0 * i, mask=i < n)", False),
        "overlapping tiles": ("y, x, n\ni = tl.program_id(0) * 8 + tl.arange(0, 16)\n"
                              "tl.store(y + i, 1.0 * tl.program_id(0), mask=i < n)", True),
        "overlapping tiles, equal values": ("y, x, n\ni = tl.program_id(0) * 8 + tl.arange(0, 16)\n"
                                            "tl.store(y + i, 1.0 * i, mask=i < n)", False),
        "bytes of another's word": ("y, x, n\ni = tl.program_id(0)\nif i == 0:\n    tl.store(y, 1.0)\nelse:\n"
                                    "    tl.store(y.to(tl.pointer_type(tl.int16)) + 1, i.to(tl.int16))", True),
        "ordered by a counter": ("y, x, n\ni = tl.program_id(0)\ntl.store(y + 2 + i, 1.0)\n"
                                 "if tl.atomic_add(y, 1.0) == 5:\n    tl.store(y + 1, tl.load(y + 2) + tl.load(y + 7))", False),
        "relaxed counter": ("y, x, n\ni = tl.program_id(0)\ntl.store(y + 2 + i, 1.0)\n"
                            "if tl.atomic_add(y, 1.0, sem='relaxed') == 5:\n    tl.store(y + 1, tl.load(y + 2))", True),
        "counter of one program's threads": ("y, x, n\ni = tl.program_id(0)\ntl.store(y + 2 + i, 1.0)\n"
                                             "if tl.atomic_add(y, 1.0, scope='cta') == 5:\n    tl.store(y + 1, tl.load(y + 2))", True),
        "ticket before the data": ("y, x, n\nt = tl.atomic_add(y, 1.0).to(tl.int32)\n"
                                   "tl.store(y + 2 + t, tl.load(y + 1 + t, mask=t > 0, other=0.0) + 1.0)", True),
        "ticket after the data": ("y, x, n\ni = tl.program_id(0)\ntl.store(y + 2 + i, 1.0)\n"
                                  "t = tl.atomic_add(y, 1.0).to(tl.int32)\n"
                                  "if t == 5:\n    tl.store(y + 20, tl.load(y + 2))\n    tl.store(y, 0.0)", False),
        "all read after the counter": ("y, x, n\ni = tl.program_id(0)\ntl.store(y + 2 + i, 1.0)\ntl.atomic_add(y, 1.0)\n"
                                       "tl.store(y + 20 + i, tl.load(y + 2) + tl.load(y + 7))", True),
        "counter read plainly": ("y, x, n\ntl.atomic_add(y, 1.0)\ntl.store(y + 1 + tl.program_id(0), tl.load(y))", True),
        "counter read back atomically": ("y, x, n\ntl.atomic_add(y, 1.0)\n"
                                         "tl.store(y + 1 + tl.program_id(0), 0 * tl.atomic_add(y, 0.0))", False),
        "lock": ("y, x, n\nf = y.to(tl.pointer_type(tl.int32))\nwhile tl.atomic_cas(f, 0, 1) == 1:\n    pass\n"
                 "tl.store(y + 1, tl.load(y + 1) + tl.program_id(0))\ntl.atomic_xchg(f, 0)", False),
        "lock of relaxed operations": ("y, x, n\nf = y.to(tl.pointer_type(tl.int32))\nwhile tl.atomic_xchg(f, 1, sem='relaxed') == 1:\n    pass\n"
                                       "tl.store(y + 1, tl.load(y + 1) + tl.program_id(0))\n"
                                       "tl.atomic_xchg(f, 0, sem='relaxed')", True),
        "lock that is never released": ("y, x, n\ntl.atomic_cas(y, 0.0, 1.0)\n"
                                        "tl.store(y + 1, tl.load(y + 1) + tl.program_id(0))", True),
        "swap that fails releases nothing": ("y, x, n\ntl.store(y + 1, 1.0 * tl.program_id(0))\ntl.atomic_cas(y, 7.0, 8.0)", True),
        "many atomics at once": ("y, x, n\ni = tl.arange(0, 64)\ntl.atomic_add(y + i, 1.0)\n"
                                 "tl.store(y + 80, tl.load(y + 80) + 1.0)\ntl.atomic_add(y + i, 1.0)", True),
        "flag watched by a volatile load": ("y, x, n\ni = tl.program_id(0)\nf = y.to(tl.pointer_type(tl.int32))\nif i > 0:\n"
                                            "    while tl.load(f + i - 1, volatile=True) == 0:\n"
                                            "        pass\n"
                                            "tl.store(y + 20 + i, tl.load(y + 19 + i, mask=i > 0, other=0.0) + 1.0)\n"
                                            "tl.atomic_xchg(f + i, 1)", False),
        "sum finished by the last": ("y, x, n\ntl.atomic_add(y + 1, 2.0)\nif tl.atomic_add(y, 1.0) == 5:\n"
                                     "    tl.store(y + 2, tl.load(y + 1) / 6)", False),
        "two blocks, atomics elsewhere": ("y, x, n\ntl.atomic_add(y, 1.0)\ni = tl.program_id(0)\n"
                                          "tl.store(y + 2 + i, tl.load(y + 1 + i))", True),
    }

    def test_races(self):
        for name, (kernel, race) in self.RACES.items():
            with self.subTest(name):
                answer = ran(with_kernel(kernel, "y = torch.zeros_like(x)\nk[(6,)](y, x, 96)\nreturn y"), X)
                self.assertTrue(answer["ok"], answer)
                self.assertEqual(bool(answer["races"]), race, answer["races"])
                self.assertEqual(answer["out_of_bounds"], [])
                for found in answer["races"]:
                    self.assertEqual(found["kernel"], "k")

    def test_a_ticket_without_waiting_shows_when_programs_run_inside_others(self):
        kernel = ("y, x, n\nif tl.atomic_add(y, 1.0) == 0:\n    tl.store(y + 1, 5.0)\ntl.atomic_add(y + 2, 1.0)\n"
                  "tl.store(y + 3 + tl.program_id(0), tl.load(y + 1))")
        with Candidate(with_kernel(kernel, "y = torch.zeros_like(x)\nk[(6,)](y, x, 96)\nreturn y"), 1) as child:
            for order, race in (("forward", False), ("reverse", False), ("nested", True)):
                self.assertEqual(bool(child.run(X, order=order)["races"]), race, order)

    def test_memory_is_put_back_when_an_order_is_impossible(self):
        kernel = ("lock, y\nwhile tl.atomic_cas(lock, 0, 1) != 0:\n    pass\n"
                  "tl.store(y, tl.load(y) + 1.0)\ntl.atomic_xchg(lock, 0)")
        host = ("if not KEPT:\n    KEPT.append(torch.zeros(1, dtype=torch.int32, device='cuda'))\n"
                "y = torch.zeros(1, device='cuda')\nk[(4,)](KEPT[0], y)\nreturn y")
        with Candidate("    KEPT = []\n" + with_kernel(kernel, host), 1) as child:
            self.assertTrue(child.run(X)["ok"])
            self.assertEqual(child.run(X, order="nested")["error"]["kind"], "order")
            self.assertEqual(child.run(X)["results"][0].item(), 4.0)

    def test_programs_that_wait_for_one_another(self):
        kernel = ("lock, y\ni = tl.program_id(0)\nwhile tl.atomic_add(lock, 0) != i:\n    pass\n"
                  "tl.store(y, tl.load(y) + i)\ntl.atomic_add(lock, 1)")
        host = ("y = torch.zeros(1, device='cuda')\nlock = torch.zeros(1, dtype=torch.int32, device='cuda')\n"
                "k[(4,)](lock, y)\nreturn y")
        with Candidate(with_kernel(kernel, host), 1) as child:
            forward = child.run(X)
            self.assertEqual((forward["races"], forward["atomics"], forward["results"][0].item()), ([], True, 6.0))
            self.assertEqual(child.run(X, order="reverse")["error"]["kind"], "order")
            self.assertTrue(child.run(X)["ok"])

    def test_large_launches_are_not_compared(self):
        kernel = ("y, n, BLOCK: tl.constexpr\ni = tl.arange(0, BLOCK)\ntl.store(y + i, 1.0 * tl.program_id(0), mask=i < n)")
        host = "y = torch.empty(1 << 18, device='cuda')\nk[(20,)](y, 1 << 18, BLOCK=1 << 18)\nreturn y"
        answer = ran(with_kernel(kernel, host), X)
        self.assertEqual((answer["races"], answer["races_unchecked"]), ([], ["k"]))


class PoisonDraws(unittest.TestCase):

    TEXT = body("launch(x, torch.empty_like(x))\nreturn torch.empty(100, device=x.device, dtype=torch.DTYPE)")

    def test_every_run_has_its_own(self):
        for name in ("float32", "float16", "bfloat16", "float64", "int32", "int64", "int8", "bool"):
            with Candidate(self.TEXT.replace("DTYPE", name), 1) as child:
                seen = set()
                for poison in ("nan", "pattern"):
                    for seed in (1, 2, 3):
                        answer = child.run(X, poison=poison, poison_seed=seed)
                        result = answer["results"][0]
                        seen.add(bytes(result.view(torch.uint8)))
                        if result.is_floating_point():
                            self.assertEqual(answer["outputs"][0]["poison"], 100)
                            self.assertEqual(bool(result.isnan().all()), poison == "nan")
                            self.assertTrue(poison == "nan" or bool(result.isfinite().all()))
                self.assertGreaterEqual(len(seen), 6 if "8" not in name else 4, name)

    def test_the_values(self):
        poison = bridge("poison")
        for seed in range(200):
            for dtype, bits in poison.drawn("nan", seed).items():
                raw = torch.frombuffer(bytearray(bits.to_bytes(dtype.itemsize, "little")), dtype=dtype)
                self.assertTrue(not dtype.is_floating_point or raw.isnan().all())
            for mode in ("nan", "pattern"):
                strip = poison.Poison(mode, seed).strip(True)
                for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
                    values = torch.frombuffer(bytearray(strip[:4096]), dtype=dtype)
                    self.assertTrue((values.isnan() if mode == "nan" else values.isfinite()).all())


class FreshAndBuffers(unittest.TestCase):

    def test_a_kept_output(self):
        text = "    KEPT = []\n" + body("""
if not KEPT:
    KEPT.append(torch.empty_like(x))
return launch(x, KEPT[0])""")
        with Candidate(text, 1) as child:
            self.assertEqual([child.run(X)["outputs"][0]["fresh"] for _ in range(3)], [True, False, False])
        at_import = "    C = torch.ones(100, device='cuda')\n" + body("return launch(x, C)")
        self.assertFalse(ran(at_import, X)["outputs"][0]["fresh"])
        self.assertTrue(ran(body("launch(x, torch.empty_like(x))\nreturn x"), X)["outputs"][0]["fresh"])

    def test_updated_buffers(self):
        text = DOUBLE + """
    def kernel_function(x, mean, scale):
        launch(mean, mean)
        return launch(x, torch.empty_like(x))
"""
        weights = {"mean": torch.arange(6.0).view(2, 3).t(), "scale": torch.ones(2)}
        with Candidate(text, 1, weights) as child:
            self.assertEqual(child.run(X)["inputs_changed"], ["weight mean"])
            answer = child.run(X, updated_buffers=["mean", "scale", "unknown"])
        self.assertEqual(answer["inputs_changed"], [])
        self.assertEqual(list(answer["buffers_after"]), ["mean", "scale"])
        spec = answer["buffers_after"]["mean"]
        self.assertEqual((spec["shape"], spec["strides"], spec["nbytes"]), ([3, 2], [2, 1], 24))
        self.assertGreaterEqual(spec["offset"], answer["outputs"][0]["offset"] + answer["outputs"][0]["nbytes"])

    def test_the_bytes_of_an_updated_buffer(self):
        text = DOUBLE + """
    def kernel_function(x, mean):
        launch(mean, mean)
        return launch(x, torch.empty_like(x))
"""
        tensors = bridge("tensors")
        mean = torch.arange(6.0).view(2, 3).t()
        with Candidate(text, 1, {"mean": mean}) as child:
            arena, out = memory_file(), memory_file()
            writer = tensors.ArenaWriter(arena)
            keep = os.dup(out)
            answer = child.ask({"cmd": "run", "call_seed": 1, "inputs": [writer.write(X, contiguous=False)],
                                "weights": {"mean": writer.write(mean, contiguous=False)}, "poison": "nan",
                                "updated_buffers": ["mean"]}, [arena, out])
        spec = answer["buffers_after"]["mean"]
        data = bytearray(os.pread(keep, spec["nbytes"], spec["offset"]))
        os.close(keep)
        self.assertTrue(torch.equal(torch.frombuffer(data, dtype=torch.float32).view(3, 2), mean * 2))


if __name__ == "__main__":
    unittest.main()

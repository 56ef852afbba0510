"""The programs of a cooperative launch run side by side in the interpreter: they may wait for one another in any direction."""

import unittest

import torch
from candidate_harness import Candidate
from test_candidate_cheats import X, ran
from test_candidate_memory import interpreted, with_kernel

COOPERATIVE = ", launch_cooperative_grid=True"
ORDERS = ("forward", "reverse", "shuffled", "nested")


def ring(barrier="tl.debug_barrier()\n    ", arrive="tl.atomic_add(arrived, 1, sem='release')", options=COOPERATIVE):
    """Six programs of eight lanes each; at every step each adds up what two others have written, as the layers of a recurrence do."""
    kernel = ("y, arrived, steps\ni = tl.program_id(0)\nlane = tl.arange(0, 8)\ntl.store(y + i * 8 + lane, 1.0 * i + lane)\n"
              "tl.debug_barrier()\ntl.atomic_add(arrived, 1, sem='release')\n"
              "for step in range(1, steps):\n"
              "    while tl.atomic_add(arrived, 0, sem='acquire') < step * 6:\n        pass\n"
              "    before = y + (step - 1) * 48\n"
              "    a = tl.load(before + (i + 1) % 6 * 8 + lane)\n    b = tl.load(before + (i + 5) % 6 * 8 + 7 - lane)\n"
              f"    tl.store(y + step * 48 + i * 8 + lane, a - 0.5 * b)\n    {barrier}{arrive}")
    host = ("y = torch.empty(5, 6, 8, device='cuda')\narrived = torch.zeros(1, dtype=torch.int32, device='cuda')\n"
            f"k[(6,)](y, arrived, 5{options})\nreturn y")
    return with_kernel(kernel, host)


def expected():
    y = [torch.arange(6.0)[:, None] + torch.arange(8.0)]
    for _ in range(4):
        y.append(y[-1].roll(-1, 0) - 0.5 * y[-1].roll(1, 0).flip(1))
    return torch.stack(y)


@interpreted
class Residents(unittest.TestCase):

    def test_programs_wait_for_one_another_in_every_order(self):
        with Candidate(ring(), 1) as child:
            for order in ORDERS:
                answer = child.run(X, order=order, poison_seed=3)
                self.assertTrue(answer["ok"], answer)
                self.assertEqual((answer["races"], answer["out_of_bounds"], answer["threads"]), ([], [], 1), order)
                self.assertTrue(torch.equal(answer["results"][0], expected()), order)

    def test_what_orders_nothing_is_a_race(self):
        for name, source in {"relaxed": ring(arrive="tl.atomic_add(arrived, 1, sem='relaxed')"),
                             "threads": ring(arrive="tl.atomic_add(arrived, 1, sem='release', scope='cta')")}.items():
            with self.subTest(name):
                self.assertEqual([r["what"] for r in ran(source, X)["races"]], ["a program loads what another program stores"])

    def test_a_counter_raised_before_the_store_is_a_race(self):
        source = ring(barrier="", arrive="").replace("tl.store(y + step", "tl.atomic_add(arrived, 1)\n            tl.store(y + step")
        self.assertEqual([r["what"] for r in ran(source, X)["races"]], ["a program loads what another program stores"])

    def test_programs_for_which_nobody_arrives(self):
        source = ring().replace("step * 6", "step * 6 + 1")
        error = ran(source, X)["error"]
        self.assertEqual(error["kind"], "raised")
        self.assertIn("wait for one another, and none of them goes on", error["message"])

    def test_more_programs_than_there_is_room_for(self):
        kernel = "y\ntl.store(y + tl.program_id(0), 1.0)"
        for warps, most in ((4, 132 * 16), (8, 132 * 8), (1, 132 * 32)):
            host = "y = torch.empty({0}, device='cuda')\nk[({0},)](y, num_warps={1}, launch_cooperative_grid=True)\nreturn y"
            self.assertIn("too many blocks in cooperative launch", ran(with_kernel(kernel, host.format(most + 1, warps)), X)["error"]["message"])
        answer = ran(with_kernel(kernel, host.format(40, 8)), X)
        self.assertTrue((answer["results"][0] == 1).all())

    def test_an_error_ends_the_others(self):
        source = ring().replace("tl.store(y + step", "tl.static_assert(step < 3)\n            tl.store(y + step")
        self.assertEqual(ran(source, X)["error"]["kind"], "raised")

    def test_one_program_of_its_threads(self):
        kernel = ("y, n\ni = tl.program_id(0)\nlane = tl.arange(0, 256)\ntl.store(y + i * 256 + lane, 1.0 * lane)\n"
                  "tl.store(y + 512 + i * 256 + lane, tl.load(y + i * 256 + 255 - lane))")
        host = "y = torch.empty(1024, device='cuda')\nk[(2,)](y, 5, launch_cooperative_grid=True)\nreturn y"
        self.assertIn("another of its threads", ran(with_kernel(kernel, host), X)["races"][0]["what"])


if __name__ == "__main__":
    unittest.main()

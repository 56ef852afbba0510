"""Kernel files that do not import, do not fit the calling contract, or raise: how the candidate child says so."""

from __future__ import annotations

import unittest

import torch
from candidate_harness import DEVICE, Candidate, Child, kernel_source, memory_file
from test_candidate_cheats import DOUBLE, X, body, ran


class Failures(unittest.TestCase):

    def test_exceptions_name_the_line(self):
        answer = ran(body("raise ValueError('no')"), X)
        self.assertEqual((answer["error"]["kind"], answer["error"]["type"], answer["error"]["message"]),
                         ("raised", "ValueError", "no"))
        self.assertIsNotNone(answer["error"]["line"])

    @unittest.skipIf(DEVICE == "cuda", "an invalid kernel is then a compiler error")
    def test_exceptions_in_a_kernel_name_the_line(self):
        inside = ran(DOUBLE.replace("tl.store(", "wrong_name\n        tl.store(")
                     + "    def kernel_function(x):\n        return launch(x, torch.empty_like(x))\n", X)
        self.assertEqual((inside["error"]["type"], inside["error"]["line"]), ("NameError", 10))

    def test_exit_is_an_error(self):
        self.assertEqual(ran(body("raise SystemExit(0)"), X)["error"]["type"], "SystemExit")
        self.assertEqual(ran("    raise SystemExit(0)\n", X)["error"]["kind"], "import")

    def test_import_errors(self):
        answer = ran("    def f(:\n", X)
        self.assertEqual((answer["error"]["kind"], answer["error"]["type"]), ("import", "SyntaxError"))
        self.assertEqual(ran("    import nothing_of_that_name\n", X)["error"]["kind"], "import")

    def test_the_entry(self):
        self.assertEqual(ran(DOUBLE, X)["error"]["kind"], "entry")
        answer = ran(DOUBLE + "    def kernel_function(a, b):\n        return a\n", X)
        self.assertEqual(answer["error"]["kind"], "signature")
        self.assertIn("kernel_function(input0)", answer["error"]["message"])

    def test_a_source_is_read_before_anything_foreign_runs_and_not_after(self):
        text = kernel_source(DOUBLE + "    def kernel_function(x):\n        return launch(x, torch.empty_like(x))\n").encode()
        check = {"cmd": "check", "filename": "k.py", "allow_random": False, "entry": None}
        with Child("candidate") as child:
            answer = child.ask(check, [memory_file(text)])
            self.assertEqual((answer["ok"], answer["violations"]), (True, []))
            self.assertTrue(child.ask({"cmd": "prepare", "interpret": DEVICE == "cpu"}, [])["ok"])
            broken = child.ask(check, [memory_file(b"import socket\n")])
            self.assertEqual(broken["violations"][0]["rule"], "policy.import")
            child.ask({"cmd": "import", "filename": "k.py", "entry": "kernel_function", "device": DEVICE,
                       "interpret": DEVICE == "cpu", "inputs": 1, "weights": []}, [memory_file(text)])
            self.assertEqual(child.ask(check, [memory_file(text)])["error"]["kind"], "protocol")

    def test_self_test_blocks_stay_off(self):
        answer = ran(body("return launch(x, torch.empty_like(x))") + "    if __name__ == '__main__':\n        1 / 0\n", X)
        self.assertTrue(answer["ok"])

    def test_threads_are_counted(self):
        answer = ran("    import threading, time\n" + body("""
threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
return launch(x, torch.empty_like(x))"""), X)
        self.assertEqual(answer["threads"], 2)

    def test_a_weight_of_another_shape(self):
        text = """
    class ModelNew(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))
"""
        with Candidate(text, 1, {"weight": torch.ones(4)}, entry="ModelNew") as child:
            self.assertEqual(child.run(X)["error"]["kind"], "signature")
        with Candidate(text, 1, {"other": torch.ones(3)}, entry="ModelNew") as child:
            self.assertIn("missing: ['other']", child.imported["error"]["message"])


if __name__ == "__main__":
    unittest.main()

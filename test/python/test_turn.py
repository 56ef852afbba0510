"""Processes that share a GPU take turns, and nobody pays for one that hangs in its turn."""

from __future__ import annotations

import os
import time
import unittest

from test_policy import load_bridge

load_bridge()

from ka_bridge import bench  # noqa: E402


class Turn(unittest.TestCase):
    def setUp(self) -> None:
        self.fd = os.memfd_create("turn")
        self.addCleanup(os.close, self.fd)
        held, tell = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            with bench.Turn(self.fd):
                os.write(tell, b"1")
                time.sleep(60)
            os._exit(0)
        os.read(held, 1)

    def tearDown(self) -> None:
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)

    def test_who_has_waited_for_too_long_goes_on_without(self) -> None:
        turn = bench.Turn(self.fd)
        turn.patience = 0.3
        begin = time.monotonic()
        for _ in range(2):
            with turn:
                pass
        self.assertGreater(time.monotonic() - begin, 0.29, "it waits")
        self.assertLess(time.monotonic() - begin, 20, "not for ever, and not twice")


if __name__ == "__main__":
    unittest.main()

"""Samples that were taken while the GPU held its clocks back: with a library that says what a test wants."""

from __future__ import annotations

import ctypes
import unittest

from test_policy import load_bridge

load_bridge()

from ka_bridge import held_back  # noqa: E402


class Library:
    """As much of NVIDIA's management library as is asked for; `bits` are the answers, in turn, the last one for ever."""

    def __init__(self, bits: list[int], opens: int = 0) -> None:
        self.bits, self.opens = bits, opens

    def nvmlDeviceGetHandleByUUID(self, uuid: bytes, _device) -> int:
        assert uuid == b"GPU-12", uuid
        return self.opens

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, _device, out) -> int:
        ctypes.cast(out, ctypes.POINTER(ctypes.c_ulonglong))[0] = self.bits.pop(0) if len(self.bits) > 1 else self.bits[0]
        return 0


def taken(watch: held_back.HeldBack, count: int) -> list[float]:
    clock = iter(range(1000))
    return [watch.sample(lambda: float(next(clock))) for _ in range(count)]


class HeldBack(unittest.TestCase):
    def test_rows(self) -> None:
        rows = {
            "never": ([0], 4, [0, 1, 2, 3], 0, {}),
            "idle and set clocks are no reason": ([0x1 | 0x2 | 0x10], 3, [0, 1, 2], 0, {}),
            "once: the sample is taken again": ([0, 0, 0, 0, 0x20, 0], 6, [0, 1, 2, 3, 5, 6], 1, {}),
            "again, and still: it stands and is counted": ([0x80, 0x80, 0], 2, [1, 2], 1, {"power brake": 1}),
            "always: a quarter is taken again": ([0x04], 8, [1, 2, 3, 4, 6, 7, 8, 9], 2, {"power cap": 8}),
        }
        for name, (bits, count, values, again, kept) in rows.items():
            with self.subTest(name):
                watch = held_back.HeldBack("12", lambda: Library(list(bits)))
                self.assertEqual(taken(watch, count), values)
                self.assertEqual(watch.told(), {"watched": True, "again": again, "kept": kept})

    def test_where_nobody_can_tell_every_sample_stands(self) -> None:
        def missing():
            raise OSError("no such library")

        for name, watch in {"no library": held_back.HeldBack("12", missing), "does not open": held_back.HeldBack("12", lambda: None),
                            "not this GPU": held_back.HeldBack("12", lambda: Library([4], opens=6)), "no GPU": held_back.HeldBack(None)}.items():
            with self.subTest(name):
                self.assertEqual(taken(watch, 3), [0, 1, 2])
                self.assertEqual(watch.told(), {"watched": False, "again": 0, "kept": {}})


if __name__ == "__main__":
    unittest.main()

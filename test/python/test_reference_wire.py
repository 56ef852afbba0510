"""The packets and the arenas: what crosses the border between processes."""

from __future__ import annotations

import mmap
import os
import socket
import tempfile
import unittest
from unittest import mock

import torch
from reference_harness import bridge, tensors

conn = bridge("conn")


class Packets(unittest.TestCase):
    def setUp(self) -> None:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.a, self.b = conn.Conn(a.detach()), conn.Conn(b.detach())
        self.addCleanup(self.a.close)
        self.addCleanup(self.b.close)

    def test_carries_objects_and_descriptors(self) -> None:
        fd = os.memfd_create("x")
        os.write(fd, b"bytes")
        self.a.send({"cmd": "load", "n": [1, 2.5, None]}, [fd])
        os.close(fd)
        message, fds = self.b.recv()
        self.assertEqual(message, {"cmd": "load", "n": [1, 2.5, None]})
        self.assertEqual(conn.read_all(fds[0], 100), b"bytes")
        os.close(fds[0])

    def test_spills_what_is_too_long(self) -> None:
        fd = os.memfd_create("x")
        self.a.send({"long": "y" * 500_000}, [fd])
        os.close(fd)
        message, fds = self.b.recv()
        self.assertEqual(len(message["long"]), 500_000)
        self.assertEqual(len(fds), 1)
        os.close(fds[0])

    def test_spills_where_memory_files_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as scratch, mock.patch.dict(os.environ, {"TMPDIR": scratch}), \
                mock.patch.object(os, "memfd_create", side_effect=PermissionError):
            self.a.send({"long": "y" * 500_000})
            self.assertEqual(os.listdir(scratch), [])
        message, _ = self.b.recv()
        self.assertEqual(len(message["long"]), 500_000)

    def test_says_none_at_the_end(self) -> None:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        left, right = conn.Conn(a.detach()), conn.Conn(b.detach())
        left.close()
        self.assertIsNone(right.recv())
        right.close()

    def test_refuses_what_is_no_object(self) -> None:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        receiver = conn.Conn(b.detach())
        for data in (b"[1]", b"{", b"\xff"):
            a.send(data)
            self.assertRaises(ValueError, receiver.recv)
        a.close()
        receiver.close()

    def test_error_answer_keeps_the_frames_of_the_foreign_file(self) -> None:
        names: dict[str, object] = {}
        exec(compile("def f():\n    raise KeyError('a\\nb')\n", "foreign.py", "exec"), names)
        try:
            names["f"]()
        except KeyError as exc:
            error = conn.error_answer("raised", exc, "foreign.py", op="x")["error"]
        self.assertEqual((error["kind"], error["type"], error["line"], error["op"]), ("raised", "KeyError", 2, "x"))
        self.assertNotIn("test_reference", error["traceback"])

    def test_error_answer_survives_a_hostile_exception(self) -> None:
        class Nasty(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        self.assertIn("Nasty", conn.error_answer("raised", Nasty())["error"]["message"])


class Arenas(unittest.TestCase):
    def written(self, tensor: torch.Tensor, contiguous: bool) -> tuple[dict, mmap.mmap]:
        fd = os.memfd_create("arena")
        arena = tensors.ArenaWriter(fd)
        arena.write(torch.ones(3), True)
        spec = arena.write(tensor, contiguous)
        mapping = mmap.mmap(fd, 0)
        os.close(fd)
        return spec, mapping

    def test_round_trips_every_dtype(self) -> None:
        for name, dtype in tensors.DTYPES.items():
            value = (torch.arange(24).reshape(4, 6) % 2).to(dtype)
            spec, mapping = self.written(value, False)
            self.assertEqual(spec["dtype"], name)
            self.assertEqual(spec["offset"] % tensors.ALIGNMENT, 0)
            back = tensors.read_tensor(mapping, spec)
            self.assertTrue(torch.equal(back, value))

    def test_keeps_strides_of_views(self) -> None:
        base = torch.randn(6, 8)
        for view in (base.t(), base[1:, ::2], base[:, :1].expand(6, 5), base[0, 0], base[:0], torch.randn(1).expand(4)):
            spec, mapping = self.written(view, False)
            back = tensors.read_tensor(mapping, spec, copy=True)
            self.assertTrue(torch.equal(back, view))
            self.assertEqual(back.stride(), view.stride())

    def test_writes_row_major_when_asked(self) -> None:
        spec, mapping = self.written(torch.arange(6).reshape(2, 3).t(), True)
        self.assertEqual((spec["strides"], spec["nbytes"]), ([1, 3], 48))
        self.assertEqual(tensors.read_tensor(mapping, {**spec, "strides": [2, 1]}).tolist(), [[0, 3], [1, 4], [2, 5]])

    def test_canary_shows_a_write_past_the_end(self) -> None:
        spec, mapping = self.written(torch.ones(5), False)
        self.assertTrue(tensors.canaries_intact(mapping, [spec]))
        mapping[spec["offset"] + spec["nbytes"] + 9] = 0
        self.assertFalse(tensors.canaries_intact(mapping, [spec]))

    def test_canary_is_nan(self) -> None:
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            self.assertTrue(torch.frombuffer(bytearray(tensors.CANARY), dtype=dtype).isnan().all())

    def test_reader_refuses_specs_that_do_not_fit(self) -> None:
        spec, mapping = self.written(torch.ones(4, 4), False)
        for change in ({"dtype": "complex64"}, {"shape": [4, 5]}, {"strides": [100, 1]}, {"offset": 1}, {"shape": [-4, 4]},
                       {"offset": 1 << 40}, {"strides": [1]}, {"nbytes": 1 << 40}, {"shape": [4.0, 4]}):
            self.assertRaises(ValueError, tensors.read_tensor, mapping, {**spec, **change})

    def test_subclasses_and_complex_numbers_are_refused_by_name(self) -> None:
        class Sly(torch.Tensor):
            pass

        fd = os.memfd_create("arena")
        arena = tensors.ArenaWriter(fd)
        with self.assertRaisesRegex(tensors.Unsupported, "Sly"):
            arena.write(torch.ones(2).as_subclass(Sly), True)
        with self.assertRaisesRegex(tensors.Unsupported, "complex64"):
            arena.write(torch.ones(2, dtype=torch.complex64), True)
        os.close(fd)


if __name__ == "__main__":
    unittest.main()

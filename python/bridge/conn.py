"""The conversation between a child and its owner: JSON packets with file descriptors.

One packet is one JSON object on a SOCK_SEQPACKET socket, at most PACKET_LIMIT bytes; file descriptors travel
beside it (SCM_RIGHTS). An object whose text is longer (a network with a thousand weights) goes through an
unnamed memory file: the packet is then {"spilled": <bytes>} and the file is the LAST attached descriptor.

    conn = Conn(fd)
    while (packet := conn.recv()) is not None:
        request, fds = packet
        conn.send({"ok": True})
"""

from __future__ import annotations

import json
import os
import socket
import traceback
from collections.abc import Sequence
from typing import Any

PACKET_LIMIT = 128 * 1024
SPILL_LIMIT = 16 * 1024 * 1024
MAX_FDS = 16
MESSAGE_LIMIT = 600
TRACEBACK_LIMIT = 4000


class Conn:
    """One end of a conversation. Owns the socket; the receiver of a packet owns its descriptors."""

    def __init__(self, sock_fd: int) -> None:
        self._sock = socket.socket(fileno=sock_fd)

    def fileno(self) -> int:
        return self._sock.fileno()

    def recv(self) -> tuple[dict[str, Any], list[int]] | None:
        """Waits for the next packet; None when the other end is closed. ValueError for a malformed packet."""
        data, fds, flags, _ = socket.recv_fds(self._sock, PACKET_LIMIT + 1, MAX_FDS, socket.MSG_CMSG_CLOEXEC)
        if not data:
            return None
        try:
            if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC) or len(data) > PACKET_LIMIT:
                raise ValueError(f"packet longer than {PACKET_LIMIT} bytes or with more than {MAX_FDS} descriptors")
            request = json.loads(data)
            if isinstance(request, dict) and "spilled" in request:
                request = json.loads(_read_spill(fds.pop(), request["spilled"]))
            if not isinstance(request, dict):
                raise ValueError("a packet must hold one JSON object")
        except BaseException:
            for fd in fds:
                os.close(fd)
            raise
        return request, fds

    def send(self, obj: dict[str, Any], fds: Sequence[int] = ()) -> None:
        """Sends one object. NaN and infinity are written as JSON strings by the caller, never here."""
        data = json.dumps(obj, separators=(",", ":"), allow_nan=False).encode()
        if len(data) <= PACKET_LIMIT:
            socket.send_fds(self._sock, [data], list(fds))
            return
        if len(data) > SPILL_LIMIT:
            raise ValueError(f"an answer of {len(data)} bytes is longer than {SPILL_LIMIT}")
        spill = _spill_file()
        try:
            write_all(spill, data, 0)
            head = json.dumps({"spilled": len(data)}).encode()
            socket.send_fds(self._sock, [head], [*fds, spill])
        finally:
            os.close(spill)

    def close(self) -> None:
        self._sock.close()


def _spill_file() -> int:
    try:
        return os.memfd_create("ka_packet", os.MFD_CLOEXEC)
    except PermissionError:  # where no cgroup counts such memory: a file without a name in the scratch folder, whose size is bounded
        return os.open(os.environ["TMPDIR"], os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)


def _read_spill(fd: int, size: Any) -> bytes:
    try:
        if not isinstance(size, int) or not 0 < size <= SPILL_LIMIT or os.fstat(fd).st_size < size:
            raise ValueError("bad size of a spilled packet")
        return read_all(fd, size)
    finally:
        os.close(fd)


def read_all(fd: int, limit: int) -> bytes:
    """The first `limit` bytes of a file (all of it when shorter), from offset 0."""
    parts: list[bytes] = []
    got = 0
    while got < limit:
        part = os.pread(fd, min(limit - got, 1 << 24), got)
        if not part:
            break
        parts.append(part)
        got += len(part)
    return b"".join(parts)


def write_all(fd: int, data: Any, offset: int) -> None:
    """Writes the whole buffer (of one-byte items) at `offset`; one pwrite moves at most 2 GiB."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += os.pwrite(fd, view[done : done + (1 << 30)], offset + done)


def one_line(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """The text with runs of white space (line ends included) as single blanks, cut at `limit`."""
    joined = " ".join(text.split()).encode("utf-8", "replace").decode()  # a lone surrogate is no JSON text
    return joined if len(joined) <= limit else joined[: limit - 3] + "..."


def error_answer(kind: str, exc: BaseException | None, filename: str | None = None, message: str | None = None,
                 **extra: Any) -> dict[str, Any]:
    """The answer {"ok": false, "error": ...} of the protocol.

    `filename` is the foreign file (as given to compile()): the traceback keeps only its frames, and `line` is
    the innermost of them. `message` replaces the exception's own text; `extra` is added to the error object.
    """
    line: int | None = None
    tail = ""
    if exc is not None:
        line, tail = _where(exc, filename)
    text = message if message is not None else _text_of(exc)
    if kind == "harness" and exc is not None:  # a fault of ours: whoever reads the sentence wants to know where
        text += f" ({type(exc).__name__} at {_innermost(exc)})"
    error = {
        "kind": kind,
        "type": type(exc).__name__ if exc is not None else None,
        "message": one_line(text) or (type(exc).__name__ if exc is not None else kind),
        "line": line,
        "traceback": tail[-TRACEBACK_LIMIT:],
    }
    error.update(extra)
    return {"ok": False, "error": error}


def _innermost(exc: BaseException, count: int = 3) -> str:
    frames = traceback.extract_tb(exc.__traceback__)[-count:]
    return ", called at ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames))


def _text_of(exc: BaseException | None) -> str:
    """str(exc) runs foreign code when the class is foreign; it must not take the answer down."""
    if exc is None:
        return ""
    try:
        return str(exc)
    except BaseException:
        return f"{type(exc).__name__} (its text could not be read)"


def _where(exc: BaseException, filename: str | None) -> tuple[int | None, str]:
    if isinstance(exc, SyntaxError) and (filename is None or exc.filename == filename):
        source = (exc.text or "").rstrip()
        return exc.lineno, f'  File "{exc.filename}", line {exc.lineno}\n    {source.strip()}\n'
    try:
        frames = traceback.extract_tb(exc.__traceback__)
    except BaseException:
        return None, ""
    if filename is not None:
        frames = traceback.StackSummary.from_list([f for f in frames if f.filename == filename])
    line = frames[-1].lineno if frames else None
    return line, "".join(frames.format())

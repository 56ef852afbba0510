"""A terminal for tests: runs the program on a pty and knows what its user sees.

It understands the few controls that the program uses and fails on any other, so that a new one is noticed.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping

import program

CONTROL = re.compile(r"\x1b\[(\??)(\d*)([A-Za-z])")


class Screen:
    """Lines as they stand, older ones that have scrolled away included. Breaks long lines anew when the width changes."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.lines: list[tuple[str, bool]] = [("", False)]  # text, and whether the next line continues it
        self.row = self.column = 0
        self.modes = {"25": True, "7": True, "2026": False}  # cursor shown, lines wrap, synchronised update

    def resize(self, columns: int, rows: int) -> None:
        whole: list[str] = [""]
        for text, continued in self.lines:
            whole[-1] += text
            if not continued:
                whole.append("")
        whole.pop()
        self.columns, self.rows, self.lines = columns, rows, []
        for text in whole:
            pieces = [text[i:i + columns] for i in range(0, len(text), columns)] or [""]
            self.lines += [(piece, True) for piece in pieces[:-1]] + [(pieces[-1], False)]
        self.row = len(self.lines) - 1
        self.column = min(self.column, columns - 1)

    def feed(self, text: str) -> None:
        position = 0
        while position < len(text):
            if text[position] == "\x1b":
                match = CONTROL.match(text, position)
                if not match:
                    raise AssertionError(f"unknown control {text[position:position + 20]!r}")
                self._control(*match.groups())
                position = match.end()
                continue
            self._character(text[position])
            position += 1

    def _control(self, private: str, number: str, letter: str) -> None:
        if private and letter in "hl" and number in self.modes:
            self.modes[number] = letter == "h"
        elif letter == "A":
            top = max(0, len(self.lines) - self.rows)
            self.row = max(top, self.row - int(number or "1"))
        elif letter == "K":
            self.lines[self.row] = (self.lines[self.row][0][:self.column], False)
        elif letter == "J":
            self.lines[self.row] = (self.lines[self.row][0][:self.column], False)
            del self.lines[self.row + 1:]
        elif letter != "m":
            raise AssertionError(f"unknown control {private}{number}{letter}")

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append(("", False))

    def _character(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        elif character == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        else:
            if self.column == self.columns:
                if self.modes["7"]:
                    self.lines[self.row] = (self.lines[self.row][0], True)
                    self._down()
                    self.column = 0
                else:
                    self.column -= 1
            text, continued = self.lines[self.row]
            text = text.ljust(self.column)
            self.lines[self.row] = (text[:self.column] + character + text[self.column + 1:], continued)
            self.column += 1

    def text(self) -> str:
        return "\n".join(line.rstrip() for line, _ in self.lines)


class Terminal:
    """The program, started on a terminal of its own."""

    def __init__(self, *words: str | os.PathLike[str], columns: int = 80, rows: int = 24, env: Mapping[str, str] | None = None,
                 stderr: int | None = None) -> None:
        self.screen = Screen(columns, rows)
        self.raw = ""
        environment = {**program.environment(), "TERM": "xterm-256color", **(env or {})}
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            try:
                if stderr is not None:
                    os.dup2(stderr, 2)
                os.chdir(program.ROOT)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(program.PROGRAM, [program.PROGRAM, *map(str, words)], environment)
            finally:
                os._exit(127)
        self.code: int | None = None

    def _read(self, wait: float) -> bool:
        """False at the end."""
        if not select.select([self._master], [], [], wait)[0]:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        text = data.decode("utf-8", "replace")
        self.raw += text
        self.screen.feed(text)
        return bool(data)

    def until(self, condition: Callable[[], bool], limit: float = 60) -> None:
        end = time.monotonic() + limit
        while not condition():
            if not self._read(0.05) or time.monotonic() > end:
                raise AssertionError(f"never came; the screen:\n{self.screen.text()}")

    def shows(self, text: str) -> Callable[[], bool]:
        return lambda: text in self.screen.text()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, columns: int, rows: int) -> None:
        """At a moment when the program draws nothing, as a window does it: first the lines, then the size that programs ask for."""
        os.kill(self.pid, signal.SIGSTOP)
        while select.select([self._master], [], [], 0.05)[0]:
            self._read(0)
        self.screen.resize(columns, rows)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGCONT)

    def finish(self, limit: float = 120) -> int:
        """Reads to the end; the exit code, or minus the signal."""
        end = time.monotonic() + limit
        while self._read(0.2):
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"it did not end; the screen:\n{self.screen.text()}")
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._master)
        return self.code

"""Notices that the problem file forks.

A second copy of this process would go on beside the first: it would answer, and draw, twice. The copy ends as soon as it comes back from
foreign code; the first one reports where the fork was. Programs that are executed anew (subprocess) are not concerned.
"""

from __future__ import annotations

import os
import sys


class Watch:
    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.home = os.getpid()
        self.forked = False
        self.line: int | None = None
        self.doing: str | None = None  # what the program was doing, from the first time that it was asked
        os.register_at_fork(before=self._note)

    def _note(self) -> None:
        if self.forked:
            return
        self.forked = True
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        self.line = frame.f_lineno if frame is not None else None


_watch: Watch | None = None


def watch(filename: str) -> None:
    """From now on; to be called in the child that runs the problem."""
    global _watch
    _watch = Watch(filename)


def seen(doing: str) -> Watch | None:
    """After foreign code ran: the fork that it made, if it made one. Does not return in a copy of the process."""
    if _watch is None:
        return None
    if os.getpid() != _watch.home:
        os._exit(0)
    if not _watch.forked:
        return None
    _watch.doing = _watch.doing or doing
    return _watch

"""The programs of one cooperative launch, side by side: `launch_cooperative_grid=True` promises that all of them are on the GPU at once.

So they may wait for one another in any direction, which programs that run one after the other cannot. Each program is a thread of its own here,
and exactly one of them runs at a time: after an atomic operation or a volatile load, which is where a program can wait, the next one has its turn.
That makes the course of a launch the same each time; the order named by the judge is the order of the turns. Whether what
one program loads was certain to be there is for races.py to say, as always.

A launch that needs more programs than a GPU holds at once fails, as it does there. One in which all programs wait and none stores anything
any more is broken off.
"""

from __future__ import annotations

import contextvars
import inspect
import os
import threading
import time
from typing import Any, Callable

from torch.overrides import _get_current_function_mode_stack, _push_mode as _push_function_mode
from torch.utils import _python_dispatch
from triton.runtime import interpreter

from ka_bridge.hazards import Hazards
from ka_bridge.pretend_gpu import PROPERTIES

BLOCKS = 32  # of one multiprocessor
WARPS = 64
PATIENCE = 500  # turns of each program in which none stores
THREAD_SECONDS = 5.0  # that a thread which has ended may need to be gone

_threads = lambda listdir=os.listdir: len(listdir("/proc/self/task"))
_clock, _sleep = time.monotonic, time.sleep


class _Stopped(BaseException):
    """Another program has failed."""


def most_programs(warps: int) -> int:
    """No more programs than that are on the GPU at once, however small they are."""
    return PROPERTIES.multi_processor_count * min(BLOCKS, max(WARPS // warps, 1))


class _Program:
    """A program in a thread that runs only between `resume` and its next pause."""

    def __init__(self, number: int, run: Callable[[], None], hazards: Hazards) -> None:
        self.number, self.run, self.hazards = number, run, hazards
        self.accesses = 0
        self.turn, self.back = threading.Semaphore(0), threading.Semaphore(0)
        self.failed: BaseException | None = None
        self.ended = self.stopping = False
        self.thread: threading.Thread | None = None

    def resume(self) -> None:
        if self.thread is None:
            # what is set for a thread holds in this one too: numpy's errors, the modes that watch PyTorch
            context = contextvars.copy_context()
            modes = _get_current_function_mode_stack(), _python_dispatch._get_current_dispatch_mode_stack()
            self.thread = threading.Thread(target=lambda: context.run(self._whole, *modes), daemon=True)
            self.thread.start()
        else:
            self.turn.release()
        self.back.acquire()

    def pause(self) -> None:
        self.back.release()
        self.turn.acquire()
        if self.stopping:
            raise _Stopped

    def stop(self) -> None:
        if self.thread is not None and not self.ended:
            self.stopping = True
            self.resume()

    def _whole(self, function_modes: list[Any], dispatch_modes: list[Any]) -> None:
        try:
            for mode in function_modes:
                _push_function_mode(mode)
            for mode in dispatch_modes:
                _python_dispatch._push_mode(mode)
            self.run()
        except BaseException as exc:
            self.failed = exc
        self.ended = True
        self.back.release()


class Residents:
    """Stands for the kernel in Triton's loop over the grid, which is told that there is one program."""

    def __init__(self, function: Callable[..., Any], watch: Any, warps: int) -> None:
        self.function, self.watch, self.warps = function, watch, warps
        self.__signature__ = inspect.signature(function)
        self.__globals__ = function.__globals__
        self.__name__ = function.__name__
        self.running: _Program | None = None
        self.idle = 0  # turns since something was stored, as the watch says

    def __call__(self, **arguments: Any) -> None:
        watch, builder = self.watch, interpreter.interpreter_builder
        most = most_programs(self.warps)
        if watch.programs > most:
            raise RuntimeError(f"Triton Error [CUDA]: too many blocks in cooperative launch ({watch.programs}, of which at most {most} are there at once)")
        builder.grid_dim = watch.grid
        numbers = [(k * watch.step + watch.shift) % watch.programs for k in range(watch.programs)]
        run = lambda: self.function(**arguments)
        alone = watch.order == "nested"  # there, interrupted programs have no lanes to compare
        programs = [_Program(number, run, Hazards(1 if alone else self.warps)) for number in numbers]
        if watch.ledger is not None:
            watch.ledger.interrupted.update(numbers)
        before = _threads()
        try:
            self._in_turns(programs, builder)
        finally:
            for program in programs:
                program.stop()
                watch.hazards.found.update(program.hazards.found)
            self.running = None
            self._until_gone(programs, before)

    def _in_turns(self, programs: list[_Program], builder: Any) -> None:
        watch, (_, ny, nz), own = self.watch, self.watch.grid, self.watch.hazards
        live = programs
        while live:
            for program in live:
                number = program.number
                self.running = program
                watch.number, watch.accesses, watch.hazards = number, program.accesses, program.hazards
                builder.grid_idx = (number // (ny * nz), number // nz % ny, number % nz)
                try:
                    program.resume()
                finally:
                    program.accesses, watch.hazards = watch.accesses, own
                watch.most = max(watch.most, program.accesses)
                if program.failed is not None:
                    raise program.failed
                if program.ended:
                    self.idle = 0
            live = [program for program in live if not program.ended]
            if self.idle > PATIENCE * max(len(live), 1):
                raise RuntimeError(f"the programs of {watch.kernel} wait for one another, and none of them goes on")

    def interrupt(self, builder: Any) -> None:
        """Where the running program may be waiting: the next one has its turn."""
        self.idle += 1
        if self.running is not None and threading.current_thread() is self.running.thread:
            self.running.pause()

    @staticmethod
    def _until_gone(programs: list[_Program], before: int) -> None:
        """A thread that has been joined may be listed for a moment; the kernel file did not start it."""
        for program in programs:
            if program.thread is not None:
                program.thread.join()
        deadline = _clock() + THREAD_SECONDS
        while _threads() > before and _clock() < deadline:
            _sleep(0)

"""Compiles what a call is going to launch, on all cores: a composed network has a hundred kernels, and each would be compiled when it is first launched.

The call is made once with launches that only ask for their kernels. Forks of this process compile them into Triton's cache on disk, where the real call finds them.
The caller hands over a second import of the file and tensors of its own, so that nothing of this reaches the real call but compiled code. Whatever goes wrong here
is left to the real call, which says it.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import Executor, Future
from typing import Any, Callable

import torch
from triton.runtime.jit import JITFunction

from ka_bridge import autotune, entry as entries, module_loader
from ka_bridge.arena import same_layout
from ka_bridge.captured_judged import Plain
from ka_bridge.fence import Fence
from ka_bridge.guard import Guard
from ka_bridge.launches import kernels_in
from ka_bridge.poison import Poison

try:
    from triton.runtime._async_compile import AsyncCompileMode
except ImportError:  # older versions compile one after another
    AsyncCompileMode = None

LEAST_KERNELS = 4  # fewer are compiled as they come
LARGEST_TENSORS = 1 << 32  # bytes that are allocated once more for the call that launches nothing
MOST_WORKERS = 16
_fork, _exit, _waitpid = os.fork, os._exit, os.waitpid
_cores: Callable[[], int] = lambda affinity=os.sched_getaffinity: len(affinity(0))


class Wanted(Executor):
    """Keeps what Triton would compile. Nothing is done before it is asked for."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], Any]] = []

    def submit(self, job: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        self.jobs.append(lambda: job(*args, **kwargs))
        return Future()


def wanted_by(call: Callable[[], Any]) -> list[Callable[[], Any]]:
    """What is to be compiled for the call, each kernel once, as jobs. Nothing is launched."""
    executor, original = Wanted(), JITFunction.run

    def ask(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        return original(self, *args, grid=grid, warmup=True, **kwargs)

    mode = AsyncCompileMode(executor, ignore_errors=True)
    JITFunction.run = ask
    mode.__enter__()
    try:
        call()
    except BaseException:
        pass
    finally:
        JITFunction.run = original
        mode.raw_futures.clear()  # nobody waits for them
        mode.__exit__(None, None, None)
    return executor.jobs


def compile_all(jobs: list[Callable[[], Any]], workers: int) -> None:
    """By so many forks, each with its share. What one cannot compile is left out."""
    children = []
    for number in range(workers):
        child = _fork()
        if child == 0:
            for job in jobs[number::workers]:
                try:
                    job()
                except BaseException:
                    pass
            _exit(0)
        children.append(child)
    for child in children:
        _waitpid(child, 0)


def ahead(*calls: Callable[[], Any]) -> int:
    """How many kernels were compiled for the calls, which are made with launches that do nothing."""
    workers = min(_cores(), MOST_WORKERS)
    if AsyncCompileMode is None or workers < 2:
        return 0
    jobs = [job for call in calls for job in wanted_by(call)]
    if len(jobs) < LEAST_KERNELS:
        return 0
    compile_all(jobs, min(workers, len(jobs)))
    return len(jobs)


def empty_copy(value: Any) -> Any:
    """A tensor of the same layout whose numbers mean nothing; another value as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)


def second_import(path: str, request: dict[str, Any]) -> entries.Entry:
    """The entry of the file as if it had been imported for the first time."""
    first = sys.modules.get(module_loader.MODULE_NAME)
    try:
        return entries.Entry(module_loader.import_source(path, Plain), request)
    finally:
        sys.modules[module_loader.MODULE_NAME] = first


class Ahead:
    """For one kernel file on a GPU: once for every layout of the given tensors."""

    def __init__(self, module: Any, path: str, request: dict[str, Any]) -> None:
        self.path, self.request = path, request
        self.seen: list[list[dict[str, Any]]] = []
        self.wanted = request["device"] == "cuda" and len(kernels_in(module, path)) >= LEAST_KERNELS and not autotune.autotuners_in(module)

    def before(self, subject: Any, seed: int) -> None:
        """The rules of a real call hold, and its tensors are not those of this one."""
        if not self.wanted or any(same_layout(subject.specs, layout) for layout in self.seen):
            return
        self.seen.append(subject.specs)
        try:
            if sum(value.nbytes for value in subject.inputs if isinstance(value, torch.Tensor)) > LARGEST_TENSORS:
                return
            inputs = [empty_copy(value) for value in subject.inputs]
            weights = {name: empty_copy(value) for name, value in subject.weights.items()}
            entry = second_import(self.path, self.request)
            entry.bind_weights(weights)
            given = [value for value in (*inputs, *weights.values()) if type(value) is torch.Tensor]
            guard = Guard(Fence(Poison("nan")), given, subject.random, subject.where, None)
            ahead(lambda: subject.call(guard, entry, inputs, entry.keywords(weights), seed))
        except BaseException:
            pass

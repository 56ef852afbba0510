"""The sizes that were given, where only smaller ones can be run: what would the file do there?

First the host code alone: kernels are recorded, not executed. What comes out is what pruning functions say about the given sizes, and what
would be launched there: whether it compiles is found out as for other launches. Host code that raises there is no
kernel for the given sizes.

Then, if it is asked for, the same call again with some programs of each launch (sampled.py), and what they tell about the outputs (coverage.py).
Memory of the given sizes is reserved and stays empty but for what these programs touch (lazy.py).
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ka_bridge import coverage, entry as entries, pretend_gpu
from ka_bridge.arena import map_arena
from ka_bridge.guard import Guard
from ka_bridge.lazy import REAL_BYTES, Lazy
from ka_bridge.results import structure_of
from ka_bridge.sampled import Sampler
from ka_bridge.state import State

BYTES_LIMIT = 64 << 30
MODEL_BYTES = 4 << 30


class _NotFilled(TorchDispatchMode):
    """A module is built for its shapes: the initial values of large weights are not drawn."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        in_place = func._schema.name.endswith("_") and args and isinstance(args[0], torch.Tensor)
        if in_place and args[0].numel() * args[0].element_size() > REAL_BYTES >> 8:
            return args[0]
        return func(*args, **(kwargs or {}))


class Given:
    """One kernel file and the arguments of the given sizes."""

    def __init__(self, subject: Any, request: dict[str, Any], fd: int) -> None:
        self.subject, self.request, self.fd = subject, request, fd
        specs = [*request["inputs"], *request["weights"].values()]
        if sum(spec.get("nbytes", 0) for spec in specs) > BYTES_LIMIT:
            raise MemoryError("the given sizes are too large to be allocated")
        self.arena = map_arena(os.dup(fd)) if fd >= 0 else b""
        self.launched = 0
        self.entry = subject.entry
        if subject.entry.model is not None:
            self.entry = self._build()
        self.state = State(subject.module, self.entry.model, False)

    def _build(self) -> entries.Entry:
        """A module of the given sizes."""
        if sum(spec.get("nbytes", 0) for spec in self.request["weights"].values()) > MODEL_BYTES:
            raise MemoryError("the weights of the given sizes are too large to be allocated")
        if self.request.get("init_args") is None:
            raise MemoryError("the constructor's arguments cannot be handed over")
        self.subject.watch.begin()
        with pretend_gpu.Pretence(), _NotFilled():
            built = entries.Entry(self.subject.module, {**self.subject.request, "init_args": self.request["init_args"]})
        pretend_gpu.HOST.clear()
        return built

    def call(self, memory: Lazy) -> tuple[Guard, Any]:
        """Guard, and a function that calls the entry once."""
        request, subject = self.request, self.subject
        inputs = [memory.given(spec, self.fd, self.arena, f"input {i}", False) for i, spec in enumerate(request["inputs"])]
        weights = {name: memory.given(spec, self.fd, self.arena, f"weight {name}", True)
                   for name, spec in request["weights"].items()}
        given = [value for value in (*inputs, *weights.values()) if type(value) is torch.Tensor]
        wrong = self.entry.bind_weights(weights)
        if wrong:
            raise ValueError("; ".join(wrong))
        guard = Guard(memory, given, subject.random, subject.where, pretend_gpu.translate, subject._unfenced)
        seed = request.get("call_seed") or 0
        pretend_gpu.FAILED.clear()
        subject.choice.number, subject.choice.hidden = 0, False
        return guard, lambda: subject.call(guard, self.entry, inputs, self.entry.keywords(weights), seed)[0]

    def dry(self) -> dict[str, Any]:
        subject, memory = self.subject, Lazy()
        subject.watch.begin()
        subject.recorder.begin()
        guard, call = self.call(memory)
        try:
            with subject.recorder.without_executing(), subject.choice.asked_for_given_sizes():
                call()
            if pretend_gpu.FAILED:
                raise pretend_gpu.FAILED[0]
        except BaseException as exc:
            return subject._failed(exc, guard)
        self.launched = subject.recorder.count
        self.kept = self.ended()
        return {"ok": True, "hidden": subject.choice.hidden_texts(), "launches": subject.recorder.launches()}

    def ended(self) -> list[str]:
        """After a call: what the file keeps that differs from what it kept after an equal one (state.py)."""
        specs = [*self.request["inputs"], *self.request["weights"].values()]
        return self.state.after({"order": "some"}, specs, [], self.subject.recorder.sequence)

    def sampled(self, outputs_fd: int) -> dict[str, Any]:
        """Some programs of each launch. A kernel that raises here, raises."""
        subject, watch = self.subject, self.subject.watch
        memory = Lazy(lambda start, nbytes, name: watch.replace(start, nbytes, name))
        watch.begin()
        for tensor in subject.constants:
            subject._unfenced(tensor, "a constant of the file")
        subject.recorder.begin()
        guard, call = self.call(memory)
        watch.sampler = Sampler(watch, memory, self.launched, int(self.request.get("seed") or 0))
        try:
            with subject.choice.asked_for_given_sizes():
                returned = call()
            if pretend_gpu.FAILED:
                raise pretend_gpu.FAILED[0]
            if watch.out_of_bounds:
                return {"out_of_bounds": watch.out_of_bounds}
            structure, tensors = structure_of(returned)
            found = coverage.report(tensors, watch.sampler, outputs_fd) | {"structure": structure}
        finally:
            watch.sampler = None
        self.ended()
        # once more without kernels: a file that counts its calls of this size has changed by now
        self.dry()
        return found | {"state": self.kept}


def run(subject: Any, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """The host code alone. Raises what it raises. fds: drawn inputs, where there are any; they are kept for `sample`."""
    subject.at_given = Given(subject, request, os.dup(fds[0]) if fds else -1)
    return subject.at_given.dry()


def sample(subject: Any, outputs_fd: int) -> dict[str, Any]:
    """After `run`: some programs of each launch."""
    given: Given = subject.at_given
    try:
        return {"ok": True, "sampled": given.sampled(outputs_fd)}
    except MemoryError as exc:
        return {"ok": True, "sampled": {"why_not": str(exc) or "there is not enough memory"}}
    except Exception as exc:
        if given.fd >= 0:
            raise
        return {"ok": True, "sampled": {"why_not": f"without the program's own inputs the kernel raises {type(exc).__name__}"}}

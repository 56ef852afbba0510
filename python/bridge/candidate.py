"""The child that runs a candidate: imports a kernel file, then calls it as often as asked, and reports.

Nothing here decides whether the candidate is right. The answer says what was returned (as bytes), which kernels were
launched on which memory, what was denied, which bytes outside the tensors changed; the judge draws the conclusions.
References to everything used after foreign code was imported are taken before.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import time
import weakref
from typing import Any, Callable

import torch
import triton

from ka_bridge import (autotune, before_import, compile_ahead, device_functions, dry, entry as entries, interp, interp_rounding, memory_watch,
                       module_loader, pretend_gpu)
from ka_bridge.arena import map_arena, same_layout
from ka_bridge.captured_judged import Plain, Watcher, judged
from ka_bridge.compile_errors import is_refusal, out_of_resources, readable_error
from ka_bridge.conn import Conn, error_answer
from ka_bridge.fence import Fence, Zone
from ka_bridge.given import Given
from ka_bridge.guard import Guard, denial, frame_in
from ka_bridge.launches import Recorder, kernels_in, watch_cuda, watch_interpreter
from ka_bridge.poison import Poison
from ka_bridge.results import Collector, TooLarge
from ka_bridge.state import State
from ka_bridge.tensors import lacks_memory

_no_grad = torch.no_grad
_no_overrides = torch._C.DisableTorchFunction
_storage = torch.Tensor.untyped_storage
_seed_all = torch.manual_seed
_seed_cpu = torch.default_generator.manual_seed
_clock = time.perf_counter
_thread_count = lambda listdir=os.listdir: len(listdir("/proc/self/task"))


class Subject(Given):
    """One imported kernel file and the tensors of its last run."""

    def __init__(self, request: dict[str, Any], source_fd: int) -> None:
        super().__init__()
        self.device = torch.device("cuda", 0) if request["device"] == "cuda" else torch.device("cpu")
        self.interpret: bool = request["interpret"]
        self.request = request
        self.random: bool = request.get("random", False)
        self.shown: str = os.path.basename(request["filename"])
        self.path = module_loader.write_source(source_fd, request["filename"], request["entry"])
        self.where = frame_in(self.path, self.shown)
        self.choice = autotune.Choice()
        self.choice.lenient = self.interpret
        self.watch = memory_watch.Watch() if self.interpret else None
        self.recorder = Recorder(self.path, self.choice, self.watch)
        self.blocks: list[tuple[Any, tuple[int, int]]] = []  # weak references to the memory of earlier calls
        self.before: list[tuple[Any, Any]] = []  # that memory, and what it held before this call
        self.base: list[dict[str, Any]] = []  # of the first run
        self.known: set[int] = set()  # memory of earlier calls and of the file's own constants
        self.synchronize = torch.cuda.synchronize if self.device.type == "cuda" else None
        self.side_stream: Any = None
        self.at_given: Any = None  # of dry.py
        self.captured = Watcher(self.recorder, lambda memory, given: Guard(memory, given, False, self.where, None), request.get("atomics", False))
        self._prepare(request)
        self.ready = True  # what is raised from here on is the file's own
        with pretend_gpu.Pretence() if self.interpret else contextlib.nullcontext():
            self.module = module_loader.import_source(self.path, Plain if self.interpret else judged(self.captured))
            self.entry = entries.Entry(self.module, request)
        if pretend_gpu.FAILED:
            raise pretend_gpu.FAILED[0]
        if self.entry.model is not None:  # a module is moved to the GPU as a whole once it is built
            pretend_gpu.HOST.clear()
        self.state = State(self.module, self.entry.model, self.interpret or not request.get("atomics", False))
        self.constants = entries.constants_of(vars(self.module))
        self.known = {tensor.untyped_storage().data_ptr() for tensor in self.constants}
        self.ahead = compile_ahead.Ahead(self.module, self.path, request)

    def _prepare(self, request: dict[str, Any]) -> None:
        """Interpreter mode must be on before the first decorator runs."""
        triton.knobs.runtime.interpret = self.interpret
        os.environ["TRITON_INTERPRET"] = "1" if self.interpret else "0"
        autotune.install(self.choice)
        if self.interpret:
            interp.install(tf32=request.get("tf32", True))
            device_functions.install()
            memory_watch.install(self.watch)
            watch_interpreter(self.recorder)
            pretend_gpu.install()
        else:
            watch_cuda(self.recorder)
        if self.device.type == "cuda":
            self.side_stream = torch.cuda.Stream()
            self.recorder.stream = self.side_stream.cuda_stream

    def _watch(self, request: dict[str, Any]) -> None:
        """A new run: what of the memory of earlier ones is still there may be used."""
        if self.watch is None:
            return
        self.before = []
        order, atomics = request.get("order", "forward"), self.watch.atomics
        self.watch.begin(order, request.get("poison_seed") or 0)
        self.blocks = [(kept, place) for kept, place in self.blocks if kept() is not None]
        # an order that turns out to be impossible is broken off: locks that are kept must not stay taken
        self.before = [(kept(), kept().copy()) for kept, _ in self.blocks if atomics and order != "forward"]
        for _, place in self.blocks:
            self.watch.add(*place, "memory of an earlier call")
        for tensor in self.constants:
            self._unfenced(tensor, "a constant of the file")

    def _fenced(self, zone: Zone) -> None:
        if self.watch is not None and zone.span:
            start = zone.block.ctypes.data + zone.start
            self.watch.replace(start, zone.span, zone.what)
            self.blocks.append((weakref.ref(zone.block), (start, zone.span)))

    def _unfenced(self, tensor: torch.Tensor, what: str) -> None:
        if self.watch is not None:
            with _no_overrides():
                storage = _storage(tensor)
                self.watch.add(storage.data_ptr(), storage.nbytes(), what)

    def run(self, request: dict[str, Any], arena: mmap.mmap, outputs_fd: int) -> dict[str, Any]:
        poison = Poison(request["poison"], request.get("poison_seed"))
        fence = Fence(poison, self._fenced)
        pretend_gpu.FAILED.clear()
        self._watch(request)
        self.take(request, arena, fence)
        wrong = self.entry.bind_weights(self.weights)
        if wrong:
            return error_answer("signature", None, message="; ".join(wrong))
        self.ahead.before(self, request["call_seed"])
        given = self._values()
        guard = Guard(fence, given, self.random, self.where, pretend_gpu.translate if self.interpret else None,
                      self._unfenced)
        self.choice.number, self.choice.hidden = request.get("config", 0), request.get("hidden", False)
        self.base = self.base or self.specs
        self.choice.verified = same_layout(self.specs, self.base)
        self.choice.report()
        self.recorder.begin()
        keywords = self.entry.keywords(self.weights)
        threads = _thread_count()
        collector = Collector(given, [i for i, s in enumerate(self.specs) if "scalar" not in s], poison)
        updated = [name for name in request.get("updated_buffers", []) if type(self.weights.get(name)) is torch.Tensor]
        self.captured.begin(guard, [self.weights[name] for name in updated])
        try:
            with interp_rounding.other() if self.interpret and request.get("rounding") == "other" else contextlib.nullcontext():
                returned, seconds = self.call(guard, self.entry, self.inputs, keywords, request["call_seed"])
        except BaseException as exc:
            return self._failed(exc, guard)
        if self.watch is not None and self.watch.waits:
            return self._waits()
        if pretend_gpu.FAILED:
            return self._swallowed(pretend_gpu.FAILED[0], guard)
        try:
            answer = collector.collect(returned, outputs_fd, request.get("outputs_limit", 1 << 40),
                                       self._touched(guard), guard.made, {n: self.weights[n] for n in updated})
        except TooLarge as exc:
            return error_answer("too_large", None, message=str(exc))
        answer.update(self._observations(guard, fence, arena, updated))
        answer["state"] = self.captured.found + self.state.after(request, self.specs, given, self.recorder.sequence)
        answer.update(seconds=seconds, threads=_thread_count() - threads + 1)
        return answer

    def call(self, guard: Guard, entry: entries.Entry, inputs: list[Any], keywords: dict[str, Any], seed: int) -> tuple[Any, float]:
        stream = torch.cuda.stream(self.side_stream) if self.side_stream is not None else contextlib.nullcontext()
        if self.synchronize is not None:
            self.synchronize()
        with stream:
            (_seed_cpu if self.side_stream is None else _seed_all)(seed)
            start = _clock()
            with _no_grad(), guard:
                returned = entry.call(*inputs, **keywords)
            if self.synchronize is not None:
                self.synchronize()
        return returned, _clock() - start

    def _touched(self, guard: Guard) -> Callable[[int, int, int], bool]:
        """Whether a kernel stored to a range of addresses; on a GPU: whether one was given its storage."""

        def touched(first: int, end: int, storage: int) -> bool:
            if any(start < end and first < last for start, last in guard.copied):
                return False
            return self.watch.stores_to(first, end) if self.watch is not None else storage in self.recorder.storages

        return touched

    def _observations(self, guard: Guard, fence: Fence, arena: mmap.mmap, updated: list[str]) -> dict[str, Any]:
        self.known |= guard.memory
        seen = {
            "unknown_memory": len(self.recorder.storages - self.known),
            "launches": self.recorder.launches(),
            "launched": self.recorder.count,
            "replays": self.captured.replays,
            "foreign_launches": sorted(set(self.recorder.foreign))[:16],
            "denied": guard.denied,
            "inputs_changed": self.changed(arena, updated),
            "out_of_bounds": fence.broken()[:16],
            "autotuners": self.choice.report(),
        }
        if self.watch is not None:
            seen["out_of_bounds"] = (self.watch.out_of_bounds + seen["out_of_bounds"])[:16]
            seen.update(races=self.watch.races, races_unchecked=list(self.watch.unchecked)[:16],
                        atomics=self.watch.atomics)
        if self.side_stream is not None:
            seen["stream_ok"] = self.recorder.other_streams == 0
        return seen

    def _waits(self) -> dict[str, Any]:
        for block, before in self.before:
            block[:] = before
        return error_answer("order", None, message=f"the programs of {self.watch.waits} wait for one another, so that "
                                                   "they cannot run one after the other in this order")

    def _swallowed(self, exc: BaseException, guard: Guard) -> dict[str, Any]:
        """An exception that the file caught, of an allocation or of a launch: it would not come, or not so, on a GPU."""
        answer = self._failed(exc, guard)
        answer["error"]["message"] += "; the file caught it and went on"
        return answer

    def _failed(self, exc: BaseException, guard: Guard) -> dict[str, Any]:
        """A denied operation explains whatever was raised after it."""
        seen = {"launched": self.recorder.count, "denied": guard.denied}
        if self.watch is not None:
            if self.watch.waits:
                return self._waits()
            seen["out_of_bounds"] = self.watch.out_of_bounds
        if not guard.denied and not self.interpret and is_refusal(exc):
            text, line = readable_error(exc, self.path, "")
            answer = module_loader.failure("compile", exc, self.path, text, out_of_resources=out_of_resources(exc))
            answer["error"]["line"] = line or answer["error"]["line"]
            return answer | seen
        if not guard.denied:
            return module_loader.failure("raised", exc, self.path) | seen
        first = guard.denied[0]
        return module_loader.failure("denied", exc, self.path, denial(first["op"], first["where"]), **first) | seen


def do_import(request: dict[str, Any], fds: list[int]) -> tuple[Subject | None, dict[str, Any]]:
    if request["device"] == "cuda" and not torch.cuda.is_available():
        return None, error_answer("needs_cuda", None, message="this machine has no CUDA device")
    subject = Subject.__new__(Subject)
    try:
        subject.__init__(request, fds[0])
    except entries.Unfit as exc:
        return None, error_answer(exc.kind, None, message=str(exc))
    except BaseException as exc:
        if not getattr(subject, "ready", False):
            return None, error_answer("harness", exc)
        return None, module_loader.failure("import", exc, subject.path)
    return subject, {"ok": True, "kernels": kernels_in(subject.module, subject.path), "autotuners": autotune.autotuners_in(subject.module)}


def do_run(subject: Subject, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    try:
        arena = map_arena(fds[0])
        return subject.run(request, arena, fds[1])
    except BaseException as exc:
        if lacks_memory(exc):  # what the kernel itself cannot get refuses it: Subject.run has seen that
            return error_answer("needs_memory", None, message="what the kernel is given and returns needs more memory than there is (--memory)")
        return error_answer("harness", exc)
    finally:
        os.close(fds[1])


def do_dry(subject: Subject, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    try:
        return dry.sample(subject, fds[0]) if request["cmd"] == "sample" else dry.run(subject, request, fds)
    except BaseException as exc:
        return module_loader.failure("raised", exc, subject.path)
    finally:
        for fd in fds:
            os.close(fd)


def main(conn: Conn) -> None:
    """Answers until the other side closes the conversation: check, prepare, then import, then run as often as asked."""
    subject: Subject | None = None
    foreign = False  # from the first import on, what this process says about a source is not to be believed
    while (packet := conn.recv()) is not None:
        request, fds = packet
        if request.get("cmd") in before_import.COMMANDS and not foreign:
            answer = before_import.COMMANDS[request["cmd"]](request, fds)
        elif request.get("cmd") == "import" and len(fds) == 1:
            foreign = True
            subject, answer = do_import(request, fds)
        elif request.get("cmd") == "run" and len(fds) == 2 and subject is not None:
            answer = do_run(subject, request, fds)
        elif request.get("cmd") in ("dry", "sample") and subject is not None and subject.interpret:
            answer = do_dry(subject, request, fds)
        else:
            answer = error_answer("protocol", None, message=f"unexpected request {request.get('cmd')!r}")
        conn.send(answer)
    module_loader.remove_scratch()

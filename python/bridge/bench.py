"""The child that times a kernel file against PyTorch: all contenders in one process, so that they share the clock of the GPU.

Asked step by step, so that the other side knows which contender a process has died of: the problem is opened, each contender is prepared
(compiled, warmed up), and the samples are taken. Where other processes are being prepared on the same GPU meanwhile (`beside`), each contender is called just once per set of
inputs, whoever compares configurations does so in turn, and the rest of the warm-up belongs to the samples, for which this process is alone. A round gives every contender, in an order that turns, the same inputs; between two samples
a buffer larger than the L2 cache is written. On a GPU a sample is the time between two events on the stream; without one, which is for trying
the command only, it is the clock of the CPU. Statistics are not made here: every sample is answered.

Only kernel files that the judge has accepted come here: they share the process with what they are compared with. `rivals` are further kernel files,
contenders under their own names; one that fails is told, and the others go on.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import time
from typing import Any, Callable

import torch
import triton

from ka_bridge import compile_ahead, cost, device_functions, entry as entries, held_back, interp, loading, module_loader, pretend_gpu, weights
from ka_bridge.conn import Conn, error_answer, one_line, read_all
from ka_bridge.degenerate import why_degenerate
from ka_bridge.problem import Program, ProblemError, derived_seed
from ka_bridge.reference import SOURCE_LIMIT
from ka_bridge.sizes import SizedSource

COMPILE_MODES = {"compile": None, "compile_reduce_overhead": "reduce-overhead", "compile_max_autotune": "max-autotune"}
MOST_INPUT_SETS = 4
INPUT_SETS_SECONDS = 3.0  # drawing inputs of a gigabyte takes seconds
INPUT_SETS_SHARE = 0.2  # of the free memory
FLUSH_FACTOR = 4  # times the L2 cache
FLUSH_BYTES = 256 << 20  # where its size is not known
LEAST_ROUNDS = 5
TURN_SECONDS = 10.0  # that a process waits for its turn in all
SETTLING_CALLS, SETTLING_SECONDS = 5, 0.5  # of each contender before the samples, where others were prepared beside


class Failed(Exception):
    """Nothing can be timed; the message says why."""


Call = Callable[..., Any]


class Clock:
    """Samples in milliseconds: of the GPU's own events, or of the CPU's clock."""

    def __init__(self, device: str) -> None:
        self.cuda = device == "cuda"
        if self.cuda:
            size = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) * FLUSH_FACTOR or FLUSH_BYTES
            self.buffer = torch.empty(size, dtype=torch.uint8, device="cuda")
            self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def sample(self, call: Call, inputs: list[Any]) -> float:
        if not self.cuda:
            begin = time.perf_counter()
            call(*inputs)
            return (time.perf_counter() - begin) * 1e3
        start, end = self.events
        self.buffer.zero_()  # the launches that follow are queued while this runs
        start.record()
        result = call(*inputs)
        end.record()
        torch.cuda.synchronize()
        del result
        return start.elapsed_time(end)

    def wait(self) -> None:
        if self.cuda:
            torch.cuda.synchronize()


class Turn:
    """Held by one process at a time of those that share a GPU. A lock of the process on a file that all of them have; it ends with the process. Who has waited for too long, perhaps for one
    that hangs, goes on without: it must not pay for that with its own time limit."""

    def __init__(self, fd: int | None) -> None:
        self.fd, self.depth, self.patience = fd, 0, TURN_SECONDS

    def __enter__(self) -> None:
        if self.fd is not None and self.depth == 0:
            self._wait()
        self.depth += 1

    def _wait(self) -> None:
        begin = time.monotonic()
        while self.fd is not None:
            try:
                fcntl.lockf(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except (BlockingIOError, PermissionError):
                if time.monotonic() - begin > self.patience:
                    self.fd = None
                else:
                    time.sleep(0.01)
        self.patience -= time.monotonic() - begin

    def __exit__(self, *_: Any) -> None:
        self.depth -= 1
        if self.fd is not None and self.depth == 0:
            fcntl.lockf(self.fd, fcntl.LOCK_UN)


def tune_in(turn: Turn) -> None:
    """What PyTorch's compiler generates compares its configurations when it first runs."""
    try:
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner
        compare = CachingAutotuner.autotune_to_one_config
    except (ImportError, AttributeError):
        return

    def in_turn(self: Any, *args: Any, **kwargs: Any) -> Any:
        with turn:
            return compare(self, *args, **kwargs)

    CachingAutotuner.autotune_to_one_config = in_turn


class Bench:
    def __init__(self, request: dict[str, Any], problem: str, turn: Turn | None = None) -> None:
        self.request = request
        self.turn, self.beside = turn or Turn(None), int(request.get("beside", 1))
        self.device: str = request["device"]
        self.interpret: bool = self.device == "cpu"
        self.seed = int(request["seed"])
        self.program = self._program(problem)
        self.model = self.program.build(derived_seed(self.seed, cost.WEIGHTS_SEED))
        self.weights = {w.argument: w.tensor.detach() for w in weights.collect(self.model)}
        with self.turn:
            self.inputs = self._input_sets()
        self.files: dict[str, tuple[bytes, str, str | None]] = {}  # text, file name and entry of contenders that are kernel files
        self.calls: dict[str, Call] = {}  # of those that are ready
        self.clock = Clock(self.device)
        self.held_back = held_back.of_this_gpu(self.device)
        self.degenerate: str | None = None  # nobody has looked
        self.tuned_in_turn = self.compiled_files = False
        self.can_interpret = False

    def _program(self, text: str) -> Program:
        """At the given sizes on a GPU; without one at those at which the interpreter can run the kernels."""
        request, filename = self.request, self.request["filename"]
        if request.get("budget") is not None:
            return loading.load(request, text, filename)[0].programs[None]
        source = SizedSource(text, filename)
        return cost.Request(request.get("name"), request["mode"], self.device).execute(source, source.given(), self.seed)

    def _input_sets(self) -> list[list[Any]]:
        """Several draws, as many as time and memory allow; rounds take them in turn."""
        begin = time.perf_counter()
        sets = [self._inputs(0)]
        size = sum(v.nbytes for v in sets[0] if isinstance(v, torch.Tensor))
        room = torch.cuda.mem_get_info()[0] * INPUT_SETS_SHARE / self.beside if self.device == "cuda" else 1 << 30
        while len(sets) < MOST_INPUT_SETS and size * (len(sets) + 1) <= room \
                and (time.perf_counter() - begin) * (len(sets) + 1) / len(sets) < INPUT_SETS_SECONDS:
            sets.append(self._inputs(len(sets)))
        return sets

    def _inputs(self, number: int) -> list[Any]:
        """Drawn on the GPU where the program lets it: a processor takes seconds for a gigabyte."""
        seed = derived_seed(self.seed, cost.INPUTS_SEED) + number
        if self.device == "cuda":
            with contextlib.suppress(ProblemError), torch.device("cuda"):
                return self.program.inputs(seed)
        return self.program.inputs(seed)

    def _prepare_interpreter(self) -> None:
        if not self.interpret or self.can_interpret:
            return
        self.can_interpret = True
        triton.knobs.runtime.interpret = True
        os.environ["TRITON_INTERPRET"] = "1"
        interp.install()
        device_functions.install()
        if not COMPILE_MODES.keys() & set(self.request["contenders"]):  # PyTorch's compiler would believe it
            pretend_gpu.install()

    def kernel(self, text: bytes, filename: str, entry_name: str | None) -> Call:
        self._prepare_interpreter()
        self._compile_files()
        path, about = module_loader.write_text(text, filename, entry_name), self._about(entry_name)
        with pretend_gpu.Pretence() if self.interpret else contextlib.nullcontext():
            entry = entries.Entry(module_loader.import_source(path), about)
        if entry.model is not None and self.device == "cuda":
            entry.model.to("cuda")
        wrong = entry.bind_weights(self.weights)
        if wrong:
            raise Failed("; ".join(wrong))
        keywords = entry.keywords(self.weights)
        return lambda *inputs: entry.call(*inputs, **keywords)

    def _about(self, entry_name: str | None) -> dict[str, Any]:
        found = weights.collect(self.model)
        return {"entry": entry_name, "inputs": len(self.inputs[0]), "mode": self.request["mode"],
                "weights": [{"name": w.name, "argument": w.argument} for w in found], "init_args": self.program.init_args(),
                "input_names": self.program.input_names(self.model, len(self.inputs[0]))}

    def _compile_files(self) -> None:
        """The kernels of all files at once, when the first of them is prepared: a round of a search has many files of one kernel each. Whatever goes wrong with one is left to its real call."""
        if self.compiled_files or self.device != "cuda":
            return
        self.compiled_files = True
        calls = [self._call_of_copy(*file) for file in self.files.values()]
        compile_ahead.ahead(*(call for call in calls if call is not None))

    def _call_of_copy(self, text: bytes, filename: str, entry_name: str | None) -> Callable[[], Any] | None:
        """The call of a second import of the file, on tensors of its own."""
        try:
            entry = compile_ahead.second_import(module_loader.write_text(text, filename, entry_name), self._about(entry_name))
            if entry.model is not None or entry.bind_weights(self.weights):
                return None
            keywords = entry.keywords(self.weights)
        except Exception:
            return None
        return lambda: entry.call(*(compile_ahead.empty_copy(value) for value in self.inputs[0]), **keywords)

    def contender(self, name: str) -> Call:
        if name in self.files:
            return self.kernel(*self.files[name])
        if name == "eager":
            return self.model
        import torch._inductor.config as settings  # imports for a second, and only where it is wanted
        settings.compile_threads = 1  # the environment may have been read before
        if self.beside > 1 and not self.tuned_in_turn:
            tune_in(self.turn)
            self.tuned_in_turn = True
        compiled = torch.compile(self.model, mode=COMPILE_MODES[name])
        if name == "compile":
            return compiled

        def graphed(*inputs: Any) -> Any:
            torch.compiler.cudagraph_mark_step_begin()  # the answer of the last call may be overwritten
            return compiled(*inputs)

        return graphed

    def open(self, fd: int) -> dict[str, Any]:
        self.files["kernel"] = (read_all(fd, module_loader.SOURCE_LIMIT), self.request["kernel_filename"], self.request["entry"])
        for rival in self.request["rivals"]:
            self.files[rival["name"]] = (rival["text"].encode(), rival["name"] + ".py", rival["entry"])
        return {"ok": True}

    def prepare(self, name: str) -> dict[str, Any]:
        """A contender that fails is told, and the others go on; but not where it leaves a GPU behind that answers nobody."""
        begin, calls = time.perf_counter(), 0
        answer: dict[str, Any] = {"ok": True}
        try:
            with self._turn_of(name):
                call = self.contender(name)
                calls = self._warm_up(call)
                if name == "eager":
                    self.degenerate = why_degenerate(self.model, self.inputs)
            self.calls[name] = call
            if self.beside > 1 and self.clock.cuda:
                torch.cuda.empty_cache()  # others need it
        except Exception as exc:
            if name == "kernel":
                raise
            answer["failed"] = one_line(f"{type(exc).__name__}: {exc}", 300)
            answer["broken"] = not self._recovered()
        return answer | {"calls": calls, "seconds": time.perf_counter() - begin}

    def _turn_of(self, name: str) -> contextlib.AbstractContextManager[None]:
        """What does nothing but run, or may compare configurations at any time, is prepared while the others wait."""
        tunes = name == "compile_max_autotune" or b"autotune" in self.files.get(name, (b"",))[0]
        return self.turn if name == "eager" or tunes else contextlib.nullcontext()

    def _recovered(self) -> bool:
        gc.collect()
        try:
            self.clock.wait()
            if self.clock.cuda:
                torch.cuda.empty_cache()
        except Exception:
            return False
        return True

    def samples(self) -> dict[str, Any]:
        settled = self._settle()
        samples = self._rounds()
        name = torch.cuda.get_device_name(0) if self.device == "cuda" else "cpu"
        return {"ok": True, "samples": samples, "device": name, "method": "cuda_events" if self.clock.cuda else "perf_counter",
                "flushed": self.clock.cuda, "input_sets": len(self.inputs), "degenerate": self.degenerate, "held_back": self.held_back.told(), "settled": settled}

    def _settle(self) -> dict[str, int]:
        """So many calls of each contender, where others were at work while it was prepared."""
        return {} if self.beside == 1 else {name: self._call_for(call, SETTLING_CALLS, SETTLING_SECONDS) for name, call in self.calls.items()}

    def _warm_up(self, call: Call) -> int:
        calls = self.request["warmup"] if self.beside == 1 else 0
        return self._call_for(call, calls, self.request["warmup_seconds"])

    def _call_for(self, call: Call, calls: int, seconds: float) -> int:
        """At least one call per set of inputs (a compiler may look at each), then so many until the time for it is over."""
        begin, done = time.perf_counter(), 0
        while done < len(self.inputs) or (done < calls and time.perf_counter() - begin < seconds):
            call(*self.inputs[done % len(self.inputs)])
            self.clock.wait()
            done += 1
        return done

    def _rounds(self) -> dict[str, list[float]]:
        samples: dict[str, list[float]] = {name: [] for name in self.calls}
        names, begin = list(self.calls), time.perf_counter()
        for number in range(self.request["rounds"]):
            if number >= LEAST_ROUNDS and time.perf_counter() - begin > self.request["seconds"]:
                break
            turn = number % len(names)
            for name in names[turn:] + names[:turn]:
                call, inputs = self.calls[name], self.inputs[number % len(self.inputs)]
                samples[name].append(self.held_back.sample(lambda: self.clock.sample(call, inputs)))
        return samples


def prepare_environment() -> None:
    """Everything that a compiler writes goes to the scratch folder; it starts no workers of its own."""
    scratch = os.environ.get("TMPDIR", "/tmp")
    os.environ.update(USER="kernelagent", TORCHINDUCTOR_CACHE_DIR=os.path.join(scratch, "inductor"), TORCHINDUCTOR_COMPILE_THREADS="1")


def answered(filename: str, step: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return step()
    except ProblemError as exc:
        return error_answer(exc.kind, exc.cause, filename, exc.message)
    except Failed as exc:
        return error_answer("failed", None, message=str(exc))
    except BaseException as exc:
        return error_answer("failed", exc, message=one_line(f"{type(exc).__name__}: {exc}", 400))


def main(conn: Conn) -> None:
    packet = conn.recv()
    if packet is None:
        return
    request, fds = packet
    filename, bench = str(request["filename"]), None

    def opened() -> dict[str, Any]:
        nonlocal bench
        if request["device"] == "cuda" and not torch.cuda.is_available():
            return error_answer("needs_cuda", None, message="this machine has no CUDA device")
        prepare_environment()
        turn = Turn(fds[2] if len(fds) > 2 else None)
        bench = Bench(request, read_all(fds[0], SOURCE_LIMIT).decode("utf-8-sig"), turn)
        return bench.open(fds[1])

    with torch.no_grad():
        conn.send(answered(filename, opened))
        while (packet := conn.recv()) is not None and bench is not None:
            wanted = packet[0].get("prepare")
            conn.send(answered(filename, bench.samples if wanted is None else lambda: bench.prepare(wanted)))

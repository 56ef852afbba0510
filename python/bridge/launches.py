"""Which kernels were launched, on what: wraps Triton's launching for the time of a candidate's call.

In interpreter mode the arguments go to the kernel as they are (they lie in CPU memory anyway), so none of Triton's
own host code uses PyTorch and the guard can stay on all the time: grid functions, heuristics, hooks and kernel
bodies are foreign code. Only kernels defined in the candidate's own file count, and a launch with an empty grid
does not.
"""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Callable

import torch
import triton
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction

from ka_bridge import pretend_gpu
from ka_bridge.autotune import Choice
from ka_bridge.interp_arguments import as_compiled
from ka_bridge.interp_lang import launch_with
from ka_bridge.interp_rounding import fuses
from ka_bridge.memory_watch import Watch
from ka_bridge.signature import base_function, describe, encode, parameters, tensors_in
from ka_bridge.state import launch_line

MAX_GRID = (2**31 - 1, 65535, 65535)
DISTINCT_LIMIT = 256
SEQUENCE_LIMIT = 4096

_storage = torch.Tensor.untyped_storage
_no_overrides = torch._C.DisableTorchFunction


class Recorder:
    """What was launched since `begin`."""

    def __init__(self, path: str, choice: Choice, watch: Watch | None = None) -> None:
        self.path = path
        self.watch = watch  # in interpreter mode
        self.choice = choice
        self.stream: int | None = None
        self.executes = True
        self._params: dict[Any, list[Any]] = {}
        self._globals: dict[Any, list[tuple[dict[str, Any], str, Any]]] = {}
        self.begin()

    @contextmanager
    def without_executing(self) -> Iterator[None]:
        """Launches are recorded, interpreted kernels do not run."""
        self.executes = False
        try:
            yield
        finally:
            self.executes = True

    def begin(self) -> None:
        self.count = 0
        self.foreign: list[str] = []
        self.other_streams = 0
        self.storages: set[int] = set()
        self.sequence: list[Any] = []  # all launches, in their order
        self._distinct: dict[str, dict[str, Any]] = {}

    @contextmanager
    def aside(self) -> Iterator[Recorder]:
        """What is launched meanwhile is written down elsewhere: in what is yielded."""
        ours = {name: getattr(self, name) for name in ("count", "foreign", "other_streams", "storages", "sequence", "_distinct")}
        other = copy(self)
        self.begin()
        try:
            yield other
        finally:
            for name, value in ours.items():
                setattr(other, name, getattr(self, name))
                setattr(self, name, value)

    def launches(self) -> list[dict[str, Any]]:
        return list(self._distinct.values())

    def params_of(self, function: Any, options: dict[str, Any]) -> list[Any]:
        if function not in self._params:
            self._params[function] = parameters(function, options)
        return self._params[function]

    def same_globals(self, function: Any) -> None:
        """A compiled kernel holds the global constants of its first launch; Triton refuses to run it when they have changed."""
        if function not in self._globals:
            self._globals[function] = list(global_constants(function))
        for space, name, value in self._globals[function]:
            now = space.get(name)
            if now is not value and getattr(now, "value", None) != value.value:
                raise RuntimeError(f"Global variable {name} has changed since we compiled this kernel, from {value.value} to "
                                   f"{getattr(now, 'value', now)}")

    def record(self, function: Any, params: list[Any], bound: dict[str, Any], options: dict[str, Any],
               grid: tuple[int, ...], stream: int | None = None) -> None:
        """Notes one launch that is about to happen (or has just happened)."""
        if 0 in grid:
            return
        if function.__code__.co_filename != self.path:
            self.foreign.append(function.__name__)
            return
        self.count += 1
        if stream is not None and self.stream is not None and stream != self.stream:
            self.other_streams += 1
        with _no_overrides():
            for value in bound.values():
                for tensor in tensors_in(value):
                    storage = _storage(tensor)
                    self.storages.add(storage.data_ptr())
                    if self.watch is not None and pretend_gpu.is_host(tensor):
                        raise ValueError("a tensor in host memory was given to a kernel; was `device=` forgotten?")
                    if self.watch is not None:  # what is not known yet may be used, but its origin is asked for
                        self.watch.add(storage.data_ptr(), storage.nbytes(), "memory of unknown origin")
            if len(self.sequence) < SEQUENCE_LIMIT:
                self.sequence.append(launch_line(function.__name__, bound, options, grid))
            if len(self._distinct) < DISTINCT_LIMIT:
                self._note(function, describe(params, bound), options, grid)

    def blocks_of(self, bound: dict[str, Any]) -> set[int]:
        """Where the memory starts that a launch is given. Addresses may also come in a table of integers: then all there is."""
        tensors = [tensor for value in bound.values() for tensor in tensors_in(value)]
        with _no_overrides():
            starts = {_storage(tensor).data_ptr() for tensor in tensors}
            tables = any(tensor.dtype == torch.int64 and _storage(tensor).data_ptr() not in self.watch.sampler.readonly
                         for tensor in tensors)
        return starts | set(self.watch.starts) if tables else starts

    def _note(self, function: Any, shape: Any, options: dict[str, Any], grid: tuple[int, ...]) -> None:
        given = {name: encode(value) for name, value in sorted(options.items()) if value is not None}
        entry = {
            "kernel": function.__name__,
            "qualname": function.__qualname__,
            "line": function.__code__.co_firstlineno,
            "signature": shape.signature,
            "constexprs": {next_name(shape.signature, path): value for path, value in shape.constants},
            "constants": shape.constants,
            "aligned": shape.aligned,
            "options": given,
            "num_warps": given.get("num_warps", 4),
            "num_stages": given.get("num_stages", 3),
        }
        key = json.dumps(entry, sort_keys=True)
        if key not in self._distinct:
            entry["grid"] = list(grid)
            entry["config"] = self.choice.current()
            entry["launched"] = 0
            self._distinct[key] = entry
        self._distinct[key]["launched"] += 1


def global_constants(function: Any, seen: set[Any] | None = None) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """The tl.constexpr globals that a kernel, or a device function that it calls, reads: where they are, their names, their values."""
    seen = set() if seen is None else seen
    seen.add(function)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        inner = base_function(value)
        if isinstance(value, triton.language.constexpr):
            yield function.__globals__, name, value
        elif inner is not None and inner is not value and inner not in seen and inner.__globals__ is function.__globals__:
            yield from global_constants(inner, seen)


def kernels_in(module: Any, path: str) -> list[str]:
    """The names of the jit functions of the file `path` that a module holds."""
    found = {}
    for value in list(vars(module).values()):
        function = base_function(value)
        if function is not None and function is not value and function.__code__.co_filename == path:
            found[function.__name__] = True
    return list(found)


def next_name(signature: dict[str, Any], path: list[int]) -> str:
    """An argument's name, with the indices of a tuple element: "shape[1]"."""
    name = list(signature)[path[0]]
    return name + "".join(f"[{i}]" for i in path[1:])


def normal_grid(grid: Any, bound: dict[str, Any]) -> tuple[int, int, int]:
    """The grid as three numbers; calls the candidate's grid function with the arguments, as Triton does."""
    if callable(grid):
        grid = grid(bound)
    if not isinstance(grid, (tuple, list)) or not 1 <= len(grid) <= 3:
        raise ValueError(f"a grid must be a tuple of 1 to 3 integers, not {grid!r:.80}")
    full = tuple(operator.index(n) for n in grid) + (1,) * (3 - len(grid))
    for axis, (n, limit) in enumerate(zip(full, MAX_GRID)):
        if n < 0 or n > limit:
            raise ValueError(f"the grid {full} is out of range: axis {axis} may have at most {limit} programs")
    return full


class CompiledKernel:
    """What a launch returns; host code that asks whether it is None must not learn where it runs."""

    def __repr__(self) -> str:
        return f"<triton.compiler.compiler.CompiledKernel object at {hex(id(self))}>"


def watch_interpreter(recorder: Recorder) -> None:
    """Replaces the launching of interpreted kernels."""
    executor = interpreter.GridExecutor
    signatures: dict[Any, inspect.Signature] = {}

    def as_they_are(self: Any, args: Any, kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
        return list(args), dict(kwargs)

    def nothing_to_copy(self: Any, *args: Any) -> None:
        return None

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        try:
            if not warmup:
                launch(self, args, grid, kwargs)
        except Exception as exc:
            pretend_gpu.FAILED.append(exc)
            raise
        return CompiledKernel()

    def launch(self: Any, args: tuple[Any, ...], grid: Any, kwargs: dict[str, Any]) -> None:
        function = self.fn
        params = recorder.params_of(function, self.kwargs)
        if function not in signatures:
            signatures[function] = inspect.signature(function)
        names = {param.name for param in params}
        bound_args = signatures[function].bind(*args, **{k: v for k, v in kwargs.items() if k in names})
        bound_args.apply_defaults()
        bound = dict(bound_args.arguments)
        full = normal_grid(grid, bound)
        options = {name: value for name, value in kwargs.items() if name not in names}
        recorder.same_globals(function)
        recorder.record(function, params, bound, options, full)
        if not recorder.executes:
            return None
        warps = options.get("num_warps") or 4
        watch, own = recorder.watch, function.__code__.co_filename == recorder.path
        watch.launch(function.__name__, own, full, warps, bool(options.get("launch_cooperative_grid")))
        launch_with(warps)
        fuses(options.get("enable_fp_fusion"))
        sampler = recorder.watch.sampler
        if sampler is not None:
            sampler.begin(function.__name__, full, recorder.blocks_of(bound))
        programs = executor(self.rewrite(), self.arg_names, full if sampler is None and not watch.resident else (1, 1, 1), self.pre_run_hooks)
        programs.constexprs = list(names)  # nothing is left to convert
        try:
            programs.fn = recorder.watch.in_turns(programs.fn)
            programs(**as_compiled(params, bound))
        finally:
            recorder.watch.launched()

    executor._init_args_hst = as_they_are
    executor._restore_args_dev = nothing_to_copy
    interpreter.InterpretedFunction.run = run
    interpreter.InterpretedFunction.__repr__ = lambda self: f"JITFunction({self.fn.__module__}:{self.fn.__qualname__})"


def watch_cuda(recorder: Recorder) -> None:
    """Wraps both ways to launch a compiled kernel: through the jit function and through the compiled object."""
    original_run = JITFunction.run
    compiled_class = triton.compiler.CompiledKernel
    original_item = compiled_class.__getitem__
    current_stream: Callable[[], int] = lambda: torch.cuda.current_stream().cuda_stream

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup:
            return original_run(self, *args, grid=grid, warmup=True, **kwargs)
        names = set(self.arg_names)
        options = {name: value for name, value in kwargs.items() if name not in names}

        def seen(bound: dict[str, Any]) -> tuple[int, int, int]:
            full = normal_grid(grid, bound)
            recorder.record(self.fn, self.params, dict(bound), options, full, current_stream())
            return full

        return original_run(self, *args, grid=seen, warmup=False, **kwargs)

    def item(self: Any, grid: Any) -> Callable[..., Any]:
        runner = original_item(self, grid)
        function = base_function(getattr(self.src, "fn", None))

        def launch(*args: Any, **kwargs: Any) -> Any:
            if function is not None:
                bound = dict(zip(self.src.fn.arg_names, args))
                options = {"num_warps": self.metadata.num_warps, "num_stages": self.metadata.num_stages}
                recorder.record(function, self.src.fn.params, bound, options, normal_grid(grid, bound),
                                kwargs.get("stream") or current_stream())
            return runner(*args, **kwargs)

        return launch

    JITFunction.run = run
    compiled_class.__getitem__ = item

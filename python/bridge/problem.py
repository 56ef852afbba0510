"""The problem file: executing it, finding the program and its sample inputs in it, building and calling it.

Accepted are KernelBench's format (class Model, get_inputs, optionally get_init_inputs) and, by name, any nn.Module
class, nn.Module instance or function. The sample inputs of an object Name come from the first of these functions that
the file has: Name_inputs, get_Name_inputs (both also with the name in lower case), get_inputs; the constructor
arguments of a class from Name_init_inputs, get_Name_init_inputs, get_init_inputs (none: no arguments).

The file is foreign code. What it returns is judged by exact type before anything of it is used.
"""

from __future__ import annotations

import copy
import inspect
import linecache
import random
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from ka_bridge import forks, structures, uncompiled
from ka_bridge.conn import one_line
from ka_bridge.modes import Stop
from ka_bridge.tensors import Unsupported, check_supported

MODULE_NAME = "ka_problem"
SCALARS = (int, float, bool, type(None))
_NO_CUDA = ("not compiled with cuda", "no nvidia driver", "no cuda gpus", "found no nvidia", "cuda driver",
            "accelerator device when none is available", "cuda is not available", "invalid device string: 'cuda")
ACCEPTED = "; accepted: class Model(nn.Module) with get_inputs(), or a module or function named as file.py:Name"
_NO_MEMORY = ("not enough memory", "can't allocate memory", "out of memory", "cannot allocate memory")


class ProblemError(Exception):
    """A fault of the problem file, with the kind that the protocol names and the exception behind it.

    need: for cannot_scale, the elements and flops of the smallest sizes that run."""

    def __init__(self, kind: str, message: str, cause: BaseException | None = None,
                 need: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.need = need
        self.line: int | None = None
        self.kind = kind
        self.message = message
        self.cause = cause


@contextmanager
def phase(kind: str, doing: str) -> Iterator[None]:
    """Turns whatever foreign code raises into a ProblemError of this kind; memory and CUDA have their own."""
    try:
        with _kinds(kind, doing):
            yield
    finally:
        found = forks.seen(doing)
        if found is not None:
            failure = ProblemError("unsupported", f"{found.doing} forks a process; a problem must compute in its own process")
            failure.line = found.line
            raise failure


@contextmanager
def _kinds(kind: str, doing: str) -> Iterator[None]:
    try:
        yield
    except (ProblemError, Stop):
        raise
    except Unsupported as exc:
        raise ProblemError("unsupported", str(exc), exc) from exc
    except BaseException as exc:
        try:
            text = one_line(str(exc), 300)
        except BaseException:
            text = ""
        low = text.lower()
        if isinstance(exc, MemoryError) or any(sign in low for sign in _NO_MEMORY):
            message = f"{doing} needs more memory than it is given (--memory): {text or 'MemoryError'}"
            raise ProblemError("memory", message, exc) from exc
        if any(sign in low for sign in _NO_CUDA):
            message = f"{doing} needs CUDA, which this machine does not offer: {text}"
            raise ProblemError("needs_cuda", message, exc) from exc
        detail = f"{type(exc).__name__}: {text}" if text else type(exc).__name__
        raise ProblemError(kind, f"{doing} raises {detail}", exc) from exc


def seed_everything(seed: int) -> None:
    """As torch.manual_seed, without its queue of calls for devices that were never used (a millisecond each time)."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(seed % (1 << 32))


def derived_seed(seed: int, purpose: int) -> int:
    """Another stream for another purpose: nobody who knows one can take it for the other."""
    value = (seed * 6364136223846793005 + purpose * 1442695040888963407 + 0x9E3779B97F4A7C15) % (1 << 64)
    return (value ^ (value >> 29)) % (1 << 62)


class Program:
    """One execution of the problem file with one choice of sizes."""

    def __init__(self, code: types.CodeType, text: str, filename: str, name: str | None, mode: str, device: str,
                 seed: int) -> None:
        self.name = name
        self.mode = mode
        self.device = device
        module = types.ModuleType(MODULE_NAME)
        module.__file__ = filename
        sys.modules[MODULE_NAME] = module
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        seed_everything(derived_seed(seed, 1))
        with phase("init_raises", "the file"), torch.no_grad(), uncompiled.functions():
            exec(code, module.__dict__)
        self.namespace = module.__dict__
        self._find()

    def _find(self) -> None:
        names = self.namespace
        if self.name is None and not isinstance(names.get("Model"), type):
            raise ProblemError("no_model", "the file defines no class Model" + (_suggestion(names) or ACCEPTED))
        self.target_name = self.name or "Model"
        if self.target_name not in names:
            raise ProblemError("no_model", f"the file defines no {self.target_name}" + (_suggestion(names) or ACCEPTED))
        self.target = names[self.target_name]
        if isinstance(self.target, type) and issubclass(self.target, nn.Module):
            self.kind = "kernelbench" if self.target_name == "Model" else "module"
        elif isinstance(self.target, nn.Module):
            self.kind = "module"
        elif self.target_name != "Model" and callable(self.target) and not isinstance(self.target, type):
            self.kind = "function"
        else:
            raise ProblemError("no_model", f"{self.target_name} is neither an nn.Module nor a function" + _suggestion(names))
        self.inputs_name = first_function(names, self.target_name, "inputs")
        if self.inputs_name is None:
            wanted = "get_inputs" if self.target_name == "Model" else f"{self.target_name}_inputs and no get_inputs"
            raise ProblemError("no_get_inputs", f"the file defines no {wanted}: a function that returns a list of sample "
                               "inputs, tensors and scalars")
        self.init_name = first_function(names, self.target_name, "init_inputs")

    def init_args(self) -> list[Any]:
        if self.init_name is None or not isinstance(self.target, type):
            return []
        with phase("init_raises", self.init_name):
            values = self.namespace[self.init_name]()
        if not isinstance(values, (list, tuple)):
            raise ProblemError("unsupported", f"{self.init_name} returns {type(values).__name__}; "
                               "a list of constructor arguments is needed")
        return list(values)

    def build(self, seed: int) -> Any:
        """The callable, on its device, in its mode. A class is constructed anew, an instance is copied."""
        seed_everything(seed)
        if self.kind == "function":
            return self.target
        with torch.no_grad():
            if isinstance(self.target, type):
                args = self.init_args()
                seed_everything(seed)
                with phase("init_raises", f"the constructor of {self.target_name}"), uncompiled.functions():
                    model = self._construct(args)
                if not isinstance(model, nn.Module):
                    raise ProblemError("no_model", f"{self.target_name}() is no nn.Module")
            else:
                with phase("init_raises", f"copying {self.target_name}"):
                    model = copy.deepcopy(self.target)
            with phase("init_raises", f"moving {self.target_name} to {self.device}"):
                if self.device != "cpu":
                    nn.Module.to(model, self.device)
                if self.mode == "eval":
                    model.eval()
        return model

    def _construct(self, args: list[Any]) -> Any:
        """TypeError from the call itself, with no argument given, is most often a forgotten get_init_inputs."""
        try:
            return self.target(*args)
        except TypeError as exc:
            if self.init_name is None and exc.__traceback__ is not None and exc.__traceback__.tb_next is None:
                raise TypeError(f"{exc} (the file defines no get_init_inputs, so there are no arguments)") from None
            raise

    def inputs(self, seed: int) -> list[Any]:
        """Fresh sample inputs, checked, on the device."""
        seed_everything(seed)
        with phase("forward_raises", self.inputs_name), torch.no_grad():
            values = self.namespace[self.inputs_name]()
        if isinstance(values, torch.Tensor):
            values = [values]
        if not isinstance(values, (list, tuple)):
            raise ProblemError("inputs_not_tensors", f"{self.inputs_name} returns {type(values).__name__}; "
                               "a list of tensors and scalars is needed")
        return [self._checked_input(i, v) for i, v in enumerate(values)]

    def _checked_input(self, index: int, value: Any) -> Any:
        if type(value) in SCALARS:
            if type(value) is float and not -1e308 <= value <= 1e308:
                raise ProblemError("unsupported", f"input {index} is the scalar {value}; scalars must be finite")
            return value
        if not isinstance(value, torch.Tensor):
            raise ProblemError("inputs_not_tensors",
                               f"input {index} is of type {type(value).__name__}; inputs must be tensors or scalars")
        if not is_fake(value):
            with phase("unsupported", "an input"):
                check_supported(value, f"input {index}")
        with torch.no_grad(), phase("forward_raises", f"moving input {index} to {self.device}"):
            return value.detach().to(self.device)

    def input_names(self, model: Any, count: int) -> list[str]:
        """Argument names of forward; input0, input1, ... where the signature does not tell."""
        names: list[str] = []
        try:
            function = model.forward if isinstance(model, nn.Module) else model
            for parameter in inspect.signature(function).parameters.values():
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                    names.append(str(parameter.name))
        except BaseException:
            names = []
        return [names[i] if i < len(names) else f"input{i}" for i in range(count)]

    def call(self, model: Any, inputs: list[Any], call_seed: int) -> Any:
        seed_everything(call_seed)
        with phase("forward_raises", "forward" if self.kind != "function" else self.target_name), torch.no_grad():
            return model(*inputs)


def flatten(result: Any) -> tuple[list[torch.Tensor], str]:
    """The output tensors and how they are packed (structures.py); anything else is refused by name."""
    try:
        structure, parts = structures.packed(result, lambda value: isinstance(value, torch.Tensor), False)
    except structures.NotPacked as exc:
        raise ProblemError("unsupported", f"forward returns {exc}; tensors are needed, alone or in tuples, lists and dictionaries") from exc
    if not parts:
        raise ProblemError("unsupported", f"forward returns no tensor: {structure}")
    for i, part in enumerate(parts):
        if not is_fake(part):
            with phase("unsupported", "an output"):
                check_supported(part, f"output {i}")
    return [part.detach() for part in parts], structure


def first_function(names: dict[str, Any], target: str, suffix: str) -> str | None:
    for stem in (target, target.lower()):
        for name in (f"{stem}_{suffix}", f"get_{stem}_{suffix}"):
            if callable(names.get(name)):
                return name
    return f"get_{suffix}" if callable(names.get(f"get_{suffix}")) else None


def is_fake(value: torch.Tensor) -> bool:
    """A tensor of PyTorch's own without data, as scaling uses them (the class is not imported for this)."""
    return type(value).__name__ == "FakeTensor" and type(value).__module__ == "torch._subclasses.fake_tensor"


def _suggestion(names: dict[str, Any]) -> str:
    own = [n for n, v in names.items() if not n.startswith("_") and getattr(v, "__module__", "") == MODULE_NAME
           and (isinstance(v, (types.FunctionType, nn.Module)) or (isinstance(v, type) and issubclass(v, nn.Module)))
           and not n.endswith("inputs")]
    return f" (it has {', '.join(sorted(own)[:6])}: name one as file.py:{sorted(own)[0]})" if own else ""

"""The entry of a kernel file and how it is called: `kernel_function(*inputs, **weights)` or the class ModelNew."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import torch

_named_parameters = torch.nn.Module.named_parameters
_named_buffers = torch.nn.Module.named_buffers
_state_dict = torch.nn.Module.state_dict
_set_data = torch.Tensor.data.__set__


class Unfit(Exception):
    """The file has no usable entry. `kind` is "entry" or "signature"."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def expected(name: str, inputs: list[str], weights: list[str]) -> str:
    parts = inputs + (["*", *weights] if weights else [])
    return f"{name}({', '.join(parts)})"


class Entry:
    """What the file defines under the entry's name, ready to be called."""

    def __init__(self, module: Any, request: dict[str, Any]) -> None:
        self.name: str = request["entry"]
        self.arguments: list[str] = [w["argument"] for w in request.get("weights", [])]
        self.state_names: dict[str, str] = {w["argument"]: w["name"] for w in request.get("weights", [])}
        count = request["inputs"]
        self.inputs: list[str] = request.get("input_names") or [f"input{i}" for i in range(count)]
        if self.name not in vars(module):
            raise Unfit("entry", f"the file defines no {self.name}; expected is "
                                 f"{expected(self.name, self.inputs, self.arguments)}")
        value = vars(module)[self.name]
        self.model: torch.nn.Module | None = None
        if isinstance(value, type):
            self.call = self._build_model(value, request)
            self.passed: list[str] = []
        else:
            self.call, self.passed = self._check_function(value)

    def _check_function(self, value: Any) -> tuple[Callable[..., Any], list[str]]:
        shown = expected(self.name, self.inputs, self.arguments)
        if not inspect.isfunction(value):
            raise Unfit("entry", f"{self.name} is a {type(value).__name__}, not a function; expected is {shown}")
        signature = inspect.signature(value)
        takes_all = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
        by_name = {p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        passed = [name for name in self.arguments if takes_all or name in by_name]
        try:
            signature.bind(*self.inputs, **{name: None for name in passed})
        except TypeError as exc:
            raise Unfit("signature", f"{self.name}{signature} cannot be called as {shown}: {exc}") from None
        return value, passed

    def _build_model(self, value: type, request: dict[str, Any]) -> Callable[..., Any]:
        if not issubclass(value, torch.nn.Module):
            raise Unfit("entry", f"the class {self.name} is not a torch.nn.Module")
        model = value(*request.get("init_args", []))
        if request.get("mode") == "eval":
            model.eval()
        wanted, saved = set(self.state_names.values()), set(_state_dict(model))
        held = {name for names in (_named_parameters, _named_buffers) for name, _ in names(model, remove_duplicate=False)}
        missing, extra = sorted(wanted - held), sorted(saved - wanted)  # tables that are not saved are a module's own business
        if missing or extra:
            raise Unfit("signature", f"the parameters and buffers of {self.name} must have the names of the given "
                                     f"module; missing: {missing or 'none'}, not known there: {extra or 'none'}")
        self.model = model
        return model

    def bind_weights(self, weights: dict[str, torch.Tensor]) -> list[str]:
        """Gives a model's parameters and buffers the given memory; returns names whose shape or dtype differs."""
        if self.model is None:
            return []
        slots = dict(_named_parameters(self.model, remove_duplicate=False))
        slots.update(_named_buffers(self.model, remove_duplicate=False))
        wrong = []
        for argument, tensor in weights.items():
            slot = slots[self.state_names[argument]]
            if tuple(slot.shape) != tuple(tensor.shape) or slot.dtype != tensor.dtype:
                wrong.append(f"{self.state_names[argument]} is {slot.dtype} {list(slot.shape)}, "
                             f"given is {tensor.dtype} {list(tensor.shape)}")
                continue
            _set_data(slot, tensor)
        return wrong

    def keywords(self, weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {name: weights[name] for name in self.passed}


def constants_of(values: Any, depth: int = 0) -> list[torch.Tensor]:
    """Tensors that a module holds by name, or in plain containers."""
    items = list(values.values()) if type(values) is dict else list(values)
    found = [item for item in items if type(item) in (torch.Tensor, torch.nn.Parameter)]
    for item in items:
        if type(item) in (dict, list, tuple) and depth < 2:
            found += constants_of(item, depth + 1)
    return found

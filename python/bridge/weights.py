"""Parameters and buffers of a module: collecting, naming, copying, widening.

They are read from the module's own dictionaries: state_dict() and named_parameters() could be overridden by the
problem. Names are those of state_dict; buffers that are not saved (persistent=False) are included. A weight that is
the same object as an earlier one is tied to it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from ka_bridge.problem import ProblemError, is_fake
from ka_bridge.tensors import Unsupported, check_supported

STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


@dataclass
class Weight:
    name: str
    argument: str
    kind: str
    tied_to: str | None
    tensor: torch.Tensor
    owner: nn.Module
    key: str


def collect(model: Any) -> list[Weight]:
    """All weights in the order of state_dict; none for a plain function."""
    if not isinstance(model, nn.Module):
        return []
    found: list[Weight] = []
    first: dict[int, str] = {}
    for prefix, module in nn.Module.named_modules(model, remove_duplicate=False):
        for kind, tensors in (("parameter", module._parameters), ("buffer", module._buffers)):
            for key, tensor in tensors.items():
                if tensor is None:
                    continue
                name = f"{prefix}.{key}" if prefix else key
                tied = first.get(id(tensor))
                first.setdefault(id(tensor), name)
                found.append(Weight(name, name.replace(".", "_"), kind, tied, tensor, module, key))
    _check(found)
    return found


def kept_with(found: list[Weight], changed: set[str]) -> set[str]:
    """The statistics of norms that are kept together with changed ones. A mean that was 0 and of which 0 is found (the two
    rows of a small batch, centred) is the same afterwards, and written all the same: a kernel may round it otherwise."""
    owners = {id(w.owner) for w in found if w.name in changed and isinstance(w.owner, _NormBase)}
    return {w.name for w in found if w.kind == "buffer" and id(w.owner) in owners and w.key in STATISTICS}


def _check(found: list[Weight]) -> None:
    arguments: dict[str, str] = {}
    for weight in found:
        other = arguments.setdefault(weight.argument, weight.name)
        if other != weight.name:
            raise ProblemError("unsupported", f"the weights {other} and {weight.name} have the same argument name "
                               f"{weight.argument}")
        if is_fake(weight.tensor):
            continue
        try:
            check_supported(weight.tensor, f"the {weight.kind} {weight.name}")
        except Unsupported as exc:
            raise ProblemError("unsupported", str(exc), exc) from exc


def element_count(found: list[Weight]) -> int:
    return sum(w.tensor.numel() for w in found if w.tied_to is None)


def duplicate(model: Any) -> Any:
    """An independent copy; a function is its own copy. None when the module cannot be copied."""
    if not isinstance(model, nn.Module):
        return model
    try:
        return copy.deepcopy(model)
    except BaseException:
        return None


def widen(model: Any) -> Any:
    """Turns floating parameters, buffers and tensors kept as plain attributes into float64, in place.

    Parameters keep their identity, so that ties and the flat weight lists of recurrences stay what they are.
    """
    if not isinstance(model, nn.Module):
        return model
    memo: dict[int, torch.Tensor] = {}
    for module in nn.Module.modules(model):
        for parameter in module._parameters.values():
            if parameter is not None and parameter.is_floating_point():
                parameter.data = parameter.data.double()
        for key, tensor in list(module._buffers.items()):
            module._buffers[key] = _widened(tensor, memo)
        for key, value in list(vars(module).items()):
            if not key.startswith("_"):
                vars(module)[key] = _widened(value, memo)
    return model


def _widened(value: Any, memo: dict[int, torch.Tensor]) -> Any:
    if type(value) is torch.Tensor and value.is_floating_point():
        if id(value) not in memo:
            memo[id(value)] = value.double()
        return memo[id(value)]
    if type(value) in (list, tuple) and any(type(v) is torch.Tensor for v in value):
        return type(value)(_widened(v, memo) for v in value)
    return value


def vary_constants(found: list[Weight], generator: torch.Generator) -> list[str]:
    """Gives weights that were built with one single value (biases of 0, scales of 1) values of their own, in place.

    A kernel that leaves such a weight out is right only for a freshly built module. Parameters get a normal deviate of
    a quarter around the value; running statistics likewise, variances kept within a factor of two.
    """
    changed: list[str] = []
    for weight in found:
        tensor = weight.tensor.detach()
        if weight.tied_to is not None or not tensor.is_floating_point() or tensor.numel() == 0:
            continue
        if not bool((tensor == tensor.flatten()[0]).all()):
            continue
        noise = torch.randn(tensor.shape, generator=generator).to(tensor.device, torch.float32)
        value = float(tensor.flatten()[0])
        if weight.kind == "parameter":
            new = value + 0.25 * noise
        elif weight.key == "running_mean":
            new = value + 0.25 * noise
        elif weight.key == "running_var":
            new = value * torch.exp2(noise.clamp(-2, 2) / 2)
        else:
            continue
        tensor.copy_(new.to(tensor.dtype))
        changed.append(weight.name)
    return changed

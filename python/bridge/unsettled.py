"""Answers that PyTorch leaves open: no kernel can be asked for them.

  - Equal values: which of them topk, sort, kthvalue, median and mode name by their index is not documented, and differs between CPU and
    GPU. The values are settled; the indices are not, as soon as anything uses them. Values that were computed are equal when
    they differ by a few roundings: another order of summation would exchange them.
  - A float converted to an integer type that cannot hold it (NaN, infinities, too large): undefined in C, and x86 and GPUs differ.
  - A sampling grid that is not finite: on a CPU the sample is NaN, on a GPU it lies outside the image.
  - Fake quantisation of NaN or infinity, which goes through an integer.

Unsettled watches a run of the reference. A distribution in which it sees one of these is left out for that program.
"""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import ops
from ka_bridge.modes import Mode

ORDERINGS = frozenset({"topk", "sort", "kthvalue", "median", "mode", "nanmedian"})
CONVERSIONS = frozenset({"_to_copy", "copy_"})
SAMPLERS = frozenset({"grid_sampler", "grid_sampler_2d", "grid_sampler_3d"})
QUANTISERS = frozenset({"fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine",
                        "fake_quantize_per_tensor_affine_cachemask", "fake_quantize_per_channel_affine_cachemask"})
WATCHED = ORDERINGS | CONVERSIONS | SAMPLERS | QUANTISERS
ROUNDINGS = 8  # of the dtype, that computed values may differ by and count as equal
TIES = "equal values, and PyTorch does not say which of them comes first"
RANGE = "a float is converted to an integer type that cannot hold it"
GRID = "a sampling grid is not finite, which CPU and GPU treat differently"
QUANTISED = "a number that is not finite is quantised by way of an integer"


class Unsettled(Mode):
    """Runs ops as they are; `why` says afterwards what was left open, if anything."""

    def __init__(self) -> None:
        super().__init__()
        self.why: str | None = None
        self.indices: list[torch.Tensor] = []  # that could be others; kept, so that their memory is their own
        self.computed: set[int] = set()  # memory of results; what is given keeps its own

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        facts = ops.facts_of(func)
        if self.indices and not facts.is_view:
            self.look_at([*args, *kwargs.values()])
        result = func(*args, **kwargs)
        if facts.name in CONVERSIONS:
            source = args[1] if facts.name == "copy_" else args[0]
            if not fits(source, result.dtype):
                self.why = self.why or RANGE
        elif facts.name in SAMPLERS and not bool(torch.isfinite(args[1]).all()):
            self.why = self.why or GRID
        elif facts.name in QUANTISERS and not bool(torch.isfinite(args[0]).all()):
            self.why = self.why or QUANTISED
        elif facts.name in ORDERINGS and isinstance(result, tuple) and has_ties(func, args, kwargs, self.is_computed(args[0])):
            self.indices.append(result[1])
        if isinstance(result, torch.Tensor) and not facts.is_view:
            self.computed.add(result.untyped_storage().data_ptr())
        return result

    def is_computed(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.is_floating_point() and value.untyped_storage().data_ptr() in self.computed

    def look_at(self, values: Any) -> None:
        """Ops, and at the end the caller with the outputs: whether one of these is an index that could be another."""
        places = {tensor.untyped_storage().data_ptr() for tensor in self.indices}
        for value in values:
            for part in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(part, torch.Tensor) and part.untyped_storage().data_ptr() in places:
                    self.why = self.why or TIES


def fits(source: Any, target: torch.dtype) -> bool:
    if target.is_floating_point or target.is_complex or target is torch.bool:
        return True
    if not isinstance(source, torch.Tensor) or not source.is_floating_point():
        return True
    wide, limits = source.detach().double(), torch.iinfo(target)
    return bool(((wide > float(limits.min) - 1) & (wide < float(limits.max) + 1)).all())


def has_ties(func: Any, args: Any, kwargs: dict[str, Any], computed: bool = False) -> bool:
    """Whether a value that an ordering op chooses from occurs more than once in its row. Of `computed` ones, those that are a few
    roundings apart are one; a stable order leaves only these open."""
    if kwargs.get("stable") and not computed:
        return False
    given = dict(zip((argument.name for argument in func._schema.arguments), args)) | kwargs
    value, dim = given["self"].detach(), given.get("dim", -1)
    if value.dim() == 0 or value.shape[dim] < 2:
        return False
    order = value.double().sort(dim=dim, descending=bool(given.get("largest", True))).values
    if func._schema.name == "aten::topk":
        order = order.narrow(dim, 0, min(given["k"] + 1, order.shape[dim]))
    count = order.shape[dim] - 1
    one, two = order.narrow(dim, 0, count), order.narrow(dim, 1, count)
    apart = ROUNDINGS * torch.finfo(value.dtype).eps * torch.maximum(one.abs(), two.abs()) if computed else 0.0
    near = (one - two).abs() <= apart
    if kwargs.get("stable"):
        return bool((near & (one != two)).any())
    return bool((near | (one == two) | (torch.isnan(one) & torch.isnan(two))).any())

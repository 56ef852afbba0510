"""The tensors that a candidate is given: fenced copies of what the judge sent, and whether they still hold it."""

from __future__ import annotations

import mmap
from typing import Any

import torch

from ka_bridge.arena import raw_bytes, same_layout
from ka_bridge.fence import Fence, Zone, same_bytes
from ka_bridge.tensors import DTYPES


class Given:
    """Inputs and weights of the last run. `device` is set by whoever inherits this."""

    device: torch.device

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.inputs: list[Any] = []
        self.weights: dict[str, torch.Tensor] = {}
        self.specs: list[dict[str, Any]] = []

    def take(self, request: dict[str, Any], arena: mmap.mmap, fence: Fence) -> None:
        """Fenced copies of the given tensors; on "reuse" the objects of the last run with the new values."""
        specs = [*request["inputs"], *request["weights"].values()]
        names = [f"input {i}" for i in range(len(request["inputs"]))]
        names += [f"weight {name}" for name in request["weights"]]
        if request.get("reuse"):
            if not same_layout(specs, self.specs):
                raise ValueError("reuse needs the shapes of the previous run")
            for spec, zone in zip((s for s in specs if "scalar" not in s), self.zones):
                fence.again(zone, raw_bytes(arena, spec))
            tensors = self._values()
            values = [spec["scalar"] if "scalar" in spec else tensors.pop(0) for spec in specs]
        else:
            self.zones = []
            values = [self._given(spec, arena, fence, name) for spec, name in zip(specs, names)]
        self.specs = specs
        count = len(request["inputs"])
        self.inputs = values[:count]
        self.weights = dict(zip(request["weights"], values[count:]))

    def _given(self, spec: dict[str, Any], arena: mmap.mmap, fence: Fence, name: str) -> Any:
        if "scalar" in spec:
            return spec["scalar"]
        tensor, zone = fence.given(raw_bytes(arena, spec), spec["shape"], spec["strides"], DTYPES[spec["dtype"]],
                                   self.device, name)
        self.zones.append(zone)
        return tensor

    def _values(self) -> list[torch.Tensor]:
        return [v for v in (*self.inputs, *self.weights.values()) if type(v) is torch.Tensor]

    def changed(self, arena: mmap.mmap, updated: list[str]) -> list[str]:
        """Which given tensors no longer hold the given bytes: "input 0", "weight fc_bias" (without the updated ones)."""
        zones = iter(self.zones)
        names = [None] * len(self.inputs) + list(self.weights)
        places = [(i, spec, next(zones)) for i, spec in enumerate(self.specs) if "scalar" not in spec]
        return [zone.what for i, spec, zone in places
                if names[i] not in updated and not same_bytes(zone.raw(), raw_bytes(arena, spec))]

"""The host code for the sizes that were given, where only smaller ones can be run: which configurations would it choose from?

Kernels are recorded but not executed, so nothing is computed and no memory is touched: tensors are allocated and left
as they are. What comes out is what pruning functions say about the given sizes, and what would be launched there: whether it
compiles is found out as for other launches. Host code that raises there is no kernel for the given sizes.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ka_bridge import entry as entries, pretend_gpu
from ka_bridge.guard import Guard
from ka_bridge.tensors import DTYPES

BYTES_LIMIT = 16 << 30

_empty_strided = torch.empty_strided


class NoFence:
    """Memory as the allocator gives it, and nothing in it."""

    virtual = True

    def fresh(self, size: Any, stride: Any, dtype: torch.dtype, device: torch.device, what: str) -> torch.Tensor:
        return _empty_strided(tuple(size), tuple(stride), dtype=dtype, device=device)

    def filled(self, source: torch.Tensor, what: str) -> torch.Tensor:
        return source


def run(subject: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Calls the entry once. Raises what the host code raises."""
    specs = [*request["inputs"], *request["weights"].values()]
    if sum(spec.get("nbytes", 0) for spec in specs) > BYTES_LIMIT:
        raise MemoryError("the given sizes are too large to be allocated")
    values = [spec["scalar"] if "scalar" in spec
              else _empty_strided(tuple(spec["shape"]), tuple(spec["strides"]), dtype=DTYPES[spec["dtype"]]) for spec in specs]
    inputs, weights = values[:len(request["inputs"])], dict(zip(request["weights"], values[len(request["inputs"]):]))
    given = [value for value in values if type(value) is torch.Tensor]
    subject.watch.begin()
    subject.recorder.begin()
    with pretend_gpu.Pretence() if subject.entry.model is not None else contextlib.nullcontext():
        entry = entries.Entry(subject.module, {**subject.request, "init_args": request.get("init_args") or []}) \
            if subject.entry.model is not None else subject.entry
    wrong = entry.bind_weights(weights)
    if wrong:
        raise ValueError("; ".join(wrong))
    guard = Guard(NoFence(), given, subject.random, subject.where, pretend_gpu.translate, subject._unfenced)
    pretend_gpu.FAILED.clear()
    try:
        with subject.recorder.without_executing(), subject.choice.asked_for_given_sizes():
            subject._call(guard, entry, inputs, entry.keywords(weights), 0)
        if pretend_gpu.FAILED:
            raise pretend_gpu.FAILED[0]
    except BaseException as exc:
        return subject._failed(exc, guard)
    return {"ok": True, "hidden": subject.choice.hidden_texts(), "launches": subject.recorder.launches()}

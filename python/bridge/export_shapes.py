"""What makes an export cheaper: shapes of layers that are exported whole, and nodes that do not say where they come from.

PyTorch finds the shape of an LSTM's results by walking through all of its steps, layer by layer, on tensors without data:
ten seconds for a sequence of 512. It computes a batch norm from twenty operators, which is a third of the time of a deep network.
The shapes are known without that.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._traceback import CapturedTraceback


def _sequence(x: torch.Tensor, state: torch.Tensor, bidirectional: bool) -> torch.Tensor:
    return x.new_empty((*x.shape[:2], state.shape[-1] * (2 if bidirectional else 1)))


def _lstm(x: Any, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
          bidirectional: bool, batch_first: bool) -> tuple[Any, Any, Any]:
    return _sequence(x, hx[0], bidirectional), torch.empty_like(hx[0]), torch.empty_like(hx[1])


def _single(x: Any, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
            bidirectional: bool, batch_first: bool) -> tuple[Any, Any]:
    return _sequence(x, hx, bidirectional), torch.empty_like(hx)


def _batch_norm(x: Any, *others: Any) -> Any:
    for vector in others[:4]:  # weight, bias and the running statistics; sizes that do not fit must not run
        if vector is not None and vector.shape != (x.shape[1],):
            raise RuntimeError(f"batch_norm: {x.shape[1]} channels and a vector of the shape {list(vector.shape)}")
    return torch.empty_like(x)


ATEN = torch.ops.aten
RECURRENT = ((ATEN.lstm.input, _lstm), (ATEN.gru.input, _single), (ATEN.rnn_tanh.input, _single), (ATEN.rnn_relu.input, _single))
NORMS = ((ATEN.batch_norm.default, _batch_norm),)  # only where nothing takes it apart: what it writes to its statistics is not in there


@contextmanager
def shapes_only(rows: tuple[tuple[Any, Any], ...] = RECURRENT) -> Iterator[None]:
    """Inside, such a layer on tensors without data costs nothing."""
    before = [dict(op.py_kernels) for op, _ in rows]
    try:
        for op, shape in rows:
            for key in {*op.py_kernels, torch._C.DispatchKey.CompositeImplicitAutograd}:
                op.py_kernels[key] = shape
            op._dispatch_cache.clear()
        yield
    finally:
        for (op, _), kernels in zip(rows, before):
            op.py_kernels.clear()
            op.py_kernels.update(kernels)
            op._dispatch_cache.clear()


def memory_order(node: Any) -> dict[str, Any]:
    """How the result of a random draw lies in memory, which is the order in which PyTorch draws: the dimensions from the slowest to the fastest
    (None: as they are), and whether the operand has gaps, for which PyTorch draws in another way on a GPU."""
    made = node.meta.get("val")
    made = made[0] if isinstance(made, (list, tuple)) else made
    source = node.args[0] if node.args and isinstance(node.args[0], torch.fx.Node) else None
    operand = source.meta.get("val") if source is not None else None
    if source is not None and str(source.target).startswith(("aten.empty", "aten.new_empty")):
        made = operand  # it was drawn into that memory before PyTorch made the program functional
    if not isinstance(made, torch.Tensor):
        return {"order": None, "gaps": False}
    order = sorted(range(made.dim()), key=lambda d: -made.stride(d))
    gaps = isinstance(operand, torch.Tensor) and not _is_dense(operand)
    return {"order": None if made.is_contiguous() else order, "gaps": gaps}


def _is_dense(tensor: torch.Tensor) -> bool:
    expected = 1
    for extent, stride in sorted(((n, s) for n, s in zip(tensor.shape, tensor.stride()) if n != 1), key=lambda pair: pair[1]):
        if stride != expected:
            return False
        expected *= extent
    return True


@contextmanager
def without_places() -> Iterator[None]:
    """Inside, nodes do not know the lines of the program that led to them, which takes an eighth of the time to find out: the nodes of the first export know."""
    original = CapturedTraceback.summary
    CapturedTraceback.summary = lambda self: traceback.StackSummary()  # type: ignore[method-assign]
    try:
        yield
    finally:
        CapturedTraceback.summary = original  # type: ignore[method-assign]

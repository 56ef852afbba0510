"""torch.compile while a problem is executed: the function as it is.

A compiled function computes what the function computes. Compiling it takes a minute and a C++ compiler, which the sandbox does not offer, and there is
nothing to compile where tensors have no data.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


def _as_it_is(model: Any = None, **options: Any) -> Any:
    return model if model is not None else lambda function: function


@contextmanager
def functions() -> Iterator[None]:
    """Around what the file itself executes; a benchmark compiles afterwards."""
    before = torch.compile, torch.nn.Module.compile
    torch.compile = _as_it_is  # type: ignore[assignment]
    torch.nn.Module.compile = lambda self, *args, **options: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.compile, torch.nn.Module.compile = before  # type: ignore[method-assign]

"""Compiles what some calls are going to launch, side by side, into Triton's cache on disk: a table of a dozen tiles is a dozen compilations, and a GPU waits for each of them otherwise."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

BRIDGE = Path(__file__).resolve().parents[1] / "python" / "bridge"


def compile_ahead(*calls: Callable[[], Any]) -> int:
    """How many kernels were compiled. The calls are made with launches that do nothing; whatever goes wrong is left to the real calls."""
    try:
        if "ka_bridge" not in sys.modules:
            spec = importlib.util.spec_from_file_location("ka_bridge", BRIDGE / "__init__.py", submodule_search_locations=[str(BRIDGE)])
            assert spec is not None and spec.loader is not None
            sys.modules["ka_bridge"] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules["ka_bridge"])
        return importlib.import_module("ka_bridge.compile_ahead").ahead(*calls)
    except Exception as problem:
        print(f"not compiled ahead: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
        return 0

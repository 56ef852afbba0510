"""Makes ka_bridge importable and the interpreter patched, for the tests of python/bridge/interp*.py.

The tests pass with TRITON_INTERPRET=1 in the environment and without: then triton is imported as a compiler first, as the warm
interpreter does, and turned into an interpreter by install().
"""
from __future__ import annotations

import importlib.util
import pathlib
import sys
import unittest

BRIDGE = pathlib.Path(__file__).resolve().parents[2] / "python" / "bridge"


def load_bridge() -> None:
    if "ka_bridge" in sys.modules:
        return
    spec = importlib.util.spec_from_file_location("ka_bridge", BRIDGE / "__init__.py", submodule_search_locations=[str(BRIDGE)])
    package = importlib.util.module_from_spec(spec)
    sys.modules["ka_bridge"] = package
    spec.loader.exec_module(package)


load_bridge()
import triton  # noqa: E402

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
if VERSION < (3, 7):
    raise unittest.SkipTest(f"the interpreter of triton {triton.__version__} is not supported")

from ka_bridge.interp import install  # noqa: E402

install()

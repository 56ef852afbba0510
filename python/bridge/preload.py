"""What the warm interpreter imports before it forks, so that no child pays for it.

sympy (a quarter of a second) is what PyTorch's shape functions import at their first use, which is when a problem's cost
is estimated. torch._dynamo is deliberately absent: it costs a second, and modes.Mode avoids it.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import threading

# What does not need torch; imported while another thread maps torch's largest library.
BEFORE_TORCH = ("copy", "inspect", "linecache", "random", "traceback", "numpy", "sympy", "triton")
LIBRARY = "lib/libtorch_cpu.so"

PRELOAD = (
    "torch",
    "torch.nn",
    "torch.overrides",
    "torch.utils._device",
    "torch.utils._python_dispatch",
    "torch.utils._pytree",
    "torch.utils.flop_counter",
    "torch._meta_registrations",
    "torch.fx.experimental.symbolic_shapes",
    "triton.compiler.code_generator",
    "triton.backends.nvidia.compiler",
    "triton.language.extra.cuda",
    "triton.experimental.gluon",
    "ka_bridge.interp_lang",
    "ka_bridge.interp_dot",
    "ka_bridge.interp_syntax",
    "ka_bridge.reference",
)


def preload(names: tuple[str, ...] = PRELOAD) -> list[str]:
    """Imports the modules; returns those that this installation does not have."""
    mapper = threading.Thread(target=map_torch)
    mapper.start()
    missing = import_all(BEFORE_TORCH)
    mapper.join()  # before the first fork there is one thread again
    return missing + import_all(names)


def map_torch() -> None:
    """A fifth of torch's import is the dynamic linker's work on one library, which needs no lock of Python's."""
    spec = importlib.util.find_spec("torch")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        try:
            ctypes.CDLL(os.path.join(folder, LIBRARY))
        except OSError:
            pass  # laid out differently: the import finds its libraries itself


def import_all(names: tuple[str, ...]) -> list[str]:
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return missing

"""What the warm interpreter imports before it forks, so that no child pays for it.

sympy (a quarter of a second) is what PyTorch's shape functions import at their first use, which is when a problem's cost
is estimated. torch._dynamo is deliberately absent: it costs a second, and modes.Mode avoids it.
"""

from __future__ import annotations

import gc
import importlib

PRELOAD = (
    "copy",
    "inspect",
    "linecache",
    "random",
    "traceback",
    "torch",
    "torch.nn",
    "torch.overrides",
    "torch.utils._device",
    "torch.utils._python_dispatch",
    "torch.utils._pytree",
    "torch.utils.flop_counter",
    "torch._meta_registrations",
    "sympy",
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
    missing = []
    collecting = gc.isenabled()
    gc.disable()  # what is imported stays: looking for garbage among it takes a fifth of the time
    try:
        for name in names:
            try:
                importlib.import_module(name)
            except ImportError:
                missing.append(name)
    finally:
        if collecting:
            gc.enable()
    return missing

"""Makes an older Triton (before 3.7) that was imported for compiling usable in interpreter mode.

Triton decides at import how its own device functions (`tl.sum`, `tl.softmax`, ...) are decorated. The warm interpreter
imports it once, for compiling, and both kinds of children are forked from it; so here these functions learn to be
called by the interpreter. For newer versions `interp.install` has done this already.
"""

from __future__ import annotations

import inspect
from typing import Any

import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction


def install() -> None:
    """To be called after interpreter mode was switched on, before the foreign file is imported."""
    if not isinstance(tl.sum, JITFunction):
        return
    interpreted: dict[int, Any] = {}
    interpreted_class = interpreter.InterpretedFunction
    patch_language = interpreter._patch_lang
    error = interpreter.InterpreterError
    is_builtin = tl.core.is_builtin
    language = (tl, tl.core)
    modules: dict[int, list[Any]] = {}

    def modules_of(function: Any) -> list[Any]:
        key = id(function.__globals__)
        if key not in modules:
            modules[key] = [v for v in function.__globals__.values() if inspect.ismodule(v)]
        return modules[key]

    def call_interpreted(self: Any, *args: Any, **kwargs: Any) -> Any:
        """A device function called from an interpreted kernel."""
        if any(value in language and is_builtin(value.arange) for value in modules_of(self.fn)):
            patch_language(self.fn)
        function = self.rewrite()
        try:
            return function(*args, **kwargs)
        except Exception as exc:
            raise error(repr(exc)) from exc

    def call_compiled(self: JITFunction, *args: Any, **kwargs: Any) -> Any:
        """One of Triton's own device functions, decorated before interpreter mode was on."""
        key = id(self)
        if key not in interpreted:
            interpreted[key] = interpreted_class(self.fn)
        kwargs.pop("_semantic", None)
        kwargs.pop("_generator", None)
        return call_interpreted(interpreted[key], *args, **kwargs)

    def member(function: JITFunction) -> Any:
        return lambda *args, **kwargs: function(*args, **kwargs)

    interpreted_class.__call__ = call_interpreted
    JITFunction.__call__ = call_compiled
    for name, value in list(vars(tl.tensor).items()):
        if isinstance(value, JITFunction):
            setattr(tl.tensor, name, member(value))

"""What Triton's CPU interpreter lacks or gets wrong, put right in a process that is about to import a kernel.

    from ka_bridge.interp import install
    install(tf32=True)          # once, before the kernel's file is imported

A process that forks such processes may call prepare() first. See docs/interpreter.md for what is replaced and why.
"""
from __future__ import annotations

import dataclasses
import os

_installed = False


def prepare() -> None:
    """Does ahead of time what install() and the first launch would do at some cost. Kernels still compile in this process and its forks."""
    from triton.runtime import interpreter

    from ka_bridge import interp_dot, interp_lang, interp_libdevice  # noqa: F401

    _read_as_the_compiler()
    interp_libdevice.table()
    if hasattr(interpreter, "_LangPatchScope"):
        interp_lang.rewrite_standard_library()


def _read_as_the_compiler() -> None:
    from triton.runtime import interpreter

    from ka_bridge import interp_syntax

    if not isinstance(interpreter.FunctionRewriter.ast_transformer, interp_syntax.Rewriter):
        interpreter.FunctionRewriter.ast_transformer = interp_syntax.Rewriter()
        interpreter.InterpretedFunction.rewritten_fn.clear()


def install(tf32: bool = True) -> None:
    """Patches triton in this process for good. tf32=False computes "tf32" products in full float32."""
    global _installed
    os.environ["TRITON_INTERPRET"] = "1"
    import numpy as np
    from triton.runtime import interpreter

    from ka_bridge import interp_dot, interp_lang, interp_ops, interp_syntax

    if not tf32:
        interp_dot.without_tf32()
    if _installed:
        return
    _installed = True
    # GPUs raise no floating-point warnings.
    np.seterr(all="ignore")
    builder = interpreter.interpreter_builder
    for name, function in {**interp_ops.METHODS, **interp_dot.METHODS}.items():
        setattr(interpreter.InterpreterBuilder, name, function)
    # Integer overflow is checked in debug builds only, but the interpreter computes the check each time and throws it away.
    changes = {"sanitize_overflow": False, **interp_dot.options(builder.options)}
    builder.options = dataclasses.replace(builder.options, **changes)
    for name, function in interp_syntax.SPELLINGS.items():
        setattr(interpreter.interpreter_semantic, name, function)
    _read_as_the_compiler()
    if hasattr(interpreter, "_LangPatchScope"):  # Triton 3.7 on; older interpreters patch the language at each launch
        interp_lang.patch()

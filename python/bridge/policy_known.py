"""Names that mean something on the objects a kernel file meets: tensors, layers, kernels, functions, libdevice."""

from __future__ import annotations

import abc
import dis
import functools
import importlib
import types

import torch

from ka_bridge import policy_lists as lists

# Triton's classes whose objects stand behind the name of a kernel; not every version has all of them.
KERNEL_KINDS = {
    "triton.runtime.jit": "JITFunction JITCallable KernelInterface",
    "triton.runtime.autotuner": "Autotuner Heuristics",
    "triton.runtime.interpreter": "InterpretedFunction FunctionRewriter GridExecutor",
    "triton.compiler.compiler": "CompiledKernel",
}


@functools.cache
def tensor_names() -> frozenset[str]:
    return frozenset(dir(torch.Tensor))


@functools.cache
def risky_names() -> frozenset[str]:
    """Attributes that mean something on a tensor, a layer, a kernel or a function. An own class may use such a name for a field,
    but `x.name` is then accepted only where x is known to be an object of that class."""
    kinds = [torch.Tensor, torch.nn.Module, types.FunctionType, types.CodeType, types.FrameType, types.TracebackType,
             types.GeneratorType, types.ModuleType, functools.partial, str, type, property, abc.ABCMeta]
    kernels = []
    for place, names in KERNEL_KINDS.items():
        module = importlib.import_module(place)
        kernels += [getattr(module, name) for name in names.split() if hasattr(module, name)]
    return frozenset().union(*(dir(kind) for kind in [*kinds, *kernels]), *(fields(kind) for kind in kernels)) | lists.HIDDEN_ATTRIBUTES


def fields(kind: type) -> frozenset[str]:
    """What the methods of a class written in Python set on self: dir() of the class does not show it."""
    codes = [method.__code__ for cls in kind.__mro__ for method in vars(cls).values() if isinstance(method, types.FunctionType)]
    return frozenset(step.argval for code in codes for step in dis.get_instructions(code) if step.opname == "STORE_ATTR")


@functools.cache
def module_names() -> frozenset[str]:
    return frozenset(dir(torch.nn.Module())) - {"forward", "extra_repr"}


@functools.cache
def libdevice_names() -> frozenset[str]:
    """The functions of libdevice; the module for one vendor also holds other things under its name."""
    from triton.language.extra import libdevice

    return frozenset(name for name in dir(libdevice)
                     if not name.startswith("_") and callable(getattr(libdevice, name)) and not isinstance(getattr(libdevice, name), type))

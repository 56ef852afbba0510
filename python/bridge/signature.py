"""The compile-time face of a kernel launch: argument types and constants as Triton's compiler wants them, as JSON.

The candidate child writes it (`describe`), the compile child reads it (`decode`). Integers equal to 1 and None become
constants and multiples of 16 get the divisibility hint, as in Triton's own launcher, because both decide what
compiles (a last stride of a tensor descriptor must be the constant 1).
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITCallable, KernelParam, TensorWrapper
from triton.tools.tensor_descriptor import TensorDescriptor

TYPE_OF_DTYPE: dict[torch.dtype, str] = {
    torch.float64: "fp64", torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8",
    torch.bool: "u1",
}
for _name, _type in (("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"), ("float8_e5m2", "fp8e5"),
                     ("float8_e4m3fn", "fp8e4nv")):
    if hasattr(torch, _name):
        TYPE_OF_DTYPE[getattr(torch, _name)] = _type

_data_ptr = torch.Tensor.data_ptr
_dtype = torch.Tensor.dtype.__get__


class Unsupported(TypeError):
    """An argument that Triton's launcher does not take."""


def encode(value: Any) -> Any:
    """A constant as JSON: plain where JSON has it, else an object with one tag."""
    if isinstance(value, tl.constexpr):
        return encode(value.value)
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value if -2**53 < value < 2**53 else {"int": str(value)}
    if type(value) is float:
        return value if abs(value) < 1e308 else {"float": repr(value)}
    if isinstance(value, tl.dtype) and type(value) is tl.dtype:
        return {"dtype": value.name}
    if isinstance(value, torch.dtype):
        return {"torch": str(value).removeprefix("torch.")}
    if type(value) in (tuple, list):
        return {"tuple": [encode(item) for item in value]}
    function = base_function(value)
    if function is not None:
        return {"function": function.__qualname__}
    return {"unsupported": type(value).__name__[:80]}


def decode(value: Any, functions: dict[str, Any]) -> Any:
    """The value of `encode`; `functions` are the jit functions of the module by qualified name."""
    if not isinstance(value, dict):
        return value
    (tag, inner), = value.items()
    if tag == "int":
        return int(inner)
    if tag == "float":
        return float(inner)
    if tag == "dtype":
        return tl.dtype(inner)
    if tag == "torch":
        return getattr(torch, inner)
    if tag == "tuple":
        return tuple(decode(item, functions) for item in inner)
    if tag == "function" and inner in functions:
        return functions[inner]
    raise Unsupported(f"a constant argument of type {inner} cannot be compiled")


def base_function(value: Any) -> Any:
    """The Python function inside jit, autotune and heuristics wrappers; None for anything else."""
    for _ in range(16):
        if inspect.isfunction(value):
            return value
        if not isinstance(value, (JITCallable, triton.runtime.jit.KernelInterface)):
            return None
        value = getattr(value, "fn", None)
    return None


class Description:
    """Signature, constants and hints of one launch while they are collected."""

    def __init__(self) -> None:
        self.signature: dict[str, Any] = {}
        self.constants: list[list[Any]] = []  # [path, value]; a path is [argument, element, ...]
        self.aligned: list[list[int]] = []    # paths of what is divisible by 16


def type_of(value: Any, param: KernelParam, path: list[int], out: Description) -> Any:
    """Triton's type name of a run-time argument, noting constants and hints under `path`."""
    if isinstance(value, tl.constexpr) or value is None or base_function(value) is not None:
        out.constants.append([path, encode(value)])
        return "constexpr"
    if type(value) is bool:
        return "u1"
    if isinstance(value, int):  # also an IntEnum
        value = int(value)
        if value == 1 and not param.do_not_specialize:
            out.constants.append([path, 1])
            return "constexpr"
        if value % 16 == 0 and not (param.do_not_specialize or param.do_not_specialize_on_alignment):
            out.aligned.append(path)
        if -2**31 <= value < 2**31:
            return "i32"
        if -2**63 <= value < 2**63:
            return "i64"
        if value < 2**64:
            return "u64"
        raise Unsupported(f"the integer argument {param.name} does not fit in 64 bits")
    if type(value) is float:
        return "fp32"
    if isinstance(value, tuple):
        types = [type_of(item, param, [*path, i], out) for i, item in enumerate(value)]
        return {"fields": list(value._fields), "types": types} if hasattr(value, "_fields") else types
    if isinstance(value, TensorDescriptor):
        return f"tensordesc<{TYPE_OF_DTYPE[_dtype(value.base)]}{[int(n) for n in value.block_shape]}>"
    tensor, name = value, None
    if type(value) is TensorWrapper:
        tensor, name = value.base, str(value.dtype)
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        raise Unsupported(f"the argument {param.name} of type {type(value).__name__} is no tensor, number or constant")
    if _data_ptr(tensor) % 16 == 0 and not (param.do_not_specialize or param.do_not_specialize_on_alignment):
        out.aligned.append(path)
    return ("*k" if param.is_const else "*") + (name or TYPE_OF_DTYPE[_dtype(tensor)])


def parameters(function: Any, options: dict[str, Any]) -> list[KernelParam]:
    """The kernel's parameters as Triton sees them; `options` are those of @triton.jit."""
    plain = options.get("do_not_specialize") or ()
    unaligned = options.get("do_not_specialize_on_alignment") or ()
    return [
        KernelParam(i, p, i in plain or p.name in plain, i in unaligned or p.name in unaligned)
        for i, p in enumerate(inspect.signature(function).parameters.values())
    ]


def describe(params: list[KernelParam], bound: dict[str, Any]) -> Description:
    """Types of all arguments of a launch, in the order of the kernel's parameters."""
    out = Description()
    for i, param in enumerate(params):
        value = bound[param.name]
        if param.is_constexpr:
            out.signature[param.name] = "constexpr"
            out.constants.append([[i], encode(value)])
            continue
        name = type_of(value, param, [i], out)
        declared = getattr(param, "annotation_type", "")
        if declared:  # an annotated argument keeps its type whatever its value
            out.constants = [constant for constant in out.constants if constant[0] != [i]]
        out.signature[param.name] = declared or name
    return out


def tensors_in(value: Any) -> list[torch.Tensor]:
    """All tensors that an argument hands to a kernel."""
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        return [value]
    if type(value) is TensorWrapper or isinstance(value, TensorDescriptor):
        return tensors_in(value.base)
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []

"""triton.language bound to the CPU interpreter once, instead of at every launch and every call of a device function.

Triton's interpreter looks through all members of triton.language whenever a kernel starts and whenever it calls another jit function
(tl.sum, tl.zeros and tl.cdiv are such): about a millisecond each time. In a process that only ever interprets, the members can be replaced
for good. Outside a launch they still refuse to work, with Triton's own message.
"""
from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.extra import cuda
from triton.language.extra import libdevice as portable_libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction

from ka_bridge import interp_fast, interp_reduce
from ka_bridge.interp_ops import Handle, np_dtype


class _Launch:
    """Whether a kernel is running; also the "scope" that the grid executor restores when it ends."""

    depth = 0
    semantic: Any = None
    num_warps = 4

    def enter(self, function: Any) -> _Launch:
        self.depth += 1
        self.semantic = interpreter.interpreter_semantic
        return self

    def restore(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.semantic = None


_launch = _Launch()


def _bind(member: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that finds the semantic object by itself; one that is handed over (by the compiler, by another builtin) is kept."""

    @functools.wraps(member)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("_semantic") is None:
            kwargs["_semantic"] = _launch.semantic
        return member(*args, **kwargs)

    call.bound_to_interpreter = True  # type: ignore[attr-defined]
    return call


def _bind_members(owner: Any) -> None:
    for name, member in list(vars(owner).items()):
        if (tl.core.is_builtin(member) or _is_method(owner, member)) and not hasattr(member, "bound_to_interpreter"):
            setattr(owner, name, _bind(member))


def _is_method(owner: Any, member: Any) -> bool:
    """x.exp, x.erf and the like: functions of tl.math that became members before they were marked as builtins."""
    return owner is tl.core.tensor and inspect.isfunction(member) and "_semantic" in inspect.signature(member).parameters


def _cuda_modules() -> list[Any]:
    """tl.extra.cuda, and what an import statement finds under that name: Triton loads it twice."""
    return [cuda, importlib.import_module("triton.language.extra.cuda")]


def _bind_libdevice() -> None:
    """The portable module holds empty stubs that the compiler maps to the target's: here they get the bound CUDA functions."""
    _bind_members(cuda_libdevice)
    for name, stub in list(vars(portable_libdevice).items()):
        real = getattr(cuda_libdevice, name, None)
        if inspect.isfunction(stub) and real is None:
            setattr(portable_libdevice, name, functools.partial(_not_on_this_gpu, name))
        elif inspect.isfunction(stub):
            forward = functools.wraps(real)(lambda *args, real=real, **kwargs: real(*args, **kwargs))
            forward.__module__ = portable_libdevice.__name__
            setattr(portable_libdevice, name, forward)
    for module in _cuda_modules():
        # Programmatic dependent launch orders kernels that overlap; here they run one after the other.
        for name in ("gdc_wait", "gdc_launch_dependents"):
            if hasattr(module, name):
                setattr(module, name, lambda **kwargs: None)
        # Constants of a launch.
        module.num_warps = lambda **kwargs: _launch.num_warps
        module.num_threads = lambda **kwargs: _launch.num_warps * 32


def _not_on_this_gpu(name: str, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError(f"libdevice.{name} exists for AMD GPUs only")


def launch_with(num_warps: int) -> None:
    """To be told before a launch."""
    _launch.num_warps = num_warps


@functools.cache
def _interpreted(function: Callable[..., Any]) -> Any:
    return interpreter.InterpretedFunction(function)


def _jit_functions(owner: Any) -> dict[str, JITFunction]:
    return {name: member for name, member in vars(owner).items() if isinstance(member, JITFunction)}


def _interpret_standard_library() -> None:
    """Where triton was imported with the interpreter off, its own jit functions (tl.sum, tl.softmax) become interpreted ones now."""
    for module in (tl.standard, tl.random, tl.core, tl):
        for name, member in _jit_functions(module).items():
            setattr(module, name, _interpreted(member.fn))
    for name, member in _jit_functions(tl.core.tensor).items():
        own = _interpreted(member.fn)
        setattr(tl.core.tensor, name, lambda self, *args, own=own, **kwargs: own(self, *args, **kwargs))


def rewrite_standard_library() -> None:
    """Rewrites those functions ahead of time; a compiler does not notice. Reading their sources takes a millisecond each."""
    for module in (tl.standard, tl.random):
        before = set(vars(module))
        for member in _jit_functions(module).values():
            _interpreted(member.fn).rewrite()
        for name in set(vars(module)) - before - {"interpreter_semantic"}:
            delattr(module, name)  # the interpreter leaves all its own names behind; the rewritten text needs this one


def _device_call(self: Any, *args: Any, **kwargs: Any) -> Any:
    if _launch.semantic is None:
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")
    return self.rewrite()(*args, **kwargs)


_implicit_cvt = interpreter._implicit_cvt


_ELEMENTS: dict[str, Any] = {
    "torch.float64": tl.float64, "torch.float32": tl.float32, "torch.float16": tl.float16, "torch.bfloat16": tl.bfloat16,
    "torch.int64": tl.int64, "torch.int32": tl.int32, "torch.int16": tl.int16, "torch.int8": tl.int8, "torch.uint8": tl.uint8,
    "torch.bool": tl.int1}


def _argument(value: Any) -> Any:
    """A kernel's argument as the compiler types it: a Python float is a float32 value, not a constant that adapts to its neighbours.

    Triton's own conversion would import forty modules at the first tensor it sees.
    """
    element = _ELEMENTS.get(str(getattr(value, "dtype", "")))
    if element is not None and hasattr(value, "data_ptr"):
        return _scalar(value.data_ptr(), tl.pointer_type(element))
    if isinstance(value, float):
        return _scalar(value, tl.float32)
    if isinstance(value, bool):
        return _scalar(value, tl.int1)
    if isinstance(value, int):
        bounds = ((-2**31, 2**31, tl.int32), (-2**63, 2**63, tl.int64), (0, 2**64, tl.uint64))
        for low, high, dtype in bounds:
            if low <= value < high:
                return _scalar(value, dtype)
        raise ValueError(f"the integer {value} fits in no 64-bit type")
    return _implicit_cvt(value)


def _accept_plain_formats() -> None:
    """tl.dot_scaled reads its formats as constants; a kernel that is run as Python hands over plain texts."""
    semantic = interpreter.interpreter_semantic
    original = semantic.dot_scaled

    def dot_scaled(lhs: Any, lhs_scale: Any, lhs_format: Any, rhs: Any, rhs_scale: Any, rhs_format: Any, *rest: Any) -> Any:
        return original(lhs, lhs_scale, tl.constexpr(lhs_format), rhs, rhs_scale, tl.constexpr(rhs_format), *rest)

    semantic.dot_scaled = dot_scaled


_block_init = tl.core.block_type.__init__
_tensor_init = tl.core.tensor.__init__
_blocks: dict[tuple[Any, ...], dict[str, Any]] = {}


def _remembered_block(self: Any, element_ty: Any, shape: Any) -> None:
    """A kernel makes the same few block types over and over, one per operation."""
    sizes = tuple(s.value if isinstance(s, tl.constexpr) else s for s in shape)
    key = (element_ty.name, getattr(element_ty, "address_space", None), sizes)
    known = _blocks.get(key)
    if known is None:
        _block_init(self, element_ty, shape)
        self.of_tensor = (tl.core.tuple([tl.constexpr(s) for s in sizes]), tl.constexpr(self.numel))
        self.token = interp_fast.token_of(key)
        known = _blocks[key] = dict(vars(self))
    vars(self).update(known)


def _remembered_tensor(self: Any, handle: Any, type: Any) -> None:
    prepared = vars(type).get("of_tensor")
    if prepared is None:
        _tensor_init(self, handle, type)
        return
    self.handle, self.type, self.dtype = handle, type, type.element_ty
    self.shape, self.numel = prepared


def _let_tensors_answer() -> None:
    """`CONSTANT * tensor` with a global tl.constexpr: the compiler takes the tensor's operator, Python the constant's, which wraps the tensor."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "lt", "gt", "le", "ge", "eq", "ne"):
        original = getattr(tl.constexpr, f"__{name}__")
        setattr(tl.constexpr, f"__{name}__", lambda self, other, original=original:
                NotImplemented if isinstance(other, tl.core.tensor) else original(self, other))


def _scalar(value: Any, dtype: Any) -> Any:
    return tl.core.tensor(Handle(np.array([value], dtype=np_dtype(dtype)), dtype), dtype)


def patch() -> None:
    """Binds the language, once per process."""
    scope = interpreter._LangPatchScope()
    _interpret_standard_library()
    for owner in (tl, tl.core, tl.math, tl.core.tensor, tl.core.tensor_descriptor_base):
        _bind_members(owner)
    _bind_libdevice()
    _let_tensors_answer()
    _accept_plain_formats()
    interpreter._patch_lang_tensor(tl.core.tensor, scope)
    tl.core.tensor.__index__ = lambda self: int(self.handle.data.item())  # older versions ask a list of one for its value
    for module in (tl, tl.core):
        interpreter._patch_lang_core(module, scope)  # this one replaces the reductions of both modules
    for module in (tl, tl.core):
        module.reduce = interp_reduce.reduce
        module.associative_scan = interp_reduce.associative_scan
        module.map_elementwise = _bind(interp_reduce.map_elementwise)
    tl.core.tensor.reduce = interp_reduce.reduce
    tl.core.tensor.associative_scan = interp_reduce.associative_scan
    tl.core.block_type.__init__ = _remembered_block
    tl.core.tensor.__init__ = _remembered_tensor
    interpreter._get_np_dtype = np_dtype
    interpreter._patch_lang = _launch.enter
    interpreter._implicit_cvt = _argument
    interpreter.InterpretedFunction.__call__ = _device_call
    interp_fast.install(_launch)

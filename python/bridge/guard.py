"""What the candidate's host code may ask of PyTorch while it is called: an allow-list at the dispatcher.

A candidate's host code allocates, makes views, reads metadata and launches Triton kernels. Everything else that
reaches PyTorch's dispatcher is computing outside Triton and is denied: the operation raises Denied (a BaseException,
so that `except Exception` does not swallow it) and is remembered, so that swallowing it with a bare `except` does not
help either. A second mode above the dispatcher stops the few ways by which data leave a tensor without an operation
(`numpy`, `tolist`, storages).

The table is the rule: operation -> what happens. An operation that is not in it is denied.

    fresh    allocates: the memory is fenced and poisoned          fill    writes a constant in place
    filled   allocates and writes a constant: fenced               view    shares memory, or only looks at metadata
    random   draws numbers: only when the reference draws          scalar  a literal of the source made a tensor (dropout: as random, of ones)
    copy     only to make an argument, exactly as handed over, contiguous: preparation, never an answer (`copied`)
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ka_bridge.pretend_gpu import noting_failure, remember_place
from ka_bridge.fence import Fence

KINDS: dict[str, str] = {
    "fresh": "empty empty_like empty_strided new_empty new_empty_strided empty_permuted",
    "filled": "zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full scalar_tensor",
    "fill": "fill_ zero_",
    "scalar": "lift_fresh lift",
    "view": "alias as_strided detach diagonal expand narrow permute select slice split split_with_sizes squeeze t"
            " transpose unbind unfold unsqueeze view _reshape_alias _unsafe_view is_same_size size stride"
            " storage_offset numel dim is_contiguous is_non_overlapping_and_dense sym_size sym_stride sym_numel"
            " sym_storage_offset promote_types result_type can_cast",
    "copy": "clone _to_copy copy_",
    "random": "rand rand_like randn randn_like randint randint_like randperm bernoulli bernoulli_ uniform_ normal_"
              " random_ exponential_",
    "dropout": "native_dropout",
}
ALLOWED: dict[str, str] = {f"aten::{name}": kind for kind, names in KINDS.items() for name in names.split()}
ALLOWED["prim::device"] = "view"

# Python-level spellings that reach the data without an operation that the dispatcher sees.
DENIED_METHODS = frozenset(
    "numpy tolist item __array__ __array_wrap__ __dlpack__ __float__ __int__ __bool__ __index__ __complex__"
    " __contains__ __reduce_ex__ __deepcopy__ apply_ map_ map2_ share_memory_ untyped_storage storage"
    " _typed_storage set_ resize_ resize_as_ module_load".split())
LITERAL_MAKERS = frozenset(("tensor", "as_tensor", "__setitem__"))  # these make a tensor of numbers in the source
PLAIN_VALUES = (int, float, bool, list, tuple)
LITERAL_ELEMENTS = 64  # a longer list is not what one writes by hand: it counts as memory of unknown origin


class Denied(BaseException):
    """Raised inside the candidate's call by an operation that is not allowed."""


# What to do instead, for what honest authors write most often.
HINTS = {
    "aten._to_copy": "convert inside the kernel with .to(tl.float32), and allocate the output in its final dtype",
    "aten.clone": "only an argument as it was given may be made contiguous; pass the strides of a view to the kernel",
    "aten.copy_": "let a kernel write the copy",
    "aten.native_dropout.default": "draw with a tensor of ones, torch.native_dropout(torch.ones(...), p, True)[0], and multiply in a kernel",
    "torch.Tensor.item": "pass the tensor to the kernel and load the number there",
}


def denial(op: str, where: str | None) -> str:
    return f"{op} is computed by PyTorch, not by a Triton kernel" + (f" ({where})" if where else "")


def frame_in(path: str, shown: str) -> Callable[[], str | None]:
    """A function that names the innermost line of the file `path` on the current stack, as "shown:line"."""
    getframe = sys._getframe

    def where() -> str | None:
        frame = getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == path:
                return f"{shown}:{frame.f_lineno}"
            frame = frame.f_back
        return None

    return where


class Guard:
    """The rules of one run. Entered around the candidate's call; `denied` then lists what was refused."""

    def __init__(self, fence: Fence, given: list[torch.Tensor], random: bool, where: Callable[[], str | None],
                 translate: Callable[[Any, tuple, dict], tuple] | None,
                 seen: Callable[[torch.Tensor, str], None] = lambda tensor, what: None) -> None:
        self.denied: list[dict[str, str | None]] = []
        self.where = where
        self.made: set[int] = set()  # where the tensors start that were made in this call
        self.copied: list[tuple[int, int]] = []  # address ranges that PyTorch copied an argument to
        self._kept: list[torch.Tensor] = []
        self._seen = seen
        self.memory: set[int] = {tensor.data_ptr() for tensor in given}  # where all known tensors start
        self.making_literal = False
        self._allocations = 0
        self._functions = _functions_mode(self, translate)
        self._operations = _operations_mode(self, fence, given, random)

    def deny(self, op: str) -> Denied:
        entry = {"op": op, "where": self.where(), "hint": HINTS.get(op)}
        if len(self.denied) < 32 and entry not in self.denied:
            self.denied.append(entry)
        return Denied(denial(op, entry["where"]))

    def note(self, tensor: Any, what: str) -> Any:
        """A tensor that was made without a fence around it; it lives as long as the call, so that its place is its own."""
        if type(tensor) is torch.Tensor:
            self.made.add(tensor.data_ptr())
            self._kept.append(tensor)
            self._seen(tensor, what)
        return tensor

    def note_copy(self, tensor: torch.Tensor) -> torch.Tensor:
        start = tensor.data_ptr()
        self.copied.append((start, start + tensor.numel() * tensor.element_size()))
        return tensor

    def name_allocation(self, dtype: torch.dtype, size: tuple) -> str:
        self._allocations += 1
        kind = str(dtype).removeprefix("torch.")
        place = self.where()
        return f"allocation {self._allocations} ({kind} {list(size)}" + (f", {place})" if place else ")")

    def __enter__(self) -> Guard:
        self._operations.__enter__()
        self._functions.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._functions.__exit__(None, None, None)
        self._operations.__exit__(None, None, None)


def _functions_mode(guard: Guard, translate: Callable[[Any, tuple, dict], tuple] | None) -> TorchFunctionMode:

    class Functions(TorchFunctionMode):

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", "")
            if name in DENIED_METHODS:
                raise guard.deny(f"torch.Tensor.{name}")
            asked = (args, kwargs or {})
            if translate is None:
                return self.call(func, name, *asked)
            done, value, args, kwargs = translate(func, *asked)
            if not done:
                with noting_failure(name):
                    value = self.call(func, name, args, kwargs)
                remember_place(name, asked, value)
            return value

        def call(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name not in LITERAL_MAKERS:
                return func(*args, **kwargs)
            value = (args[-1] if name == "__setitem__" else args[0]) if args else kwargs.get("data")
            guard.making_literal = type(value) in PLAIN_VALUES
            try:
                return func(*args, **kwargs)
            finally:
                guard.making_literal = False

    return Functions()


def _layout_of(tensor: torch.Tensor) -> tuple:
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def _operations_mode(guard: Guard, fence: Fence, given: list[torch.Tensor], random: bool) -> TorchDispatchMode:
    arguments = {_layout_of(tensor) for tensor in given}
    literals: dict[int, torch.Tensor] = {}
    allocated: set[int] = set()
    plain = (torch.Tensor, torch.nn.Parameter)
    virtual = getattr(fence, "virtual", False)

    def fenced(result: Any, poisoned: bool) -> Any:
        if type(result) is not torch.Tensor or result.layout is not torch.strided or result.numel() == 0 \
                or result.device.type == "meta":
            return result
        what = guard.name_allocation(result.dtype, tuple(result.shape))
        if poisoned:
            result = fence.fresh(tuple(result.shape), result.stride(), result.dtype, result.device, what)
        else:
            result = fence.filled(result, what)
        return known(result)

    def known(result: torch.Tensor) -> torch.Tensor:
        allocated.add(result.data_ptr())
        guard.made.add(result.data_ptr())
        guard.memory.add(result.data_ptr())
        return result

    def placed(like: torch.Tensor) -> torch.Tensor:
        """As fenced, of a tensor that has no memory yet."""
        layout = tuple(like.shape), like.stride(), like.dtype
        return known(fence.fresh(*layout, torch.device("cpu"), guard.name_allocation(like.dtype, layout[0])))

    def written(target: torch.Tensor, write: Callable[[], Any]) -> Any:
        """Host code writes: really, unless that is memory of the given sizes and too much of it."""
        if not virtual:
            return write()
        real = target.numel() * target.element_size() <= fence.REAL_BYTES
        return fence.constant(write() if real else target, real)

    def unfit_argument(source: Any) -> bool:
        return type(source) not in plain or source.is_contiguous() or _layout_of(source) not in arguments

    def copy(name: str, func: Any, args: tuple, kwargs: dict) -> Any:
        """Only what `.contiguous()` or `.reshape()` of an argument comes to."""
        if name == "aten::copy_":
            target, source = args[0], args[1]
            if source.data_ptr() in literals and source.numel() == 1 and source.dim() == 0:
                return written(target, lambda: func(*args, **kwargs))
            same = target.dtype == source.dtype and target.shape == source.shape and target.device == source.device
            if unfit_argument(source) or not same or not target.is_contiguous() or target.data_ptr() not in allocated:
                raise guard.deny("aten.copy_")
            return guard.note_copy(written(target, lambda: func(*args, **kwargs)))
        source = args[0]
        if source.data_ptr() in literals and kwargs.get("dtype") in (None, source.dtype):
            return guard.note(func(*args, **kwargs), "literal")
        changed = kwargs.get("dtype", source.dtype) not in (None, source.dtype) \
            or kwargs.get("device", source.device) not in (None, source.device)
        if unfit_argument(source) or changed or kwargs.get("memory_format") is not torch.contiguous_format:
            raise guard.deny("aten." + name.removeprefix("aten::"))
        if virtual and source.numel() * source.element_size() > fence.REAL_BYTES:
            return guard.note_copy(fence.constant(placed(torch.empty(source.shape, dtype=source.dtype, device="meta")), False))
        return guard.note_copy(fenced(func(*args, **kwargs), poisoned=False))

    def literal(func: Any, args: tuple, kwargs: dict) -> Any:
        result = guard.note(func(*args, **kwargs), "literal")
        literals[result.data_ptr()] = result
        if result.numel() <= LITERAL_ELEMENTS:
            guard.memory.add(result.data_ptr())
        return result

    def reserved(func: Any, args: tuple, kwargs: dict, name: str) -> Any:
        """Memory of the given sizes: what is large is reserved, not written."""
        like = func(*args, **{**kwargs, "device": "meta"})
        if kwargs.get("device") == torch.device("meta"):
            return like
        if ALLOWED[name] == "fresh":
            return placed(like)
        if "zeros" in name or like.numel() * like.element_size() > fence.REAL_BYTES:
            return fence.constant(placed(like), "zeros" in name, "zeros" in name)
        return fenced(func(*args, **kwargs), poisoned=False)

    def dropped(func: Any, args: tuple, kwargs: dict) -> Any:
        """What dropout makes of ones is a draw, of anything else a computation. Whoever wrote the ones, they carry no data."""
        ones = args[0]
        if virtual and ones.numel() * ones.element_size() > fence.REAL_BYTES:
            return tuple(fence.constant(placed(torch.empty_like(ones, dtype=dtype, device="meta")), False) for dtype in (ones.dtype, torch.bool))
        with torch._C.DisableTorchFunction():
            if kwargs or not bool((ones == 1).all()):
                raise guard.deny(str(func))
        parts = func(*args)
        guard.memory.update(part.data_ptr() for part in parts)
        return tuple(guard.note(part, "random numbers") for part in parts)

    class Operations(TorchDispatchMode):

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            """True would import torch._dynamo at the first operation, which takes seconds."""
            return False

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            name = func._schema.name
            kind = ALLOWED.get(name)
            if kind is None or any(t not in plain for t in types) or (kind in ("random", "dropout") and not random):
                raise guard.deny(str(func))
            if virtual and kind in ("fresh", "filled"):
                return reserved(func, args, kwargs, name)
            if kind == "fresh" or kind == "filled":
                return fenced(func(*args, **kwargs), poisoned=kind == "fresh")
            if kind == "copy":
                return copy(name, func, args, kwargs)
            if kind == "scalar" and not guard.making_literal:
                raise guard.deny("torch.from_numpy")
            if kind in ("scalar", "dropout"):
                return (literal if kind == "scalar" else dropped)(func, args, kwargs)
            if kind == "fill" and len(args) > 1 and isinstance(args[1], torch.Tensor) \
                    and args[1].data_ptr() not in literals:
                raise guard.deny(str(func))
            result = written(args[0], lambda: func(*args, **kwargs)) if kind == "fill" else func(*args, **kwargs)
            if kind == "random":
                guard.memory.add(result.data_ptr())
                if not name.endswith("_"):
                    guard.note(result, "random numbers")
            return result

    return Operations()

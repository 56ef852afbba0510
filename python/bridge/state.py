"""What a kernel file keeps between calls, written down after each call: may it change although nothing else does?

A kernel that is right for the first hundred calls must count them somewhere: in a variable, a container, a default
argument, a closure, an attribute, an iterator, or in memory of the GPU that it keeps. All that the file's module reaches
is walked and written down as lines "where: value". Two calls with the same sizes must leave the same lines (from the
second call on: the first may fill caches), two calls that are the same in everything must leave the same bytes in kept
memory, and both must launch the same kernels with the same numbers. An iterator cannot be looked into without moving
it, so none may be kept.

No code of the file runs here: values are read by the functions of their built-in types.
"""

from __future__ import annotations

import collections
import functools
import gc
import hashlib
import types
from typing import Any, Callable

import torch
from triton.runtime import autotuner

from ka_bridge.captured_judged import Captured, Plain

LINES_LIMIT = 200_000
SHOWN = 80
PLAIN = (int, float, bool, str, bytes, complex, type(None), range, slice, type(Ellipsis), torch.dtype, torch.device, torch.Size,
         torch.layout, torch.memory_format)
OPAQUE = frozenset("torch triton typing logging warnings numpy dataclasses abc types builtins functools importlib weakref".split())
DESCRIPTIONS = frozenset(("triton.runtime.autotuner.Config", "triton.tools.tensor_descriptor.TensorDescriptor",
                          "triton.language.core.constexpr"))
CLASS_LINES_LEFT_OUT = frozenset("__dict__ __weakref__ __doc__ __module__ __annotations__ __firstlineno__".split())

_plain = frozenset(PLAIN)
_attributes = object.__getattribute__
_no_overrides = torch._C.DisableTorchFunction


class Walk:
    """One pass over everything that a module keeps."""

    def __init__(self, module_name: str) -> None:
        self.module_name = module_name
        self.lines: list[tuple[str, str]] = []
        self.tensors: dict[int, tuple[str, torch.Tensor]] = {}
        self.iterators: list[str] = []
        self._seen: dict[int, tuple[int, Any]] = {}

    def value(self, where: str, value: Any) -> None:
        kind = type(value)
        if kind in _plain:
            self.lines.append((where, f"{kind.__name__} {value!r}"))
            return
        if len(self.lines) > LINES_LIMIT or isinstance(value, types.ModuleType):
            return
        known = self._seen.get(id(value))
        if known is not None:
            self.lines.append((where, f"the same as number {known[0]}"))
            return
        self._seen[id(value)] = (len(self._seen), value)
        for matches, walk in _WALKS:
            if isinstance(value, matches):
                walk(self, where, value)
                return
        if hasattr(kind, "__next__") or hasattr(kind, "send"):
            self.iterators.append(f"{where} is an iterator ({kind.__name__})")
        elif kind.__module__.partition(".")[0] not in OPAQUE or f"{kind.__module__}.{kind.__name__}" in DESCRIPTIONS:
            self.object(where, value)

    def mapping(self, where: str, value: Any) -> None:
        self.lines.append((where, f"{type(value).__name__} of {len(value)}"))
        for number, (key, item) in enumerate(list(dict.items(value))):
            shown = _key_text(key)
            if shown is None:
                shown = f"key {number}"
                self.value(f"{where} {shown}", key)
            self.value(f"{where}[{shown}]", item)
        if isinstance(value, collections.defaultdict):
            self.value(f"default of {where}", value.default_factory)

    def sequence(self, where: str, value: Any) -> None:
        items = list(value)
        self.lines.append((where, f"{type(value).__name__} of {len(items)}"))
        if len(items) > 16 and all(type(item) in _plain for item in items):
            self.lines.append((where, hashlib.blake2b(repr(items).encode(), digest_size=16).hexdigest()))
            return
        for number, item in enumerate(items):
            self.value(f"{where}[{number}]", item)

    def unordered(self, where: str, items: Any) -> None:
        """A set, or the contents of a cache: in no order that means anything."""
        begin = len(self.lines)
        self.lines.append((where, f"{len(items)} elements"))
        for item in items:
            self.value(where, item)
        self.lines[begin:] = sorted(self.lines[begin:])

    def function(self, where: str, value: types.FunctionType) -> None:
        if (value.__module__ or "").partition(".")[0] in ("torch", "triton"):
            return
        for number, default in enumerate(value.__defaults__ or ()):
            self.value(f"default argument {number} of {where}", default)
        for name, default in (value.__kwdefaults__ or {}).items():
            self.value(f"default argument {name} of {where}", default)
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            try:
                self.value(f"{name} in {where}", cell.cell_contents)
            except ValueError:  # not bound yet
                continue
        for name, item in value.__dict__.items():
            self.value(f"{where}.{name}", item)

    def bound(self, where: str, value: Any) -> None:
        self.value(f"{where}, object", value.__self__)
        if isinstance(value, types.MethodType):
            self.value(where, value.__func__)

    def parts(self, where: str, value: Any, names: tuple[str, ...]) -> None:
        for name in names:
            part = getattr(value, name, None)
            if part is not None:
                self.value(f"{where}.{name}", part)

    def cache(self, where: str, value: Any) -> None:
        """functools.lru_cache: its function, and the answers that it keeps (how often they were asked for is no one's affair)."""
        held = [item for item in gc.get_referents(value) if not isinstance(item, type)]
        self.unordered(f"cache of {where}", held)

    def owned_class(self, where: str, value: type) -> None:
        if value.__module__ != self.module_name:
            return
        for name, item in list(vars(value).items()):
            if name not in CLASS_LINES_LEFT_OUT:
                self.value(f"{where}.{name}", item)

    def object(self, where: str, value: Any) -> None:
        try:
            fields = dict(_attributes(value, "__dict__"))
        except AttributeError:
            fields = {}
        for owner in type(value).__mro__:
            for name, member in vars(owner).items():
                if isinstance(member, types.MemberDescriptorType):
                    try:
                        fields[name] = member.__get__(value)
                    except AttributeError:  # not set
                        continue
        self.lines.append((where, f"{type(value).__name__} object"))
        self.value(f"class of {where}", type(value))
        for name, item in fields.items():
            self.value(f"{where}.{name}", item)
        if isinstance(value, BaseException):
            self.value(f"{where}.args", BaseException.args.__get__(value))

    def tensor(self, where: str, value: torch.Tensor) -> None:
        with _no_overrides():
            self.lines.append((where, f"tensor {value.dtype} {list(value.shape)} {list(value.stride())} {value.device}"))
            self.tensors.setdefault(value.untyped_storage().data_ptr(), (where, value))
        for name, item in _attributes(value, "__dict__").items():
            self.value(f"{where}.{name}", item)

    def tuner(self, where: str, value: Any) -> None:
        self.parts(where, value, ("configs", "values", "early_config_prune", "perf_model", "pre_hook", "post_hook", "fn"))


def _key_text(key: Any) -> str | None:
    if type(key) in _plain:
        return repr(key)[:SHOWN]
    if type(key) in (tuple, frozenset):
        parts = [_key_text(item) for item in key]
        return None if None in parts else f"({', '.join(str(part) for part in parts)})"
    return None


_WALKS: list[tuple[Any, Callable[..., None]]] = [
    (Captured, lambda walk, where, value: walk.value(where, value.own)),  # the judge's own class keeps graphs
    (Plain, lambda walk, where, value: walk.value(where, value.run)),
    (torch.Tensor, Walk.tensor),
    (dict, Walk.mapping),
    ((list, tuple, collections.deque), Walk.sequence),
    ((set, frozenset), Walk.unordered),
    (types.FunctionType, Walk.function),
    (type, Walk.owned_class),
    ((autotuner.Autotuner, autotuner.Heuristics), Walk.tuner),
    ((torch.nn.Module, BaseException), Walk.object),
    (functools._lru_cache_wrapper, Walk.cache),
    ((types.MethodType, types.BuiltinFunctionType), Walk.bound),
    (functools.partial, lambda walk, where, value: walk.parts(where, value, ("func", "args", "keywords", "__dict__"))),
    ((property, functools.cached_property, staticmethod, classmethod),
     lambda walk, where, value: walk.parts(where, value, ("fget", "fset", "fdel", "func", "__func__"))),
    (types.MappingProxyType, lambda walk, where, value: walk.mapping(where, dict(value))),
    ((type({}.keys()), type({}.values()), type({}.items())), lambda walk, where, value: walk.value(where, value.mapping)),
]


class State:
    """What was seen after earlier calls. `after` is told of every call that ended well."""

    def __init__(self, module: Any, model: Any, memory: bool) -> None:
        """`memory`: kept memory is compared too (on a GPU atomics leave other bits each time)."""
        self.module, self.model, self.memory = module, model, memory
        self._calls: dict[Any, list[tuple[Any, list[Any]]]] = {}
        self._bytes: dict[Any, dict[str, str]] = {}

    def after(self, request: dict[str, Any], specs: list[dict[str, Any]], given: list[torch.Tensor],
              launches: list[Any]) -> list[str]:
        """One call has ended; returns what should not be so."""
        walk = Walk(self.module.__name__)
        for name, value in list(vars(self.module).items()):
            if not name.startswith("__"):
                walk.value(name, value)
        if self.model is not None:
            walk.value("the model", self.model)
        found = [f"{what}: what it has handed out cannot be seen" for what in walk.iterators[:4]]
        layout = repr([(s.get("dtype"), s.get("shape"), s.get("strides"), s.get("scalar")) for s in specs])
        calls = self._calls.setdefault((layout, request.get("config", 0)), [])
        if len(calls) < 2:
            calls.append((walk.lines, launches))
        else:
            found += _differences(*calls[1], walk.lines, launches)
        # calls that are the same in everything, the order of programs and the state of fresh memory included
        if self.memory and request.get("order", "forward") == "forward" and not request.get("reuse"):
            for tensor in given:
                walk.tensors.pop(tensor.untyped_storage().data_ptr(), None)
            now = {where: _digest(tensor) for where, tensor in walk.tensors.values()}
            same = repr((layout, [request.get(name) for name in ("config", "poison", "poison_seed", "call_seed")]))
            before = self._bytes.setdefault(same, now)
            found += [f"the memory of {where} holds something else after the same call, made again"
                      for where in now if where in before and before[where] != now[where]][:4]
        return found


def _differences(lines: list[Any], launches: list[Any], lines_now: list[Any], launches_now: list[Any]) -> list[str]:
    found = []
    if lines != lines_now:
        before, now = dict(lines), dict(lines_now)
        where = next((w for w, _ in lines_now + lines if before.get(w) != now.get(w)), "things that are kept")
        found.append(f"{where}: {before.get(where, 'not there')[:SHOWN]} after one call, "
                     f"{now.get(where, 'not there')[:SHOWN]} after another one with the same sizes")
    if launches != launches_now:
        pairs = [pair for pair in zip(launches, launches_now) if pair[0] != pair[1]] or [(len(launches), len(launches_now))]
        found.append(f"launches differ between calls with the same sizes: {pairs[0][0]!s:.200}, then {pairs[0][1]!s:.200}")
    return found


def _digest(tensor: torch.Tensor) -> str:
    """Of all bytes of the memory that a tensor is part of."""
    with _no_overrides(), torch._C._DisableTorchDispatch():
        storage = tensor.untyped_storage()
        flat = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        return hashlib.blake2b(flat.cpu().numpy(), digest_size=16).hexdigest()


def launch_line(kernel: str, bound: dict[str, Any], options: dict[str, Any], grid: tuple[int, ...]) -> tuple[Any, ...]:
    """One launch, without addresses."""
    return kernel, grid, tuple((name, _argument(value)) for name, value in (*bound.items(), *sorted(options.items())))


def _argument(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        with _no_overrides():
            return str(value.dtype), tuple(value.shape), tuple(value.stride())
    if type(value) is int and abs(value) >= 1 << 40:
        return "an address"
    if type(value) in _plain:
        return repr(value)
    if type(value) in (tuple, list):
        return tuple(_argument(item) for item in value)
    return type(value).__name__

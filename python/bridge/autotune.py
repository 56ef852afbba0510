"""`@triton.autotune` without a benchmark: the judge chooses the configuration.

Triton's autotuner times every configuration at the first call and keeps the fastest; which one that is depends on
the machine. A judge must see each of them, repeatably, also where nothing can be timed. So every autotuner uses the
configuration number that the request names (modulo the number left after pruning), and otherwise does what Triton
does when the winner is known: the configuration's own hook runs, `reset_to_zero` and `restore_value` do not (they
belong to the timing runs). As in Triton, pruning happens once per key.

Where a problem was scaled down, pruning may hide a configuration from the judge that it keeps for the given sizes. So it
is asked about those as well (dry.py), and what it keeps there alone is `hidden`: tried at the verified sizes by request.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from triton.runtime import autotuner

from ka_bridge.signature import base_function, encode

NOTHING_LEFT = getattr(autotuner, "AutotunerError", ())  # newer Triton: pruning left no configuration


class InventedConfiguration(ValueError):
    """A pruning function may leave configurations out; what it makes up nobody has judged."""


class Choice:
    """The number of the configuration in force, and what is known about the autotuners seen."""

    def __init__(self) -> None:
        self.number = 0
        self.lenient = True  # a pruning function that fails (it may ask for a GPU) prunes nothing
        self._stack: list[dict[str, Any]] = []
        self._pruned: dict[tuple[int, Any], list[Any]] = {}
        self._seen: dict[int, dict[str, Any]] = {}
        self.hidden = False  # the number counts the hidden configurations
        self.verified = True  # a call with the verified sizes
        self._given = False
        self._left: dict[int, list[Any]] = {}  # autotuner -> what pruning kept for the verified sizes ...
        self._only_given: dict[int, list[Any]] = {}  # ... and for the given ones alone

    @contextmanager
    def asked_for_given_sizes(self) -> Iterator[None]:
        self._given = True
        try:
            yield
        finally:
            self._given = False

    def hidden_texts(self) -> list[str]:
        """The hidden configurations of all autotuners, as many as the longest list has."""
        lists = list(self._only_given.values())
        return [" and ".join(str(some[k])[:120] for some in lists if k < len(some)) for k in range(max(map(len, lists), default=0))]

    def current(self) -> dict[str, Any] | None:
        return self._stack[-1] if self._stack else None

    def report(self) -> list[dict[str, Any]]:
        """The autotuners that ran since the last call of this function."""
        seen, self._seen = list(self._seen.values()), {}
        return seen

    def configurations(self, tuner: Any, args: Any, kwargs: dict[str, Any]) -> list[Any]:
        if len(tuner.configs) <= 1:
            return list(tuner.configs)
        named = {k: v for k, v in {**tuner.nargs, **kwargs}.items() if k in tuner.arg_names}
        key: list[Any] = [named[k] for k in tuner.keys if k in named]
        key += [str(v.dtype) for v in named.values() if hasattr(v, "dtype")]
        try:
            place = (id(tuner), tuple(key))
            hash(place)
        except TypeError:
            place = (id(tuner), repr(key))
        if place not in self._pruned:
            self._pruned[place] = self._prune(tuner, kwargs)
        return self._pruned[place]

    def _prune(self, tuner: Any, kwargs: dict[str, Any]) -> list[Any]:
        try:
            left = list(tuner.prune_configs(kwargs))
            if any(all(config is not declared for declared in tuner.configs) for config in left):
                raise InventedConfiguration("the pruning function returned a configuration that was not declared")
            return left
        except InventedConfiguration:
            raise
        except Exception as exc:
            if not self.lenient or isinstance(exc, NOTHING_LEFT):
                raise
            return list(tuner.configs)

    def _candidates(self, tuner: Any, args: Any, kwargs: dict[str, Any]) -> list[Any]:
        if self._given:
            kept = self._prune(tuner, kwargs)
            known = self._left.get(id(tuner), [])
            mine = self._only_given.setdefault(id(tuner), [])
            mine += [config for config in kept if all(config is not other for other in known + mine)]
            return kept
        if self.hidden and self._only_given.get(id(tuner)):
            return self._only_given[id(tuner)]
        left = self.configurations(tuner, args, kwargs)
        if self.verified:
            known = self._left.setdefault(id(tuner), [])
            known += [config for config in left if all(config is not other for other in known)]
        return left

    def pick(self, tuner: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        left = self._candidates(tuner, args, kwargs)
        number = self.number % len(left)
        config = left[number]
        function = base_function(tuner)
        name = function.__name__ if function is not None else "?"
        self._seen[id(tuner)] = {"name": name, "configs": len(tuner.configs), "left": len(left), "used": number}
        clash = kwargs.keys() & config.kwargs.keys()
        if clash:
            raise ValueError(f"the autotuned parameters {', '.join(sorted(clash))} are also given in the call")
        return config, {"index": number, "of": len(left), "text": str(config)[:400],
                        "kwargs": {k: encode(v) for k, v in config.kwargs.items()}}


def install(choice: Choice) -> None:
    """Replaces the autotuner's `run`; heuristics are left as they are and may wrap it or be wrapped by it."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.nargs = dict(zip(self.arg_names, args))
        config, shown = choice.pick(self, args, kwargs)
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        choice._stack.append(shown)
        try:
            return self.fn.run(*args, **kwargs, **config.all_kwargs())
        finally:
            choice._stack.pop()
            self.nargs = None

    autotuner.Autotuner.run = run


def autotuners_in(module: Any) -> list[dict[str, Any]]:
    """Name and number of configurations of every autotuner that a module-level name reaches."""
    found = {}
    for value in list(vars(module).values()):
        for _ in range(16):
            if isinstance(value, autotuner.Autotuner):
                function = base_function(value)
                found[id(value)] = {"name": function.__name__ if function else "?", "configs": len(value.configs),
                                    "prunes": bool(value.early_config_prune or value.perf_model) and len(value.configs) > 1}
            if not isinstance(value, (autotuner.Autotuner, autotuner.Heuristics)):
                break
            value = value.fn
    return list(found.values())

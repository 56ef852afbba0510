"""The search for sizes within the budget: docs/scaling.md is the rule, this is its implementation.

Constants of class 1 (they set extents of inputs and are no constructor argument) are halved first, the largest first;
then those of class 2. After every halving the program must still run. Halvings are tried in groups, which gives the
same answer with fewer executions: a group that does not run is taken apart, and in a group that overshoots the
shortest beginning that fits is found by bisection.
"""

from __future__ import annotations

from collections.abc import Iterator

from ka_bridge import modes
from ka_bridge.cost import WAYS, Cost, Request, is_over, known_cost, lacks_data, real_cost
from ka_bridge.problem import ProblemError
from ka_bridge.sizes import Constant, SizedSource

BATCH_FLOOR = 2
EXTENT_FLOOR = 8
FEATURE_FLOOR = 16
ROUND_TO = 16
SMALL_ODD = 32
MOST_PARTNERS = 12
FIRST_GROUP = 4
LARGEST_GROUP = 8
TRIALS = 160
REGROW_TRIALS = 12
REGROW_OPS = 400
WEIGHT_FACTOR = 2
PLAIN_ERRORS = ("syntax", "no_model", "no_get_inputs", "inputs_not_tensors", "unsupported")


class Search:
    def __init__(self, source: SizedSource, request: Request, limit: tuple[int, int], ways: tuple[str, ...] = WAYS,
                 batch_floor: int = BATCH_FLOOR) -> None:
        self.source = source
        self.request = request
        self.limit = limit
        self.ways = ways
        self.batch_floor = batch_floor
        self.sizes = source.given()
        self.frozen: dict[str, str] = {}
        self.trials = 0
        self._memo: dict[tuple[int, ...], Cost | ProblemError] = {}
        self._names: frozenset[str] | None = None  # of the weights at the given sizes

    def find(self) -> dict[str, int]:
        first = self._cost(self.sizes)
        while isinstance(first, ProblemError):
            if first.kind in PLAIN_ERRORS or not lacks_data(first):
                raise first
            self.ways = self.ways[1:]
            self._memo.clear()
            if not self.ways:
                return self._find_upwards(first)
            first = self._cost(self.sizes)
        self._names = first.names
        turns: list[str] = []
        if is_over(first, self.limit):
            self._freeze_unseen(first)
            turns = self._freeze_turns(first)
        cost = self._shrink(first)
        if is_over(cost, self.limit) and turns:
            for name in turns:
                del self.frozen[name]
            cost = self._shrink(cost)
        if is_over(cost, self.limit):
            raise ProblemError("cannot_scale", self._refusal(cost), need=(cost.elements, cost.flops))
        if any(self.sizes[c.name] != c.value for c in self.source.constants if not c.first_class):
            self._regrow()
        return self.sizes

    def _freeze_unseen(self, given: Cost) -> None:
        """Keeps constants that neither an input nor a weight shows (a number of groups, the size of a pooling window): a
        kernel that was written for the given value could not know of another."""
        for constant in self.source.constants:
            if constant.first_class or constant.extents or halved(constant.value) < self._floor(constant):
                continue
            tried = self._cost({**self.sizes, constant.name: halved(constant.value)})
            if isinstance(tried, Cost) and tried.weights == given.weights:
                self.frozen[constant.name] = "no input and no weight shows it"

    def _freeze_turns(self, given: Cost) -> list[str]:
        """Keeps constants that set how often a loop of the program runs: with fewer turns it is another program, and a kernel
        that has them unrolled could not follow. Returns their names: they shrink after all where nothing else helps."""
        found = []
        for constant in self.source.constants:
            if given.recurrent or not given.complete or constant.name in self.frozen or halved(constant.value) < self._floor(constant):
                continue
            tried = self._cost({**self.sizes, constant.name: halved(constant.value)})
            if isinstance(tried, Cost) and tried.complete and tried.ops != given.ops:
                found.append(constant.name)
                self.frozen[constant.name] = "it sets how often a loop of the program runs"
        return found

    def weight_elements(self) -> int | None:
        """Elements of the weights at the given sizes; None when the program does not run so, as far as shapes tell."""
        cost = self._cost(self.sizes)
        return cost.weights if isinstance(cost, Cost) else None

    def would_fit(self, sizes: dict[str, int]) -> bool:
        cost = self._cost(sizes)
        return isinstance(cost, Cost) and not is_over(cost, self.limit)

    def steps(self) -> list[str]:
        done = [f"{c.name}: {c.value} -> {self.sizes[c.name]}" for c in self.source.constants
                if self.sizes[c.name] != c.value]
        return done + [f"{name} kept: {why}" for name, why in self.frozen.items()]

    def known_shapes(self) -> list[list[int]] | None:
        cost = self._memo.get(tuple(self.sizes.values()))
        return cost.shapes if isinstance(cost, Cost) else None

    def reached(self) -> str:
        return ", ".join(f"{n}={v}" for n, v in self.sizes.items()) or "the given sizes"

    def _cost(self, sizes: dict[str, int]) -> Cost | ProblemError:
        key = tuple(sizes.values())
        if key not in self._memo:
            self.trials += 1
            try:
                self._memo[key] = self._same_program(known_cost(self.source, self.request, sizes, self.limit, self.ways[0]))
            except ProblemError as exc:
                self._memo[key] = exc
            except modes.Stop as exc:
                self._memo[key] = ProblemError("cannot_scale", f"the constructor cannot be tried: {exc}")
        return self._memo[key]

    def _same_program(self, cost: Cost) -> Cost:
        """A module that is built with other weights (a shortcut without a layer, where two widths have become equal) is
        another program, which says nothing about kernels for the given one."""
        if self._names is not None and cost.names != self._names:
            raise ProblemError("init_raises", "the module then has other weights")
        return cost

    def _shrink(self, cost: Cost) -> Cost:
        group = FIRST_GROUP
        while self.trials < TRIALS:
            heavy = cost.weights > WEIGHT_FACTOR * self.limit[0]
            over = is_over(cost, self.limit)
            if not over and not heavy:
                return cost
            plan = self._plan(group, features_only=not over)
            if not plan:
                return cost
            tried = self._cost(plan[-1])
            if isinstance(tried, ProblemError):
                if len(plan) > 1:
                    group = 1
                else:
                    cost = self._resolve(plan[0], tried, cost)
                continue
            if self._done(tried) and len(plan) > 1:
                self.sizes, cost = self._shortest(plan)
                continue
            self.sizes, cost = plan[-1], tried
            group = min(group * 2, LARGEST_GROUP)
        return cost

    def _done(self, cost: Cost) -> bool:
        return not is_over(cost, self.limit) and cost.weights <= WEIGHT_FACTOR * self.limit[0]

    def _plan(self, count: int, features_only: bool) -> list[dict[str, int]]:
        """The sizes after one, two, ... `count` further halvings."""
        sizes, plan = dict(self.sizes), []
        for _ in range(count):
            constant = self._next(sizes, features_only)
            if constant is None:
                break
            sizes = {**sizes, constant.name: halved(sizes[constant.name])}
            plan.append(sizes)
        return plan

    def _next(self, sizes: dict[str, int], features_only: bool = False) -> Constant | None:
        for first_class in (True, False):
            if first_class and features_only:
                continue
            open_ones = [c for c in self.source.constants if c.first_class == first_class and c.name not in self.frozen
                         and halved(sizes[c.name]) >= self._floor(c)]
            if open_ones:
                return max(open_ones, key=lambda c: sizes[c.name])
        return None

    def _floor(self, constant: Constant) -> int:
        return self.batch_floor if constant.first_class and constant.batch_like else floor_of(constant)

    def _resolve(self, wanted: dict[str, int], failure: ProblemError, cost: Cost) -> Cost:
        """A single halving does not run: other sizes may have to follow. Takes the first way that runs, or keeps the
        constant: all constants of the same value together; the next multiple of 16 below or above (patches,
        windows); together with one other constant."""
        name = next(n for n in wanted if wanted[n] != self.sizes[n])
        for sizes in self._ways_around(name, wanted[name]):
            tried = self._cost(sizes)
            if not isinstance(tried, ProblemError):
                self.sizes = sizes
                return tried
        self.frozen[name] = f"{wanted[name]} does not run ({failure.message})"
        return cost

    def _ways_around(self, name: str, value: int) -> Iterator[dict[str, int]]:
        others = [c for c in self.source.constants if c.name != name and c.name not in self.frozen
                  and halved(self.sizes[c.name]) >= self._floor(c)]
        twins = {c.name for c in others if self.sizes[c.name] == self.sizes[name]} | {name}
        if len(twins) > 1:
            yield {n: halved(v) if n in twins else v for n, v in self.sizes.items()}
        for rounded in (value // ROUND_TO * ROUND_TO, (value // ROUND_TO + 1) * ROUND_TO):
            if self._floor(self.source.by_name(name)) <= rounded < self.sizes[name] and rounded != value:
                yield {**self.sizes, name: rounded}
        for other in others[:MOST_PARTNERS]:
            yield {**self.sizes, name: value, other.name: halved(self.sizes[other.name])}

    def _shortest(self, plan: list[dict[str, int]]) -> tuple[dict[str, int], Cost]:
        low, high = 0, len(plan) - 1
        while low < high:
            middle = (low + high) // 2
            tried = self._cost(plan[middle])
            if not isinstance(tried, ProblemError) and self._done(tried):
                high = middle
            else:
                low = middle + 1
        return plan[high], self._cost(plan[high])

    def _regrow(self) -> None:
        """Features had to shrink, which leaves room: class 1 grows again, the smallest first, while all fits."""
        closed: set[str] = set()
        for _ in range(REGROW_TRIALS):
            small = [c for c in self.source.constants if c.first_class and c.name not in closed
                     and self.sizes[c.name] < c.value]
            cost = self._cost(self.sizes)
            if not small or isinstance(cost, ProblemError) or cost.ops > REGROW_OPS:
                return
            chosen = min(small, key=lambda c: self.sizes[c.name])
            grown = {**self.sizes, chosen.name: min(2 * self.sizes[chosen.name], chosen.value)}
            tried = self._cost(grown)
            if isinstance(tried, ProblemError) or not self._done(tried):
                closed.add(chosen.name)
            else:
                self.sizes = grown

    def _find_upwards(self, failure: ProblemError) -> dict[str, int]:
        """Execution without data is impossible: the most reduced sizes are executed for real, then larger ones
        while they fit."""
        states = [dict(self.sizes)]
        while (constant := self._next(states[-1])) is not None:
            states.append({**states[-1], constant.name: halved(states[-1][constant.name])})
        best: dict[str, int] | None = None
        for sizes in reversed(states):
            try:
                cost = real_cost(self.source, self.request, sizes, self.limit)
            except ProblemError as exc:
                failure = exc
                continue
            if is_over(cost, self.limit):
                break
            best = sizes
        if best is None:
            if failure.kind in ("forward_raises", "init_raises") and not lacks_data(failure):
                raise failure
            raise ProblemError("cannot_scale", "the program cannot be run without data, and none of its reduced sizes "
                               f"runs within the budget: {failure.message}", failure.cause)
        self.sizes = best
        return best

    def _refusal(self, cost: Cost) -> str:
        tried = "; ".join(self.steps()) or "it has no size constant that can be reduced"
        partial = "" if cost.complete else "at least "
        return ("the program is too large for Triton's interpreter, which stands in for a GPU here, and no scaling reaches "
                f"{self.limit[0]} elements and {self.limit[1]} flops: the smallest sizes that run need {partial}{cost.elements} "
                f"elements and {cost.flops} flops ({tried})")


def halved(size: int) -> int:
    """Half the size, rounded down; a large odd size stays odd: sizes that divide by nothing are often the point."""
    return size // 2 | (size & 1 if size > SMALL_ODD else 0)


def floor_of(constant: Constant) -> int:
    if not constant.first_class:
        return FEATURE_FLOOR
    return BATCH_FLOOR if constant.batch_like else EXTENT_FLOOR

"""The `refactored` command: the planned program as PyTorch functions, executed beside the original.

What is looked for is a plan that computes something else, not rounding: the judge compares to the last digit what the kernels
compute. So few elements may differ (ties, chaos), many may not.
"""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import modes, runs, weights
from ka_bridge.conn import one_line
from ka_bridge.cost import CALL_SEED, INPUTS_SEED, WEIGHTS_SEED
from ka_bridge.loading import Loaded
from ka_bridge.problem import ProblemError, derived_seed, flatten, seed_everything

NEAR = {torch.float16: 3e-2, torch.bfloat16: 3e-2}  # of the mean magnitude
OTHERWISE_NEAR = 1e-2
FEW = 0.01  # of whole numbers
NOISE_FACTOR = 16  # times the distance of the program's own result from the one in float64: what the judge allows too
ALL_NOISE = 0.1    # of the mean magnitude; beyond, nothing can be told


def compare(state: Loaded, text: str, request: dict[str, Any]) -> dict[str, Any]:
    seed = int(request["seed"])
    program = state.program(None)
    model = program.build(derived_seed(seed, WEIGHTS_SEED))
    inputs = program.inputs(derived_seed(seed, INPUTS_SEED))
    copied = weights.duplicate(model)
    if copied is None:
        return {"ok": True, "difference": ""}  # it holds something that cannot be copied: the judge will say so
    given = {w.argument: w.tensor.detach() for w in weights.collect(copied)}
    call_seed = derived_seed(seed, CALL_SEED)
    wanted = runs.run_native(program, model, inputs, call_seed)
    try:
        names: dict[str, Any] = {}
        exec(compile(text, "refactored.py", "exec", dont_inherit=True), names)
        seed_everything(call_seed)
        with torch.no_grad():
            got, structure = flatten(names["forward"](*runs.copy_inputs(inputs), **given))
    except MemoryError:
        return {"ok": True, "difference": ""}  # every step is kept whole here, which the kernels do not do
    except Exception as exc:
        return {"ok": True, "difference": "", "unchecked": one_line(f"its PyTorch text cannot be executed: {type(exc).__name__}: {exc}", 300)}
    if structure != wanted.structure or len(got) != len(wanted.outputs):
        return {"ok": True, "difference": f"it returns a {structure} of {len(got)}, the program a {wanted.structure} of {len(wanted.outputs)}"}
    difference = _first_difference([(f"output {i}", a, b) for i, (a, b) in enumerate(zip(got, wanted.outputs))])
    if not difference:  # an ill-conditioned program's buffers are no better than its outputs
        buffers = {name: given.get(name.replace(".", "_")) for name in wanted.buffers_after}
        pairs = [(f"buffer {name}", buffers[name], value) for name, value in wanted.buffers_after.items() if buffers[name] is not None]
        return {"ok": True, "difference": _first_difference(pairs)}
    if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(got, wanted.outputs)):
        return {"ok": True, "difference": difference}
    return _unless_noise(difference, got, wanted, _own_errors(program, derived_seed(seed, WEIGHTS_SEED), inputs, call_seed, wanted))


def _first_difference(pairs: list[tuple[str, torch.Tensor, torch.Tensor]]) -> str:
    return next((why for why in (_difference(*pair) for pair in pairs) if why), "")


def _own_errors(program: Any, weights_seed: int, inputs: list[Any], call_seed: int, wanted: runs.Run) -> list[float]:
    """The mean distance of each output from the one in float64; nothing where that cannot be computed."""
    try:
        wide = runs.run_double(program, program.build(weights_seed), inputs, call_seed, wanted)
    except (ProblemError, modes.CannotReplay):
        return []
    return [_mean_error(a, b) for a, b in zip(wanted.outputs, wide)]


def _mean_error(a: torch.Tensor, b: torch.Tensor) -> float:
    return (a.double() - b.double()).abs().mean().item()


def _unless_noise(difference: str, got: list[torch.Tensor], wanted: runs.Run, own: list[float]) -> dict[str, Any]:
    """An ill-conditioned program (statistics over few values) differs from itself in float64 too. Its plan may be as far away as
    the judge allows a kernel to be; where the answer is mostly noise, the plan is left unchecked."""
    if len(own) != len(got):
        return {"ok": True, "difference": difference}
    sizes = [want.double().abs().mean().item() for want in wanted.outputs]
    if any(error > ALL_NOISE * size for error, size in zip(own, sizes)):
        return {"ok": True, "difference": "", "unchecked": "the program is ill-conditioned at the sizes at which it is executed: "
                "its result in float64 is another"}
    far = any(_mean_error(a, b) > NOISE_FACTOR * error for a, b, error in zip(got, wanted.outputs, own))
    return {"ok": True, "difference": difference if far else ""}


def _difference(what: str, got: torch.Tensor, want: torch.Tensor) -> str:
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{what} is {got.dtype} {list(got.shape)}, not {want.dtype} {list(want.shape)}"
    if got.numel() == 0:
        return ""
    if not want.is_floating_point():
        share = (got != want).double().mean().item()
        return f"{what}: {share:.1%} of the elements differ" if share > FEW else ""
    both = torch.isfinite(got) & torch.isfinite(want)
    if (torch.isfinite(got) != torch.isfinite(want)).double().mean().item() > FEW:
        return f"{what} is not finite where the program is, or the other way round"
    error, size = ((got - want).double().abs()[both], want.double().abs()[both])
    if error.numel() and error.mean().item() > NEAR.get(want.dtype, OTHERWISE_NEAR) * size.mean().item() + 1e-4:
        return f"{what}: mean error {error.mean().item():.3g} at a mean magnitude of {size.mean().item():.3g}"
    return ""

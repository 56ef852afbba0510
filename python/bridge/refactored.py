"""The `refactored` command: the planned program as PyTorch functions, executed beside the original.

What is looked for is a plan that computes something else, not rounding: the judge compares to the last digit what the kernels
compute. So few elements may differ (ties, chaos), many may not.
"""

from __future__ import annotations

from typing import Any

import torch

from ka_bridge import runs, weights
from ka_bridge.conn import one_line
from ka_bridge.cost import CALL_SEED, INPUTS_SEED, WEIGHTS_SEED
from ka_bridge.loading import Loaded
from ka_bridge.problem import derived_seed, flatten, seed_everything

NEAR = {torch.float16: 3e-2, torch.bfloat16: 3e-2}  # of the mean magnitude
OTHERWISE_NEAR = 1e-2
FEW = 0.01  # of whole numbers


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
        return {"ok": True, "difference": "", "raised": one_line(f"{type(exc).__name__}: {exc}", 300)}
    if structure != wanted.structure or len(got) != len(wanted.outputs):
        return {"ok": True, "difference": f"it returns a {structure} of {len(got)}, the program a {wanted.structure} of {len(wanted.outputs)}"}
    buffers = {name: given.get(name.replace(".", "_")) for name in wanted.buffers_after}
    pairs = [(f"output {i}", a, b) for i, (a, b) in enumerate(zip(got, wanted.outputs))]
    pairs += [(f"buffer {name}", buffers[name], value) for name, value in wanted.buffers_after.items() if buffers[name] is not None]
    return {"ok": True, "difference": next((why for why in (_difference(*pair) for pair in pairs) if why), "")}


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

"""Values of the inputs: what get_inputs draws, and other distributions made from it.

  given    as get_inputs draws them
  normal   zero mean, unit variance, instead of every free input
  wide     the given signs with magnitudes log-uniform in 2**-10 .. 2**10; where the reference does not stay finite,
           2**-4 .. 2**4
  small    given * 2**-10
  large    given * 2**14
  tiny     given * 2**-40; where nothing is left of the reference's numbers (vanishing.py), 2**-30 or 2**-20
  halves   multiples of one half between -8 and 8: exact values, ties, zeros
  negative below -2**13 throughout, so that no padding but -inf is the neutral element of a maximum
  special  given with NaN (and, for purely elementwise programs, infinities and other edge values) at a few places: see
           special.py

Where the program has a softmax behind a matrix product (attention), `wide`, `large` and `negative` stay within 2**5: kernels hide
scores behind a finite number (-1e6, -1e9), and scores of 1e9 say nothing about them. An exponential without a maximum taken off overflows
there just the same.

Only floating inputs that look like free data are changed, and structure that the program may rely on is kept: zeros
stay where more than a quarter is zero (triangular and sparse matrices), a symmetric matrix stays symmetric, rows of
probabilities (they sum to 1) are normalised again. Left as drawn are constant tensors, integer-valued numbers (labels,
masks of 0 and 1), sorted rows, and tensors that overlap themselves; integer and boolean inputs have distributions of their own (integers.py). In every distribution but
`given`, weights that were built with one single value (biases of 0, scales of 1) get values of their own
(weights.vary_constants).
"""

from __future__ import annotations

from typing import Any

import torch

NAMES = ("given", "normal", "wide", "small", "negative", "large", "tiny", "halves", "special")
SCALES = {"small": 2.0**-10, "large": 2.0**14}
TINY_EXPONENTS = (-40.0, -30.0, -20.0)
NEGATIVE = 2.0**13
WIDE_EXPONENTS = (10.0, 4.0)
SCORE_SCALE = 2.0**5
SCORE_EXPONENTS = (5.0, 4.0)


def structure_of(value: Any) -> str | None:
    """ "free", "zeros", "symmetric" or "probabilities"; None for an input that must stay as it is."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() == 0:
        return None
    if any(step == 0 and size > 1 for size, step in zip(value.shape, value.stride())):
        return None
    data = value.detach()
    data = data.double() if data.dtype in (torch.float16, torch.bfloat16) else data
    if data.numel() > 1 and bool((data == data.flatten()[0]).all()) or bool((data == data.round()).all()):
        return None
    if data.dim() >= 1 and data.shape[-1] > 1:
        one = torch.ones((), dtype=data.dtype, device=data.device)
        if bool((data >= 0).all()) and torch.allclose(data.sum(-1), one, atol=1e-2):
            return "probabilities"
        if data.shape[-1] > 4 and bool((data.diff(dim=-1) >= 0).all()):
            return None
    if int((data == 0).sum()) * 4 > data.numel():
        return "zeros"
    if _is_square(data) and torch.equal(data, data.transpose(-1, -2)):
        return "symmetric"
    return "free"


def structures_of(inputs: list[Any]) -> dict[int, str]:
    """The inputs that may be changed, by index, with the structure that has to be kept."""
    found = {i: structure_of(value) for i, value in enumerate(inputs)}
    return {i: structure for i, structure in found.items() if structure is not None}


def _is_square(value: torch.Tensor) -> bool:
    return value.dim() >= 2 and value.shape[-1] == value.shape[-2] > 1


def _restore(structure: str, like: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Gives `values` the structure of `like`."""
    if structure == "zeros":
        return torch.where(like.cpu() == 0, torch.zeros((), dtype=values.dtype), values)
    if structure == "symmetric":
        return values.tril() + values.tril(-1).transpose(-1, -2)
    if structure == "probabilities":
        return values.abs() / values.abs().sum(-1, keepdim=True)
    return values


def transform(inputs: list[Any], structures: dict[int, str], distribution: str, seed: int,
              exponent: float = WIDE_EXPONENTS[0], scores: bool = False) -> list[Any]:
    """The inputs with the free ones redrawn; strides are kept. `special` is left to special.py."""
    generator = torch.Generator().manual_seed(seed)
    result = list(inputs)
    for i, structure in structures.items():
        value = inputs[i]
        if distribution == "normal":
            fresh = torch.randn(value.shape, generator=generator, dtype=torch.float64)
        elif distribution == "wide":
            powers = (torch.rand(value.shape, generator=generator, dtype=torch.float64) * 2 - 1) * exponent
            signs = torch.where(value.cpu() < 0, -1.0, 1.0).double()
            fresh = signs * torch.exp2(powers)
        elif distribution == "negative":
            fresh = (-1 - torch.randn(value.shape, generator=generator, dtype=torch.float64).abs()) * (SCORE_SCALE if scores else NEGATIVE)
        elif distribution == "halves":
            fresh = torch.randint(-16, 17, value.shape, generator=generator).double() / 2
        elif distribution == "tiny":
            fresh = value.cpu().double() * 2.0**exponent
        elif distribution in SCALES:
            fresh = value.cpu().double() * (SCORE_SCALE if scores and distribution == "large" else SCALES[distribution])
        else:
            continue
        result[i] = refill(value, _restore(structure, value, fresh))
    return result


def refill(like: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """`values` in the dtype, on the device and with the strides of `like` (which does not overlap itself)."""
    target = torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=like.device)
    return target.copy_(values)

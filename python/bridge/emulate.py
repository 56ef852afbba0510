"""Runs a program as if its contractions took TF32 or bfloat16 operands, accumulated as usual.

The floating operands of every contraction are narrowed first: "tf32" keeps 10 explicit mantissa bits. It drops the rest, as the
tensor cores do with operands that nobody rounded for them, or rounds to nearest, ties to even, as careful kernels do; where the
errors of all elements hang together (a mean over an image), either may happen to be small. "half" rounds to bfloat16's 7.
NaN and infinity are left alone. Fused attention and fused
recurrences hide their inner products, so they are switched to their open forms while the mode is on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from ka_bridge import ops
from ka_bridge.modes import Mode

MANTISSA_BITS = {"tf32": 10, "half": 7}
Narrowing = Callable[[torch.Tensor, int], torch.Tensor]
_SKIPPED_ARGUMENTS = frozenset({"bias", "self_bias"})


def round_mantissa(value: torch.Tensor, bits: int) -> torch.Tensor:
    """A float32 tensor rounded to `bits` explicit mantissa bits; other dtypes are rounded through float32."""
    if not value.is_floating_point() or value.dtype == torch.float16 and bits >= 10:
        return value
    if value.dtype == torch.bfloat16 and bits >= 7:
        return value
    wide = value.float()
    drop = 23 - bits
    pattern = wide.contiguous().view(torch.int32)
    last_kept = (pattern >> drop) & 1
    rounded = (pattern + ((1 << (drop - 1)) - 1) + last_kept) & ~((1 << drop) - 1)
    result = rounded.view(torch.float32).reshape(wide.shape)
    return torch.where(torch.isfinite(wide), result, wide).to(value.dtype)


def cut_mantissa(value: torch.Tensor, bits: int) -> torch.Tensor:
    """The same, but what does not fit is dropped."""
    if not value.is_floating_point() or value.dtype in (torch.float16, torch.bfloat16):
        return value
    wide = value.float()
    kept = wide.contiguous().view(torch.int32) & ~((1 << (23 - bits)) - 1)
    return torch.where(torch.isfinite(wide), kept.view(torch.float32).reshape(wide.shape), wide).to(value.dtype)


NARROWINGS = {"tf32": (cut_mantissa, round_mantissa), "half": (round_mantissa,)}


class NarrowOperands(Mode):
    def __init__(self, tier: str, narrow: Narrowing) -> None:
        super().__init__()
        self.bits = MANTISSA_BITS[tier]
        self.narrow = narrow

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        facts = ops.facts_of(func)
        if facts.name not in ops.CONTRACTIONS:
            return func(*args, **kwargs)
        added = 1 if facts.name in ("addmm", "addbmm", "baddbmm", "addmv", "addr", "_addmm_activation") else 0
        names = [a.name for a in func._schema.arguments]
        rounded = [a if i < added or names[i] in _SKIPPED_ARGUMENTS else self._round(a) for i, a in enumerate(args)]
        kept = {k: v if k in _SKIPPED_ARGUMENTS else self._round(v) for k, v in kwargs.items()}
        return func(*rounded, **kept)

    def _round(self, value: Any) -> Any:
        return self.narrow(value, self.bits) if isinstance(value, torch.Tensor) else value


@contextmanager
def open_forms(recurrent: bool) -> Iterator[None]:
    """While active, attention is computed by matrix products, and recurrences (if told) step by step."""
    with ExitStack() as stack:
        cuda = torch.backends.cuda
        switches: list[tuple[Any, Any]] = [(cuda.flash_sdp_enabled, cuda.enable_flash_sdp),
                    (cuda.mem_efficient_sdp_enabled, cuda.enable_mem_efficient_sdp)]
        if hasattr(cuda, "enable_cudnn_sdp"):
            switches.append((cuda.cudnn_sdp_enabled, cuda.enable_cudnn_sdp))
        if recurrent:
            switches.append((torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled))
            switches.append((torch._C._get_cudnn_enabled, torch._C._set_cudnn_enabled))
        for is_on, switch in switches:
            stack.callback(switch, is_on())
            switch(False)
        yield

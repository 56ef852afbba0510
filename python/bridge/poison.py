"""The values that fill memory nobody has written, and the strips around tensors: fixed ones, or drawn from a number.

A kernel that knows the values could be right only where it sees them; so the judge draws them anew for every run.
Whatever the number, fresh floats are NaNs with a payload that no arithmetic produces (mode "nan") or finite numbers
that are unlikely as results (mode "pattern").
"""

from __future__ import annotations

import random

import numpy as np
import torch

BACK_BYTES = 65536
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

FIXED: dict[str, dict[torch.dtype, int]] = {
    "nan": {
        torch.float64: 0x7FFBADC0FFEE5EED,
        torch.float32: 0x7FDBADC1,
        torch.float16: 0x7EDB,
        torch.bfloat16: 0x7FDB,
        torch.int64: 0x5BADC0DE5BADC0DF,
        torch.int32: 0x5BADC0DF,
        torch.int16: 0x5BAD,
        torch.int8: 0x5B,
        torch.uint8: 0xDB,
    },
    "pattern": {
        torch.float64: 0x40C81CD6E631F8A1,
        torch.float32: 0x4640E6B7,
        torch.float16: 0x7207,
        torch.bfloat16: 0x4641,
        torch.int64: 0x2CAFEBABE2CAFEBB,
        torch.int32: 0x2CAFEBAB,
        torch.int16: 0x2CAF,
        torch.int8: 0x2C,
        torch.uint8: 0x97,
    },
}

# Float formats: (bits of the mantissa, the biased exponents that "pattern" draws from: about 2**10 to 2**15).
FLOATS = {torch.float64: (52, 1033, 1037), torch.float32: (23, 137, 141), torch.float16: (10, 25, 29),
          torch.bfloat16: (7, 137, 141)}
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def drawn(mode: str, seed: int) -> dict[torch.dtype, int]:
    """One bit pattern per dtype. Odd, so that the low bits are never the round ones of a number that was computed."""
    rng = random.Random(f"poison {mode} {seed}")
    bits: dict[torch.dtype, int] = {}
    for dtype, (mantissa, low, high) in FLOATS.items():
        if mode == "nan":  # quiet, positive or negative, with a payload that is not empty
            sign_and_exponent = (rng.getrandbits(1) << (dtype.itemsize * 8 - 1)) | _ones(dtype.itemsize * 8 - 1, mantissa)
            bits[dtype] = sign_and_exponent | (1 << (mantissa - 1)) | rng.getrandbits(mantissa - 1) | 1
        else:
            bits[dtype] = (rng.randint(low, high) << mantissa) | rng.getrandbits(mantissa) | 1
    for dtype in INTEGERS:
        width = dtype.itemsize * 8 - 2
        base = 1 << width if mode == "nan" else 0  # the two modes never give the same number
        bits[dtype] = base | (1 << (width - 2)) | rng.getrandbits(width) | 1
    return bits


def _ones(end: int, start: int) -> int:
    return (1 << end) - (1 << start)


class Poison:
    """The values of one run. Without a seed they are the fixed ones."""

    def __init__(self, mode: str, seed: int | None = None) -> None:
        self.mode = mode
        self.seed = seed
        self.bits = FIXED[mode] if seed is None else drawn(mode, seed)
        self._strips: dict[bool, np.ndarray] = {}

    def strip(self, given: bool) -> np.ndarray:
        """The canary: 16-bit words that differ from place to place and are NaN in every float type (mode "nan"), or
        small finite numbers. Those of given tensors are odd, those of allocations even: copying a strip shows."""
        if given not in self._strips:
            rng = random.Random(f"{self.mode} {given} {self.seed}")
            base, high = (0x7FF0, 7) if self.mode == "nan" else (0x3C00, 127)
            noise = np.frombuffer(rng.randbytes(4096), dtype=np.uint16)
            words = base | (2 * (1 + (noise & 0x7FFF) % high) + given) | (noise & 0x8000)
            self._strips[given] = np.tile(words.astype(np.uint16).view(np.uint8), BACK_BYTES // 4096)
        return self._strips[given]

    def fill(self, dtype: torch.dtype, span: int) -> np.ndarray:
        """`span` bytes of poison. A bool holds 0 or 1 only: the other mode has the opposite everywhere."""
        if dtype is torch.bool:
            other = self.mode == "pattern"
            if self.seed is None:
                return (np.arange(span, dtype=np.uint8) + other) % 2
            noise = np.frombuffer(random.Random(f"bool {self.seed}").randbytes(1021), dtype=np.uint8)
            return np.resize((noise + other) % 2, span).astype(np.uint8)
        bits = self.bits.get(dtype)
        if bits is None:
            return np.full(span, 0xDB if self.mode == "nan" else 0x3C, dtype=np.uint8)
        return np.full(span // dtype.itemsize, bits, dtype=UNSIGNED[dtype.itemsize]).view(np.uint8)

    def count(self, dtype: torch.dtype, raw: np.ndarray) -> int:
        """How many elements of contiguous bytes hold exactly the poison bits (0 where a dtype has no telling value)."""
        bits = self.bits.get(dtype)
        if bits is None or dtype.itemsize == 1:
            return 0
        return int((raw.view(UNSIGNED[dtype.itemsize]) == bits).sum())

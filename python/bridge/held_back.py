"""Whether the GPU holds its clocks back (heat, power, a brake from outside), as its management library tells. A sample taken then says little about a kernel."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import torch

# Reasons of nvmlDeviceGetCurrentClocksThrottleReasons; an idle GPU and clocks that somebody set are none.
REASONS = {0x04: "power cap", 0x08: "hardware slowdown", 0x20: "heat", 0x40: "heat (hardware)", 0x80: "power brake"}
MOST_AGAIN = 0.25  # of the samples: a GPU that is always at its power cap is measured as it is


def management_library() -> Any:
    library = ctypes.CDLL("libnvidia-ml.so.1")
    return library if library.nvmlInit_v2() == 0 else None


class HeldBack:
    """Takes samples anew while the GPU is held back, so many at most, and counts. Where nobody can tell, `watched` is False and every sample stands."""

    def __init__(self, uuid: str | None, open_library: Callable[[], Any] = management_library) -> None:
        self.again = 0
        self.kept: dict[str, int] = {}  # samples that stand although the GPU was held back, by reason
        self.taken = 0
        self._library, self._device = None, ctypes.c_void_p()
        try:
            library = open_library() if uuid else None
            if library is not None and library.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}".encode(), ctypes.byref(self._device)) == 0:
                self._library = library
        except (OSError, AttributeError):
            pass

    @property
    def watched(self) -> bool:
        return self._library is not None

    def reason(self) -> str | None:
        if self._library is None:
            return None
        bits = ctypes.c_ulonglong()
        if self._library.nvmlDeviceGetCurrentClocksThrottleReasons(self._device, ctypes.byref(bits)) != 0:
            return None
        return next((word for bit, word in REASONS.items() if bits.value & bit), None)

    def sample(self, take: Callable[[], float]) -> float:
        """One sample; taken again once where the GPU was held back at its end."""
        self.taken += 1
        value = take()
        why = self.reason()
        if why is not None and self.again < MOST_AGAIN * self.taken:
            self.again += 1
            value = take()
            why = self.reason()
        if why is not None:
            self.kept[why] = self.kept.get(why, 0) + 1
        return value

    def told(self) -> dict[str, Any]:
        return {"watched": self.watched, "again": self.again, "kept": self.kept}


def of_this_gpu(device: str) -> HeldBack:
    return HeldBack(str(getattr(torch.cuda.get_device_properties(0), "uuid", "") or "") if device == "cuda" else None)

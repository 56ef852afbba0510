"""The module that the earlier package had the class in."""

from __future__ import annotations

from kernelagent.agent import TritonKernelAgent

__all__ = ["TritonKernelAgent"]

"""The name under which programs written for the earlier KernelAgent import it; see the package kernelagent."""

from __future__ import annotations

from kernelagent import KernelAgentError, TritonKernelAgent, __version__

__all__ = ["KernelAgentError", "TritonKernelAgent", "__version__"]

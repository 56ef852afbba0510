"""KernelAgent from Python: PyTorch programs become verified Triton kernels.

    from kernelagent import TritonKernelAgent

    with TritonKernelAgent(num_workers=4, max_rounds=8) as agent:
        result = agent.generate_kernel("problem.py")
    print(result["success"], result["kernel_path"])

    import kernelagent
    verdict = kernelagent.verify("problem.py", "kernel.py")
    answer = kernelagent.auto("problem.py")

The work is done by the program `kernelagent` in processes of its own; this package starts it, waits without holding the interpreter's lock, and ends it
when it is interrupted. docs/python.md has more.
"""

from __future__ import annotations

from kernelagent._native import Job, KernelAgentError, abi, program, version
from kernelagent.agent import TritonKernelAgent
from kernelagent.commands import Outcome, auto, generate, pipeline, run, verify

__version__ = "0.1.0"

__all__ = [
    "Job",
    "KernelAgentError",
    "Outcome",
    "TritonKernelAgent",
    "__version__",
    "abi",
    "auto",
    "generate",
    "pipeline",
    "program",
    "run",
    "verify",
    "version",
]

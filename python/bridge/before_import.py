"""What the candidate's process does before anything foreign runs in it: read the source, get ready to import it."""

from __future__ import annotations

import os
from typing import Any

import torch

from ka_bridge import interp, policy
from ka_bridge.conn import error_answer


# Of the GPU's memory, for what PyTorch allocates in this process: the reference needs room beside it. The policy keeps a
# kernel file from naming the function that lifts this, and the driver's own allocation calls.
GPU_SHARE = 0.75


def check(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    """Reads the source. Nothing foreign has run in this process yet, so its answer is as good as another's."""
    try:
        return policy.answer(request, fds)
    except Exception as exc:  # a defect of the policy must not look like an accepted file
        return error_answer("internal", exc)
    finally:
        for fd in fds:
            os.close(fd)


def prepare(request: dict[str, Any], _fds: list[int]) -> dict[str, Any]:
    """What importing would do first, done while the judge still waits for the reference."""
    try:
        if request["interpret"]:
            interp.install()
        elif torch.cuda.is_available():
            torch.cuda.set_per_process_memory_fraction(GPU_SHARE)
            torch.cuda.synchronize()
    except BaseException as exc:
        return error_answer("harness", exc)
    return {"ok": True}


COMMANDS = {"check": check, "prepare": prepare}

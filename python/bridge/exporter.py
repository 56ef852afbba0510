"""The child that executes the problem and also exports it. What torch.export imports takes a second: the warm interpreter
imports this module, and with it all that, before it forks the first such child."""

from __future__ import annotations

import torch._dynamo  # noqa: F401
import torch._export.non_strict_utils  # noqa: F401
import torch._functorch.aot_autograd  # noqa: F401
import torch.export  # noqa: F401

from ka_bridge import export, refactored, source_answer  # noqa: F401
from ka_bridge.conn import Conn
from ka_bridge.reference import main as serve


def main(conn: Conn) -> None:
    serve(conn)

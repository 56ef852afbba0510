"""Folders of runs."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path


def new_folder(root: str | os.PathLike[str] = ".fuse", kind: str = "run") -> Path:
    """The name of a folder that does not exist yet, below `root`; it is not made."""
    return Path(root).resolve() / f"{kind}_{time.strftime('%Y%m%d_%H%M%S')}_{secrets.token_hex(4)}"

"""The file in which the judge hands over tensors: mapping it and checking what is said about it."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

from ka_bridge.fence import span_bytes
from ka_bridge.tensors import DTYPES


def raw_bytes(arena: mmap.mmap, spec: dict[str, Any]) -> np.ndarray:
    """The bytes of a given tensor. ValueError when the spec does not fit into the arena."""
    size = span_bytes(spec["shape"], spec["strides"], DTYPES[spec["dtype"]].itemsize)
    if min(spec["shape"] + spec["strides"], default=0) < 0 or spec["offset"] < 0 or spec["nbytes"] < size \
            or spec["offset"] + size > len(arena):
        raise ValueError("a tensor lies outside the arena")
    return np.frombuffer(arena, dtype=np.uint8, count=size, offset=spec["offset"])


def same_layout(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    keys = ("dtype", "shape", "strides")
    return len(one) == len(other) and all(
        ("scalar" in a) == ("scalar" in b) and all(a.get(k) == b.get(k) for k in keys) for a, b in zip(one, other))


def map_arena(fd: int) -> mmap.mmap | bytes:
    try:
        size = os.fstat(fd).st_size
        return mmap.mmap(fd, size, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE) if size else b""
    finally:
        os.close(fd)

"""What the programs that ran at the given sizes tell about the outputs: are they written, and with which values?

Only what holds for every way in which the rest may run is concluded:
  - where all programs of all launches that were given an output's memory ran, each element was stored to or was not;
  - where some ran, the output cannot be covered if even the most that one of them stores, times the number of programs,
    is less than the output has elements (made as zeros by host code: than it has elements that are not zero). That is said only of
    launches whose programs do alike: none of them synchronises, was stopped or is steered by numbers that are not there,
    enough neighbours ran, and most store as much as the one that stores most;
  - a stored value is an answer if its program computed with nothing that is missing, and no later launch could change it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import torch

from ka_bridge.conn import write_all
from ka_bridge.fence import span_bytes
from ka_bridge.results import memory_range
from ka_bridge.sampled import IN_A_ROW, IN_A_ROW_IDLE, Launch, Sampler
from ka_bridge.tensors import ALIGNMENT, NAMES

MOST_VALUES = 1 << 19

_shape = torch.Tensor.shape.__get__
_stride = torch.Tensor.stride
_dtype = torch.Tensor.dtype.__get__
_data_ptr = torch.Tensor.data_ptr
_storage = torch.Tensor.untyped_storage


class Output:
    """One returned tensor and the launches that were given its memory."""

    def __init__(self, tensor: torch.Tensor, sampler: Sampler) -> None:
        self.tensor, self.sampler = tensor, sampler
        self.shape, self.strides, self.dtype = tuple(_shape(tensor)), _stride(tensor), _dtype(tensor)
        self.numel = int(np.prod(self.shape, dtype=object))
        self.block = _storage(tensor).data_ptr()
        self.writers = [launch for launch in sampler.launches if self.block in launch.received]
        self.itemsize = self.dtype.itemsize

    def positions(self, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of addresses of elements: row-major positions in the tensor, in order, and places in its memory."""
        places = (addresses.astype(np.int64) - _data_ptr(self.tensor)) // self.itemsize
        rest, flat, inside = places.copy(), np.zeros_like(places), places >= 0
        steps = np.cumprod([1, *self.shape[:0:-1]], dtype=np.int64)[::-1]
        for axis in sorted((a for a in range(len(self.shape)) if self.shape[a] > 1), key=lambda a: -self.strides[a]):
            index, rest = np.divmod(rest, max(self.strides[axis], 1))
            inside &= index < self.shape[axis]
            flat += index * steps[axis]
        inside &= rest == 0
        flat, at = np.unique(flat[inside], return_index=True)
        return flat, places[inside][at]

    @property
    def plain(self) -> bool:
        """Stored element by element, each in a place of its own."""
        apart = all(stride > 0 or size == 1 for size, stride in zip(self.shape, self.strides))
        return apart and all(launch.sizes.get(self.block, {self.itemsize}) == {self.itemsize} for launch in self.writers)

    @property
    def exact(self) -> bool:
        return all(launch.complete for launch in self.writers) and self.block not in self.sampler.partial

    def written(self) -> tuple[int, str] | None:
        """How many elements are stored to, and by which launches: this many, or at most; None when that is not known."""
        if not self.writers or not self.plain or any(self.block in launch.atomic for launch in self.writers):
            return None
        bounds = [self._bound(launch) for launch in self.writers]
        if None in bounds:
            return None
        count, how = sum(bounds), "at most "
        if all(launch.complete for launch in self.writers):
            count, how = self.positions(np.unique(np.concatenate([launch.stored(self.block) for launch in self.writers])))[0].size, ""
        grids = ", ".join(f"{launch.kernel}{list(launch.grid)}" for launch in self.writers)
        return count, f"{how}{count} of {self.numel} elements are written by {grids}"

    def _bound(self, launch: Launch) -> int | None:
        """No more elements of this output than that are stored to by a launch."""
        if launch.odd_taint:
            return None
        if launch.complete:
            return self.positions(launch.stored(self.block))[0].size
        counts = [self.positions(places)[0].size for places in launch.stores.get(self.block, [])]
        counts += [0] * (launch.ran - len(counts))
        most = max(counts, default=0)
        enough = launch.in_a_row >= (IN_A_ROW if most else IN_A_ROW_IDLE)
        if launch.waits or launch.stopped or not enough or 2 * counts.count(most) <= launch.ran:
            return None
        return launch.programs * most

    def answers(self) -> np.ndarray:
        """Addresses of elements that hold what the whole call would leave there."""
        if not self.writers or not self.plain or self.numel == 0:
            return np.empty(0, dtype=np.uint64)
        if self.exact and self.block not in self.sampler.memory.unfilled:
            first, end = memory_range(self.tensor)
            if self.numel * self.itemsize == end - first and self.numel <= MOST_VALUES:
                return np.arange(first, end, self.itemsize, dtype=np.uint64)
            parts = [launch.stored(self.block) for launch in self.writers]
            return np.unique(np.concatenate(parts))
        last = self.writers[-1]
        if last.waits or self.block in last.atomic:
            return np.empty(0, dtype=np.uint64)
        rows = last.clean.get(self.block, [])
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, dtype=np.uint64)

    def values(self, places: np.ndarray) -> np.ndarray:
        span = span_bytes(self.shape, self.strides, self.itemsize)
        memory = (ctypes.c_char * span).from_address(_data_ptr(self.tensor))
        return np.frombuffer(memory, dtype=np.uint8).reshape(-1, self.itemsize)[places]


def report(tensors: list[torch.Tensor], sampler: Sampler, fd: int) -> dict[str, Any]:
    """What is known of the outputs; positions and values go to the file `fd`."""
    found: dict[str, Any] = {"unwritten": [], "untouched": [], "mostly_zeros": [], "values": [], "shapes": []}
    end = 0
    rng = np.random.default_rng(0)
    with torch._C.DisableTorchFunction():
        for number, tensor in enumerate(tensors):
            output = Output(tensor, sampler)
            found["shapes"].append({"dtype": NAMES.get(output.dtype, str(output.dtype)), "shape": list(output.shape)})
            if not output.writers and output.numel:
                found["untouched"].append(f"output {number}: no launch is given its memory")
            count, text = output.written() or (output.numel, "")
            if count < output.numel and output.block not in sampler.memory.filled_blocks:
                found["unwritten"].append(f"output {number}: {text}")
            elif count < output.numel and output.block in sampler.memory.zeros:
                found["mostly_zeros"].append({"output": number, "written": int(count), "text": text})
            flat, places = output.positions(output.answers())
            if flat.size > MOST_VALUES:
                chosen = np.sort(rng.choice(flat.size, MOST_VALUES, replace=False))
                flat, places = flat[chosen], places[chosen]
            if output.dtype not in NAMES or not flat.size:
                continue
            values = np.ascontiguousarray(output.values(places))
            entry = {"output": number, "dtype": NAMES[output.dtype], "count": int(flat.size), "positions": end}
            write_all(fd, flat.astype(np.int64), end)
            entry["offset"] = -(-(end + 8 * flat.size) // ALIGNMENT) * ALIGNMENT
            write_all(fd, values.reshape(-1), entry["offset"])
            end = -(-(entry["offset"] + values.size) // ALIGNMENT) * ALIGNMENT
            found["values"].append(entry)
    found["programs"] = sum(launch.ran for launch in sampler.launches)
    found["of"] = sum(launch.programs for launch in sampler.launches)
    return found

"""The child that measures what this GPU reaches at best: bytes, operations and launches per second.

One request, one answer. Each ceiling is tried in one or more ways; of each way every sample is answered, in seconds, with the work that
one sample did. Which way counts is decided by who asked. Numbers are random, never zeros: zeros use less power, and the clock rises.

`device` is "cuda". "cpu" is for tests: tiny sizes, Triton's interpreter, the CPU's clock; its numbers mean nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Callable

import torch
import triton

from ka_bridge import device_functions, interp, module_loader
from ka_bridge.conn import Conn, error_answer, one_line

KERNELS = '''
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source, target, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at))


@triton.jit
def read_kernel(source, sums, blocks, reads, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for number in range(first, reads, tl.num_programs(0)):
        at = (number % blocks).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(source + at, cache_modifier=".cg")  # past the L1 cache
    tl.store(sums + first, tl.sum(total))


@triton.jit
def chunk_kernel(source, sums, BLOCK: tl.constexpr, TURNS: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * BLOCK * TURNS
    total = tl.zeros((BLOCK,), tl.float32)
    for turn in range(TURNS):
        total += tl.load(source + first + turn * BLOCK + tl.arange(0, BLOCK))
    tl.store(sums + tl.program_id(0), tl.sum(total))


@triton.jit
def touch_kernel(target):
    tl.store(target, tl.load(target) + 1.0)
'''


CHUNK_BLOCK, CHUNK_TURNS = 2048, 16


@dataclass
class Sizes:
    buffer_bytes: int  # of the larger buffers: far beyond the L2 cache
    cached_bytes: int  # stays in the L2 cache
    cached_passes: int  # over it, in one sample
    block: int
    programs: int  # that read
    matrix: int
    launches: int  # in one sample
    least: int  # samples
    most: int
    seconds: float  # for the samples of one way


def sizes_for(device: str) -> Sizes:
    if device == "cpu":
        return Sizes(1 << 14, 1 << 12, 2, 256, 4, 32, 4, 3, 3, 1.0)
    about = torch.cuda.get_device_properties(0)
    cached = 1 << ((getattr(about, "L2_cache_size", 0) or (32 << 20)) // 3).bit_length() - 1
    room = int(torch.cuda.mem_get_info()[0] * 0.2)
    buffer = 1 << min(2 << 30, max(room, cached)).bit_length() - 1
    return Sizes(buffer, cached, 256, 4096, 8 * about.multi_processor_count, 8192, 500, 10, 200, 0.5)


class Clock:
    """Seconds of each of so many calls that follow each other: by the GPU's own events, or by the CPU's clock."""

    def __init__(self, device: str) -> None:
        self.cuda = device == "cuda"

    def wait(self) -> None:
        if self.cuda:
            torch.cuda.synchronize()

    def samples(self, call: Callable[[], Any], count: int) -> list[float]:
        if not self.cuda:
            marks = [time.perf_counter()]
            for _ in range(count):
                call()
                marks.append(time.perf_counter())
            return [max(after - before, 1e-9) for before, after in zip(marks, marks[1:])]
        events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        events[0].record()
        for event in events[1:]:
            call()
            event.record()
        torch.cuda.synchronize()
        return [before.elapsed_time(after) * 1e-3 for before, after in zip(events, events[1:])]


@dataclass
class Way:
    ceiling: str
    how: str
    work: float  # bytes, operations or launches of one sample
    call: Callable[[], Any]
    sampler: Callable[[], list[float]] | None = None  # where a sample is not the time of a call


class Ceilings:
    def __init__(self, device: str) -> None:
        self.device = device
        self.sizes = sizes_for(device)
        self.clock = Clock(device)
        if device == "cpu":
            triton.knobs.runtime.interpret = True
            os.environ["TRITON_INTERPRET"] = "1"
            interp.install()
            device_functions.install()
        path = os.path.join(module_loader.scratch_folder(), "ceilings_kernels.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNELS)
        self.kernels = module_loader.import_source(path)

    def random(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(*shape, device=self.device, dtype=dtype)

    def ways(self) -> Iterator[Way]:
        """One after the other, so that the memory of one is free again when the next begins."""
        yield from self.memory()
        yield from self.products()
        yield from self.launches()

    def reading(self, source: torch.Tensor, passes: int) -> Callable[[], Any]:
        sizes, blocks = self.sizes, source.numel() // self.sizes.block
        sums = torch.empty(sizes.programs, device=self.device)
        return lambda: self.kernels.read_kernel[(sizes.programs,)](source, sums, blocks, blocks * passes, BLOCK=sizes.block, num_warps=8)

    def chunks(self, source: torch.Tensor) -> Callable[[], Any]:
        """Every program a piece of its own: the fastest on an H200 (bench/row_tiles.py)."""
        block = min(CHUNK_BLOCK, self.sizes.block)
        turns = CHUNK_TURNS if source.numel() % (block * CHUNK_TURNS) == 0 else 1
        programs = source.numel() // (block * turns)
        sums = torch.empty(programs, device=self.device)
        return lambda: self.kernels.chunk_kernel[(programs,)](source, sums, BLOCK=block, TURNS=turns, num_warps=4)

    def memory(self) -> Iterator[Way]:
        sizes = self.sizes
        source = self.random(sizes.buffer_bytes // 4)
        target = torch.empty_like(source)
        blocks = source.numel() // sizes.block
        yield Way("copy_bytes", "torch copy_", 2 * source.nbytes, lambda: target.copy_(source))
        yield Way("copy_bytes", "copy kernel", 2 * source.nbytes,
                  lambda: self.kernels.copy_kernel[(blocks,)](source, target, BLOCK=sizes.block, num_warps=8))
        yield Way("read_bytes", "torch sum", source.nbytes, lambda: torch.sum(source))
        yield Way("read_bytes", "read kernel", source.nbytes, self.reading(source, 1))
        yield Way("read_bytes", "read kernel, by chunks", source.nbytes, self.chunks(source))
        cached = source[: sizes.cached_bytes // 4].clone()
        yield Way("l2_bytes", "read kernel", cached.nbytes * sizes.cached_passes, self.reading(cached, sizes.cached_passes))

    def products(self) -> Iterator[Way]:
        n = self.sizes.matrix
        kinds = (("float32_flops", torch.float32, False), ("tf32_flops", torch.float32, True),
                 ("float16_flops", torch.float16, False), ("bfloat16_flops", torch.bfloat16, False))
        for ceiling, dtype, allow_tf32 in kinds:
            torch.backends.cuda.matmul.allow_tf32 = allow_tf32
            a, b = self.random(n, n, dtype=dtype), self.random(n, n, dtype=dtype)
            out = torch.empty(n, n, device=self.device, dtype=dtype)
            yield Way(ceiling, "torch matmul", 2.0 * n**3, lambda: torch.matmul(a, b, out=out))
        torch.backends.cuda.matmul.allow_tf32 = False

    def launches(self) -> Iterator[Way]:
        target, count = self.random(1), self.sizes.launches

        def chain() -> None:
            for _ in range(count):
                self.kernels.touch_kernel[(1,)](target, num_warps=1)

        def queued() -> list[float]:
            if self.clock.cuda:
                torch.cuda._sleep(60_000_000)  # some 30 ms, in which the chain is queued
            return self.clock.samples(chain, 1)

        def launched() -> list[float]:
            begin = time.perf_counter()
            chain()
            seconds = time.perf_counter() - begin
            self.clock.wait()
            return [max(seconds, 1e-9)]

        yield Way("launch_seconds", "chain of kernels, queued", count, chain, queued)
        yield Way("python_launch_seconds", "chain of kernels, by Python's clock", count, chain, launched)

    def measure(self, way: Way) -> list[float]:
        sizes = self.sizes
        for _ in range(2):  # compiles, chooses, wakes the clock
            way.call()
        self.clock.wait()
        out: list[float] = []
        begin = time.perf_counter()
        while len(out) < sizes.least or (len(out) < sizes.most and time.perf_counter() - begin < sizes.seconds):
            out += way.sampler() if way.sampler else self.clock.samples(way.call, min(5, sizes.most))
        return out

    def run(self) -> dict[str, Any]:
        begin, rows = time.perf_counter(), []
        for way in self.ways():
            rows.append({"ceiling": way.ceiling, "how": way.how, "work": way.work, "seconds": self.measure(way)})
        name = torch.cuda.get_device_name(0) if self.clock.cuda else "cpu"
        return {"ok": True, "device": name, "rows": rows, "took_seconds": time.perf_counter() - begin}


def answer_to(request: dict[str, Any]) -> dict[str, Any]:
    device = request["device"]
    if device == "cuda" and not torch.cuda.is_available():
        return error_answer("needs_cuda", None, message="PyTorch sees no CUDA device")
    try:
        with torch.no_grad():
            return Ceilings(device).run()
    except BaseException as exc:
        return error_answer("failed", exc, message=one_line(f"{type(exc).__name__}: {exc}", 400))


def main(conn: Conn) -> None:
    packet = conn.recv()
    if packet is not None:
        conn.send(answer_to(packet[0]))
        conn.recv()

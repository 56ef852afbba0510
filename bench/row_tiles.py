"""Tiles of row kernels and of sliding windows on a GPU: what the built-in generator's defaults (src/synth/codegen/row.cc, window.cc) rest on.

    python bench/row_tiles.py > bench/results/h200_row_tiles.tsv

Needs torch, triton and a GPU. Medians of 12 calls between two events, L2 flushed before each; TB/s count each input read once and each result written once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
import triton
import triton.language as tl

NAN = tl.constexpr(tl.PropagateNan.ALL)


@triton.jit
def read_all(x_ptr, out_ptr, BLOCK: tl.constexpr, TURNS: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK * TURNS
    total = tl.zeros([BLOCK], tl.float32)
    for turn in range(TURNS):
        total += tl.load(x_ptr + start + turn * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.program_id(0), tl.sum(total))


@triton.jit
def copy_all(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def matrix_vector(a_ptr, b_ptr, out_ptr, M, K, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    total = tl.zeros([ROWS, BLOCK], tl.float32)
    for start in range(0, K, BLOCK):
        k = (start + tl.arange(0, BLOCK))[None, :]
        total += tl.load(a_ptr + row * K + k, mask=(k < K) & (row < M), other=0.0) * tl.load(b_ptr + k, mask=k < K, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=1)[:, None], mask=row < M)


@triton.jit
def channel_norm(x_ptr, out_ptr, P, C, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    pixel = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[None, :]
    base = tl.program_id(1).to(tl.int64) * C * P
    c = tl.arange(0, BLOCK)[:, None]
    mask = (c < C) & (pixel < P)
    x = tl.load(x_ptr + base + c * P + pixel, mask=mask, other=0.0)
    tl.store(out_ptr + base + c * P + pixel, x / tl.sqrt_rn(tl.sum(x * x, axis=0)[None, :] / C + 1e-5), mask=mask)


@triton.jit
def line_of(x_ptr, base, y, column, H, W, ok, SIZE: tl.constexpr, PAD: tl.constexpr):
    best = tl.load(x_ptr + base + y * W + column - PAD, mask=ok & (y >= 0) & (y < H) & (column >= PAD) & (column < W + PAD), other=float("-inf"))
    for v in tl.static_range(1, SIZE):
        k = column - PAD + v
        best = tl.maximum(best, tl.load(x_ptr + base + y * W + k, mask=ok & (y >= 0) & (y < H) & (k >= 0) & (k < W), other=float("-inf")), propagate_nan=NAN)
    return best


@triton.jit
def pool_lines(x_ptr, out_ptr, H, W, OH, OW, LINES: tl.constexpr, COLUMNS: tl.constexpr, PAD: tl.constexpr):
    plane = tl.program_id(2).to(tl.int64)
    column, first, base = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS), tl.program_id(1) * LINES, plane * H * W
    ok = column < OW
    a = line_of(x_ptr, base, first - PAD, column, H, W, ok, 4, PAD)
    b = line_of(x_ptr, base, first - PAD + 1, column, H, W, ok, 4, PAD)
    c = line_of(x_ptr, base, first - PAD + 2, column, H, W, ok, 4, PAD)
    for u in tl.static_range(LINES):
        d = line_of(x_ptr, base, first + u - PAD + 3, column, H, W, ok, 4, PAD)
        window = tl.maximum(tl.maximum(a, b, propagate_nan=NAN), tl.maximum(c, d, propagate_nan=NAN), propagate_nan=NAN)
        tl.store(out_ptr + plane * OH * OW + (first + u) * OW + column, window, mask=ok & (first + u < OH))
        a = b
        b = c
        c = d


@triton.jit
def pool_apart(x_ptr, out_ptr, H, W, OH, OW, LINES: tl.constexpr, COLUMNS: tl.constexpr, PAD: tl.constexpr):
    plane = tl.program_id(2).to(tl.int64)
    column, row = (tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS))[None, :], (tl.program_id(1) * LINES + tl.arange(0, LINES))[:, None]
    best = tl.full((LINES, COLUMNS), float("-inf"), tl.float32)
    for u in tl.static_range(4):
        for v in tl.static_range(4):
            y, k = row - PAD + u, column - PAD + v
            best = tl.maximum(best, tl.load(x_ptr + plane * H * W + y * W + k, mask=(y >= 0) & (y < H) & (k >= 0) & (k < W), other=float("-inf")), propagate_nan=NAN)
    tl.store(out_ptr + plane * OH * OW + row * OW + column, best, mask=(row < OH) & (column < OW))


FLUSH = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")


def median_ms(call: Callable[[], object], count: int = 12) -> float:
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    samples = []
    for _ in range(count):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        FLUSH.zero_()
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(end))
    return sorted(samples)[count // 2]


def row(what: str, size: int, call: Callable[[], object], out: torch.Tensor | None = None, wanted: torch.Tensor | None = None) -> None:
    call()
    right = "" if wanted is None else "yes" if torch.allclose(out, wanted, rtol=1e-4, atol=1e-3) else "NO"
    ms = median_ms(call)
    print(f"{what}\t{ms:.4f}\t{size / ms / 1e9:.3f}\t{right}", flush=True)


def memory() -> None:
    x = torch.rand(1 << 30, device="cuda")
    out = torch.empty_like(x)
    for block, warps in ((1024, 4), (2048, 4), (4096, 8), (8192, 8)):
        row(f"copy, {block} elements, {warps} warps", 2 * x.nbytes, lambda: copy_all[(x.numel() // block,)](x, out, block, num_warps=warps))
    row("copy by PyTorch", 2 * x.nbytes, lambda: out.copy_(x))
    for block, turns, warps in ((2048, 16, 4), (4096, 16, 8), (2048, 64, 4), (4096, 64, 4)):
        row(f"read, {block} elements, {turns} turns, {warps} warps", x.nbytes, lambda: read_all[(x.numel() // block // turns,)](x, out, block, turns, num_warps=warps))
    row("sum by PyTorch", x.nbytes, lambda: x.sum())


def matrix_vector_tiles() -> None:
    a, b = torch.rand(2048, 524288, device="cuda"), torch.rand(524288, 1, device="cuda")
    out = torch.empty(2048, 1, device="cuda")
    row("matrix times vector by PyTorch", a.nbytes, lambda: a @ b)
    for rows, block, warps, stages in ((1, 2048, 4, 2), (1, 4096, 4, 2), (1, 4096, 8, 2), (1, 8192, 8, 2), (2, 1024, 4, 2), (2, 2048, 4, 2), (2, 2048, 8, 3), (4, 1024, 8, 2), (4, 512, 4, 2), (1, 1024, 1, 2), (1, 2048, 8, 2)):
        row(f"matrix times vector, {rows} x {block}, {warps} warps, {stages} stages", a.nbytes,
            lambda: matrix_vector[(triton.cdiv(2048, rows),)](a, b, out, *a.shape, rows, block, num_warps=warps, num_stages=stages))


def channel_norm_tiles() -> None:
    x = torch.rand(56, 64, 512, 512, device="cuda")
    out, wanted = torch.empty_like(x), x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-5)
    for rows, warps in itertools.product((32, 64, 128, 256), (4, 8)):
        row(f"norm over 64 channels, {rows} pixels, {warps} warps", 2 * x.nbytes,
            lambda: channel_norm[(triton.cdiv(512 * 512, rows), 56)](x, out, 512 * 512, 64, rows, 64, num_warps=warps), out, wanted)


def pool_tiles() -> None:
    x = torch.rand(32, 64, 512, 512, device="cuda")
    wanted = torch.nn.functional.max_pool2d(x, 4, 1, 1)
    out = torch.empty_like(wanted)
    row("max pooling by PyTorch", 2 * x.nbytes, lambda: torch.nn.functional.max_pool2d(x, 4, 1, 1))
    for kernel, word, tiles in ((pool_lines, "lines shared", ((4, 512, 4), (8, 512, 4), (16, 512, 4), (8, 256, 4), (8, 128, 1), (8, 128, 4), (16, 128, 2), (32, 512, 4), (8, 512, 8), (16, 256, 2), (32, 256, 2))),
                                (pool_apart, "windows apart", ((1, 512, 4), (4, 128, 4), (8, 64, 4), (4, 256, 8), (2, 128, 2)))):
        for lines, columns, warps in tiles:
            row(f"max pooling, {word}, {lines} x {columns}, {warps} warps", 2 * x.nbytes,
                lambda: kernel[(triton.cdiv(511, columns), triton.cdiv(511, lines), 32 * 64)](x, out, 512, 512, 511, 511, lines, columns, 1, num_warps=warps), out, wanted)


def main() -> None:
    print(f"# {torch.cuda.get_device_name(0)}, torch {torch.__version__}, triton {triton.__version__}\nwhat\tmedian_ms\ttb_per_s\tright")
    for part in (memory, matrix_vector_tiles, channel_norm_tiles, pool_tiles):
        part()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()

# problem: transpose_copy
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: a tile is stored and loaded transposed without a barrier: other threads load it
import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, tile_ptr, y_ptr, M, N, B: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    tile = tile_ptr + (pm * tl.num_programs(1) + pn) * B * B
    i = tl.arange(0, B)[:, None]
    j = tl.arange(0, B)[None, :]
    m = pm * B + i
    n = pn * B + j
    tl.store(tile + i * B + j, tl.load(x_ptr + m * N + n, mask=(m < M) & (n < N), other=0.0))
    turned = tl.load(tile + j * B + i)
    m = pm * B + j
    n = pn * B + i
    tl.store(y_ptr + n * M + m, turned, mask=(m < M) & (n < N))


def kernel_function(x):
    m, n = x.shape
    y = torch.empty((n, m), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    tiles = torch.empty((grid[0] * grid[1], 32, 32), dtype=x.dtype, device=x.device)
    transpose_kernel[grid](x, tiles, y, m, n, B=32)
    return y

# The program: gelu(linear(x)), x of shape (rows, depth), weights weight (columns, depth) and bias (columns).
import torch
import triton
import triton.language as tl


@triton.jit
def linear_gelu_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # Programs that share rows of x run one after another, so that these stay in the L2 cache.
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * tiles_n
    first = program // in_group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + program % in_group % height
    tile_n = program % in_group // height

    m = (tile_m * BM + tl.arange(0, BM)).to(tl.int64)
    n = (tile_n * BN + tl.arange(0, BN)).to(tl.int64)
    k = tl.arange(0, BK)
    x_at = x_ptr + m[:, None] * K + k[None, :]
    w_at = w_ptr + n[None, :] * K + k[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k_ok = k < K - start
        x = tl.load(x_at, mask=(m[:, None] < M) & k_ok[None, :], other=0.0)
        w = tl.load(w_at, mask=(n[None, :] < N) & k_ok[:, None], other=0.0)
        total = tl.dot(x, w, total, input_precision=PRECISION)
        x_at += BK
        w_at += BK

    total += tl.load(b_ptr + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    y = 0.5 * total * (1.0 + tl.erf(total * 0.7071067811865476))
    tl.store(y_ptr + m[:, None] * N + n[None, :], y.to(y_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def kernel_function(x, linear_weight, linear_bias):
    x, linear_weight = x.contiguous(), linear_weight.contiguous()
    M, K = x.shape
    N = linear_weight.shape[0]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    BM, BN, BK, GROUP = 64, 64, 32, 8
    precision = "ieee"  # float32 operands are not to be cut to TF32 here; float16 and bfloat16 are exact either way
    grid = (triton.cdiv(M, BM) * triton.cdiv(N, BN),)
    linear_gelu_kernel[grid](x, linear_weight, linear_bias, y, M, N, K, precision, BM=BM, BN=BN, BK=BK, GROUP=GROUP, num_warps=4, num_stages=3)
    return y

# problem: tied_linear
# expect: accepted
# why: the shared weight is asked for under one of its two names only
import torch
import triton
import triton.language as tl


@triton.jit
def project(x_ptr, w_ptr, y_ptr, M, F, ACT: tl.constexpr, BM: tl.constexpr, BF: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rf = tl.arange(0, BF)
    x = tl.load(x_ptr + rm[:, None] * F + rf[None, :], mask=(rm[:, None] < M) & (rf[None, :] < F), other=0.0)
    w = tl.load(w_ptr + rf[None, :] * F + rf[:, None], mask=(rf[None, :] < F) & (rf[:, None] < F), other=0.0)
    y = tl.dot(x, w, input_precision="ieee")
    if ACT:
        # (1 - e) / (1 + e) loses digits near zero, where the series is exact to the last bit
        s = y * y
        series = y * (1.0 - s * (1.0 / 3.0 - s * (2.0 / 15.0 - s * (17.0 / 315.0 - s * (62.0 / 2835.0)))))
        e = tl.exp(-2.0 * tl.abs(y))
        ratio = (1.0 - e) / (1.0 + e)
        y = tl.where(tl.abs(y) < 0.25, series, tl.where(y < 0, -ratio, ratio))
    tl.store(y_ptr + rm[:, None] * F + rf[None, :], y, mask=(rm[:, None] < M) & (rf[None, :] < F))


def kernel_function(x, first_weight):
    M, F = x.shape
    hidden = torch.empty_like(x)
    y = torch.empty_like(x)
    grid = (triton.cdiv(M, 16),)
    block = triton.next_power_of_2(F)
    project[grid](x, first_weight, hidden, M, F, ACT=True, BM=16, BF=block)
    project[grid](hidden, first_weight, y, M, F, ACT=False, BM=16, BF=block)
    return y

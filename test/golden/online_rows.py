"""Triton kernels for online_rows.py.

1. softmax_nan_to_num_logsumexp_var_kernel: softmax, nan_to_num, logsumexp, var over (batch, channels, places)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def softmax_nan_to_num_logsumexp_var_kernel(hidden_ptr, x_ptr, out_ptr, out1_ptr, out2_ptr, batch, places, channels, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, places, channels = tl.cast(batch, tl.int64), tl.cast(places, tl.int64), tl.cast(channels, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch*places
    lane = tl.arange(0, BLOCK)[None, :]
    if WIDE:
        lane = lane.to(tl.int64)
    largest_seen = tl.full((ROWS, BLOCK), float("-inf"), tl.float32)
    total = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    largest_seen_1 = tl.full((ROWS, BLOCK), float("-inf"), tl.float32)
    total_1 = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    total_2 = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    total_3 = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    mean_so_far = tl.full((ROWS, BLOCK), 0.0, tl.float32)
    row_rest = row % places
    row_quotient = row // places
    x_from = x_ptr + (row_rest + row_quotient*channels*places)
    for start in range(0, channels, BLOCK):
        col = start + lane
        col_ok = col < channels
        hidden = tl.load(hidden_ptr + row, mask=row_ok, other=0.0)
        gt = hidden > 1.0
        x = tl.load(x_from + col*places, mask=col_ok & row_ok, other=0.0)
        where = tl.where(gt, float("-inf"), x)
        mul = where * 0.5
        x_1 = tl.where(col_ok, mul, float("-inf"))
        part = tl.where(x_1 == largest_seen, 1.0, tl.exp(-tl.abs(x_1 - largest_seen)))
        total = tl.where(x_1 > largest_seen, total * part + 1.0, total + part)
        x_2 = tl.where(col_ok, where, float("-inf"))
        part_1 = tl.where(x_2 == largest_seen_1, 1.0, tl.exp(-tl.abs(x_2 - largest_seen_1)))
        total_1 = tl.where(x_2 > largest_seen_1, total_1 * part_1 + 1.0, total_1 + part_1)
        add = x + 100.0
        x_3 = tl.where(col_ok, add, 0.0)
        off = tl.where(col_ok, x_3 - mean_so_far, 0.0)
        mean_so_far = mean_so_far + off * (1.0 / tl.cast(start // BLOCK + 1, tl.float32))
        total_3 = total_3 + off * (x_3 - mean_so_far)
        largest_seen = tl.maximum(largest_seen, x_1, propagate_nan=tl.PropagateNan.ALL)
        largest_seen_1 = tl.maximum(largest_seen_1, x_2, propagate_nan=tl.PropagateNan.ALL)
        total_2 = total_2 + x_3
    max_1 = tl.reduce(largest_seen, 1, largest)[:, None]
    sum_1 = tl.sum(total * tl.exp(largest_seen - max_1), axis=1)[:, None]
    max_2 = tl.reduce(largest_seen_1, 1, largest)[:, None]
    abs_1 = tl.abs(max_2)
    eq = abs_1 == float("inf")
    where_1 = tl.where(eq, 0.0, max_2)
    sum_2 = tl.sum(total_1 * tl.exp(largest_seen_1 - where_1), axis=1)[:, None]
    sum_3 = tl.sum(total_2, axis=1)[:, None]
    at = tl.cast(channels, tl.int64)
    as_float32 = at.to(tl.float32)
    div = sum_3 / as_float32
    seen = tl.cast((channels - lane + (BLOCK - 1)) // BLOCK, tl.float32)
    off_1 = tl.where(lane < channels, mean_so_far - div, 0.0)
    sum_4 = tl.sum(total_3 + seen * off_1 * off_1, axis=1)[:, None]
    log = tl.log(sum_2)
    add_1 = log + where_1
    tl.store(out_ptr + row, add_1, mask=row_ok)
    at_1 = tl.cast(channels - 1, tl.int64)
    maximum = tl.maximum(at_1, 0)
    as_float32_1 = maximum.to(tl.float32)
    div_1 = sum_4 / as_float32_1
    tl.store(out1_ptr + row, div_1, mask=row_ok)
    for start in range(0, channels, BLOCK):
        col = start + lane
        col_ok = col < channels
        hidden_1 = tl.load(hidden_ptr + row, mask=row_ok, other=0.0)
        gt_1 = hidden_1 > 1.0
        x_4 = tl.load(x_from + col*places, mask=col_ok & row_ok, other=0.0)
        where_2 = tl.where(gt_1, float("-inf"), x_4)
        mul_1 = where_2 * 0.5
        sub = mul_1 - max_1
        exp = tl.exp(sub)
        div_2 = exp / sum_1
        ne = div_2 != div_2
        eq_1 = div_2 == float("inf")
        eq_2 = div_2 == float("-inf")
        where_3 = tl.where(eq_2, (-3.4028234663852886e+38), div_2)
        where_4 = tl.where(eq_1, 3.4028234663852886e+38, where_3)
        where_5 = tl.where(ne, 2.0, where_4)
        tl.store(out2_ptr + (row_rest + row_quotient*channels*places + col*places), where_5, mask=col_ok & row_ok)


def kernel_function(x, hidden):
    batch = x.shape[0]
    channels = x.shape[1]
    places = x.shape[2]
    if hidden.shape != (batch, places):
        raise ValueError(f"hidden is {tuple(hidden.shape)}, where {(batch, places)} was expected")
    x = x.contiguous()
    hidden = hidden.contiguous()
    nan_to_num = torch.empty((batch, channels, places), dtype=torch.float32, device=x.device)
    logsumexp = torch.empty((batch, places), dtype=torch.float32, device=x.device)
    var = torch.empty((batch, places), dtype=torch.float32, device=x.device)
    softmax_nan_to_num_logsumexp_var_kernel[(triton.cdiv(batch*places, 64),)](
        hidden, x, logsumexp, var, nan_to_num, batch, places, channels, ROWS=64, BLOCK=32, WIDE=batch*channels*places >= 2**31, num_warps=4, num_stages=2,
    )
    return (nan_to_num, logsumexp, var,)

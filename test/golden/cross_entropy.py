"""Triton kernels for cross_entropy.py.

1. cross_entropy_loss_kernel: cross_entropy_loss over (batch_size, classes)
2. cross_entropy_loss_kernel_1: cross_entropy_loss over (batch_size,)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def cross_entropy_loss_kernel(logits_ptr, out_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < classes
    logits = tl.load(logits_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    x = tl.where(col_ok, logits, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    sub = logits - max_1
    exp = tl.exp(sub)
    x_1 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    log = tl.log(total)
    sub_1 = sub - log
    tl.store(out_ptr + (classes*row + col), sub_1, mask=col_ok & row_ok)


@triton.jit
def cross_entropy_loss_kernel_1(target_ptr, x_ptr, out_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size
    target = tl.load(target_ptr + col, mask=col_ok, other=0)
    ne = target != (-100)
    where = tl.where(ne, target, 0)
    x = tl.load(x_ptr + (classes*col + where), mask=col_ok, other=0.0)
    neg = -x
    as_float32 = ne.to(tl.float32)
    mul = neg * as_float32
    where_1 = tl.where(ne, mul, 0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(where_1, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    x_2 = tl.where(col_ok, tl.broadcast_to(as_float32, (ROWS, BLOCK)), 0.0)
    total_1 = tl.sum(x_2, axis=1)[:, None]
    div = total / total_1
    tl.store(out_ptr + row, div, mask=row_ok)


def kernel_function(logits, target):
    batch_size = logits.shape[0]
    classes = logits.shape[1]
    if target.shape != (batch_size,):
        raise ValueError(f"target is {tuple(target.shape)}, where {(batch_size,)} was expected")
    logits = logits.contiguous()
    target = target.contiguous()
    cross_entropy_loss = torch.empty((batch_size, classes), dtype=torch.float32, device=logits.device)
    cross_entropy_loss_kernel[(triton.cdiv(batch_size, 32),)](
        logits, cross_entropy_loss, batch_size, classes, ROWS=32, BLOCK=triton.next_power_of_2(classes), WIDE=batch_size*classes >= 2**31, num_warps=4, num_stages=2,
    )
    cross_entropy_loss_1 = torch.empty((), dtype=torch.float32, device=logits.device)
    cross_entropy_loss_kernel_1[(triton.cdiv(1, 1),)](
        target, cross_entropy_loss, cross_entropy_loss_1, batch_size, classes, ROWS=1, BLOCK=triton.next_power_of_2(batch_size), WIDE=batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    return cross_entropy_loss_1

"""Triton kernels for losses.py.

1. softmax_kl_div_kernel: softmax, kl_div over (batch_size, classes)
2. cross_entropy_loss_log_softmax_kl_div_etc_kernel: cross_entropy_loss, log_softmax, kl_div, logsumexp, square over (batch_size, classes)
3. cross_entropy_loss_kernel: cross_entropy_loss over (batch_size, classes)
4. cross_entropy_loss_kernel_1: cross_entropy_loss over (batch_size,)
5. kl_div_div_mul_add_kernel: kl_div, div, mul, add over (batch_size, classes)
6. mean_mul_add_kernel: mean, mul, add over (batch_size,)
7. cross_entropy_loss_add_kernel: cross_entropy_loss, add over (batch_size,)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def softmax_kl_div_kernel(teacher_ptr, out_ptr, out1_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < classes
    teacher = tl.load(teacher_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    div = teacher / 2.0
    x = tl.where(col_ok, div, float("-inf"))
    max_1 = tl.reduce(x, 1, largest)[:, None]
    sub = div - max_1
    exp = tl.exp(sub)
    x_1 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    div_1 = exp / total
    tl.store(out_ptr + (classes*row + col), div_1, mask=col_ok & row_ok)
    ne = div_1 != div_1
    eq = div_1 == 0.0
    log = tl.log(div_1)
    mul = div_1 * log
    where = tl.where(eq, 0.0, mul)
    where_1 = tl.where(ne, div_1, where)
    tl.store(out1_ptr + (classes*row + col), where_1, mask=col_ok & row_ok)


@triton.jit
def cross_entropy_loss_log_softmax_kl_div_etc_kernel(logits_ptr, out_ptr, out1_ptr, x_ptr, x1_ptr, out2_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
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
    div = logits / 2.0
    x_1 = tl.where(col_ok, div, float("-inf"))
    max_2 = tl.reduce(x_1, 1, largest)[:, None]
    sub = logits - max_1
    exp = tl.exp(sub)
    x_2 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_2, axis=1)[:, None]
    sub_1 = div - max_2
    exp_1 = tl.exp(sub_1)
    x_3 = tl.where(col_ok, exp_1, 0.0)
    total_1 = tl.sum(x_3, axis=1)[:, None]
    abs_1 = tl.abs(max_1)
    eq = abs_1 == float("inf")
    where = tl.where(eq, 0.0, max_1)
    sub_2 = logits - where
    exp_2 = tl.exp(sub_2)
    x_4 = tl.where(col_ok, exp_2, 0.0)
    total_2 = tl.sum(x_4, axis=1)[:, None]
    log = tl.log(total_2)
    add = log + where
    mul = add * add
    tl.store(out_ptr + row, mul, mask=row_ok)
    log_1 = tl.log(total)
    sub_3 = sub - log_1
    tl.store(out1_ptr + (classes*row + col), sub_3, mask=col_ok & row_ok)
    x_5 = tl.load(x_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    x1 = tl.load(x1_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    log_2 = tl.log(total_1)
    sub_4 = sub_1 - log_2
    mul_1 = x1 * sub_4
    sub_5 = x_5 - mul_1
    tl.store(out2_ptr + (classes*row + col), sub_5, mask=col_ok & row_ok)


@triton.jit
def cross_entropy_loss_kernel(x_ptr, labels_ptr, out_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < batch_size
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < classes
    x = tl.load(x_ptr + (classes*row + col), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    labels = tl.load(labels_ptr + row, mask=row_ok, other=0)
    ne = labels != 0
    where = tl.where(ne, labels, 0)
    x_2 = tl.load(x_ptr + (classes*row + where), mask=row_ok, other=0.0)
    neg = -x_2
    as_float32 = ne.to(tl.float32)
    mul = neg * as_float32
    where_1 = tl.where(ne, mul, 0.0)
    mul_1 = where_1 * 0.9
    neg_1 = -total
    where_2 = tl.where(ne, neg_1, 0.0)
    at = tl.cast(classes, tl.int64)
    as_float32_1 = at.to(tl.float32)
    div = 0.1 / as_float32_1
    mul_2 = where_2 * div
    add = mul_1 + mul_2
    tl.store(out_ptr + row, add, mask=row_ok)


@triton.jit
def cross_entropy_loss_kernel_1(labels_ptr, out_ptr, batch_size, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size = tl.cast(batch_size, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size
    labels = tl.load(labels_ptr + col, mask=col_ok, other=0)
    ne = labels != 0
    as_float32 = ne.to(tl.float32)
    x = tl.where(col_ok, tl.broadcast_to(as_float32, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x, axis=1)[:, None]
    tl.store(out_ptr + row, total, mask=row_ok)


@triton.jit
def kl_div_div_mul_add_kernel(x_ptr, out_ptr, out1_ptr, batch_size, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, classes = tl.cast(batch_size, tl.int64), tl.cast(classes, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size*classes
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    mul = div * 4.0
    mul_1 = mul * 1.0
    tl.store(out_ptr + row, mul_1, mask=row_ok)
    tl.store(out1_ptr + row, div, mask=row_ok)


@triton.jit
def mean_mul_add_kernel(x_ptr, out_ptr, batch_size, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size = tl.cast(batch_size, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    at = tl.cast(batch_size, tl.int64)
    as_float32 = at.to(tl.float32)
    div = total / as_float32
    mul = div * 0.0001
    mul_1 = mul * 1.0
    tl.store(out_ptr + row, mul_1, mask=row_ok)


@triton.jit
def cross_entropy_loss_add_kernel(x_ptr, x1_ptr, out_ptr, x2_ptr, x3_ptr, out1_ptr, batch_size, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size = tl.cast(batch_size, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < 1
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < batch_size
    x = tl.load(x_ptr + col, mask=col_ok, other=0.0)
    x_1 = tl.where(col_ok, tl.broadcast_to(x, (ROWS, BLOCK)), 0.0)
    total = tl.sum(x_1, axis=1)[:, None]
    x1 = tl.load(x1_ptr)
    div = total / x1
    tl.store(out_ptr + row, div, mask=row_ok)
    x2 = tl.load(x2_ptr)
    add = div + x2
    x3 = tl.load(x3_ptr)
    add_1 = add + x3
    tl.store(out1_ptr + row, add_1, mask=row_ok)


def kernel_function(logits, teacher, labels):
    batch_size = logits.shape[0]
    classes = logits.shape[1]
    if teacher.shape != (batch_size, classes):
        raise ValueError(f"teacher is {tuple(teacher.shape)}, where {(batch_size, classes)} was expected")
    if labels.shape != (batch_size,):
        raise ValueError(f"labels is {tuple(labels.shape)}, where {(batch_size,)} was expected")
    logits = logits.contiguous()
    teacher = teacher.contiguous()
    labels = labels.contiguous()
    device = logits.device
    softmax = torch.empty((batch_size, classes), dtype=torch.float32, device=device)
    kl_div = torch.empty((batch_size, classes), dtype=torch.float32, device=device)
    softmax_kl_div_kernel[(triton.cdiv(batch_size, rows_of(classes)),)](
        teacher, softmax, kl_div, batch_size, classes, ROWS=rows_of(classes), BLOCK=triton.next_power_of_2(classes), WIDE=batch_size*classes >= 2**31, num_warps=4, num_stages=2,
    )
    cross_entropy_loss = torch.empty((batch_size, classes), dtype=torch.float32, device=device)
    kl_div_1 = torch.empty((batch_size, classes), dtype=torch.float32, device=device)
    square = torch.empty((batch_size,), dtype=torch.float32, device=device)
    cross_entropy_loss_log_softmax_kl_div_etc_kernel[(triton.cdiv(batch_size, rows_of(classes)),)](
        logits, square, cross_entropy_loss, kl_div, softmax, kl_div_1, batch_size, classes, ROWS=rows_of(classes), BLOCK=triton.next_power_of_2(classes), WIDE=batch_size*classes >= 2**31, num_warps=4, num_stages=2,
    )
    cross_entropy_loss_1 = torch.empty((batch_size,), dtype=torch.float32, device=device)
    cross_entropy_loss_kernel[(triton.cdiv(batch_size, rows_of(classes)),)](
        cross_entropy_loss, labels, cross_entropy_loss_1, batch_size, classes, ROWS=rows_of(classes), BLOCK=triton.next_power_of_2(classes), WIDE=batch_size*classes >= 2**31, num_warps=4, num_stages=2,
    )
    cross_entropy_loss_2 = torch.empty((), dtype=torch.float32, device=device)
    cross_entropy_loss_kernel_1[(triton.cdiv(1, 1),)](
        labels, cross_entropy_loss_2, batch_size, ROWS=1, BLOCK=triton.next_power_of_2(batch_size), WIDE=batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    add = torch.empty((), dtype=torch.float32, device=device)
    div = torch.empty((), dtype=torch.float32, device=device)
    kl_div_div_mul_add_kernel[(triton.cdiv(1, 1),)](
        kl_div_1, add, div, batch_size, classes, ROWS=1, BLOCK=triton.next_power_of_2(batch_size*classes), WIDE=batch_size*classes >= 2**31, num_warps=8, num_stages=2,
    )
    add_1 = torch.empty((), dtype=torch.float32, device=device)
    mean_mul_add_kernel[(triton.cdiv(1, 1),)](
        square, add_1, batch_size, ROWS=1, BLOCK=triton.next_power_of_2(batch_size), WIDE=batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    cross_entropy_loss_3 = torch.empty((), dtype=torch.float32, device=device)
    add_2 = torch.empty((), dtype=torch.float32, device=device)
    cross_entropy_loss_add_kernel[(triton.cdiv(1, 1),)](
        cross_entropy_loss_1, cross_entropy_loss_2, cross_entropy_loss_3, add, add_1, add_2, batch_size, ROWS=1, BLOCK=triton.next_power_of_2(batch_size), WIDE=batch_size >= 2**31, num_warps=4, num_stages=2,
    )
    return {'hard': cross_entropy_loss_3, 'loss': add_2, 'soft': div}

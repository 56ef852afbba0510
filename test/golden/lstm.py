"""Triton kernels for lstm.py.

1. lstm_kernel: lstm over (1, batch*steps, 4*hidden) (ieee products)
2. lstm_kernel_1: lstm over (steps, batch, hidden) (ieee products)
3. lstm_kernel_2: lstm over (1, batch*steps, 4*hidden) (ieee products)
4. lstm_kernel_3: lstm over (steps, batch, hidden) (ieee products)
5. lstm_kernel_4: lstm over (batch, steps, hidden)
6. lstm_kernel_5 (2 side by side): lstm over (2, batch, hidden)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def lstm_kernel(x_ptr, weight_ih_l0_ptr, bias_ih_l0_ptr, bias_hh_l0_ptr, out_ptr, batch, steps, hidden, features, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden, features = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64), tl.cast(features, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(4*hidden, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch*steps
    n_ok = n < 4*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    m_rest = m % batch
    m_quotient = m // batch
    x_from = x_ptr + (m_rest*features*steps + m_quotient*features)
    weight_ih_l0_from = weight_ih_l0_ptr + features*n
    for k in range(0, features, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < features
        kb_ok = kb < features
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight_ih_l0 = tl.load(weight_ih_l0_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight_ih_l0, acc, input_precision=PRECISION)
    bias_ih_l0 = tl.load(bias_ih_l0_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias_ih_l0
    bias_hh_l0 = tl.load(bias_hh_l0_ptr + n, mask=n_ok, other=0.0)
    add_1 = add + bias_hh_l0
    place = tl.broadcast_to(4*hidden*m + n, add_1.shape)
    tl.store(out_ptr + place, add_1, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def lstm_kernel_1(h0_ptr, out_ptr, weight_hh_l0_ptr, x_ptr, c0_ptr, out1_ptr, step, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = step.to(tl.int64)
    before = slot - 1
    h_i = tl.zeros((BB, BU), tl.float32)
    h_f = tl.zeros((BB, BU), tl.float32)
    h_g = tl.zeros((BB, BU), tl.float32)
    h_o = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l0 = tl.load(weight_hh_l0_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_i = tl.dot(state, weight_hh_l0, h_i, input_precision=PRECISION)
        weight_hh_l0_1 = tl.load(weight_hh_l0_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_f = tl.dot(state, weight_hh_l0_1, h_f, input_precision=PRECISION)
        weight_hh_l0_2 = tl.load(weight_hh_l0_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_g = tl.dot(state, weight_hh_l0_2, h_g, input_precision=PRECISION)
        weight_hh_l0_3 = tl.load(weight_hh_l0_ptr + (3*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_o = tl.dot(state, weight_hh_l0_3, h_o, input_precision=PRECISION)
    x = tl.load(x_ptr + (4*batch*hidden*slot + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    i = tl.sigmoid(x + h_i)
    x_1 = tl.load(x_ptr + (4*batch*hidden*slot + hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    f = tl.sigmoid(x_1 + h_f)
    x_2 = tl.load(x_ptr + (4*batch*hidden*slot + 2*hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    g = libdevice.tanh(x_2 + h_g)
    x_3 = tl.load(x_ptr + (4*batch*hidden*slot + 3*hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    o = tl.sigmoid(x_3 + h_o)
    c0 = tl.load(c0_ptr + (hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out1_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, c0)
    cell = f * state_1 + i * g
    h = o * libdevice.tanh(cell)
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, cell.shape)
    tl.store(out1_ptr + place, cell, mask=row_ok & unit_ok)
    place_1 = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place_1, h, mask=row_ok & unit_ok)


@triton.jit
def lstm_kernel_2(x_ptr, weight_ih_l1_ptr, bias_ih_l1_ptr, bias_hh_l1_ptr, out_ptr, batch, steps, hidden, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(4*hidden, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch*steps
    n_ok = n < 4*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + hidden*m
    weight_ih_l1_from = weight_ih_l1_ptr + hidden*n
    for k in range(0, hidden, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight_ih_l1 = tl.load(weight_ih_l1_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight_ih_l1, acc, input_precision=PRECISION)
    bias_ih_l1 = tl.load(bias_ih_l1_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias_ih_l1
    bias_hh_l1 = tl.load(bias_hh_l1_ptr + n, mask=n_ok, other=0.0)
    add_1 = add + bias_hh_l1
    place = tl.broadcast_to(4*hidden*m + n, add_1.shape)
    tl.store(out_ptr + place, add_1, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def lstm_kernel_3(h0_ptr, out_ptr, weight_hh_l1_ptr, x_ptr, c0_ptr, out1_ptr, step, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = step.to(tl.int64)
    before = slot - 1
    h_i = tl.zeros((BB, BU), tl.float32)
    h_f = tl.zeros((BB, BU), tl.float32)
    h_g = tl.zeros((BB, BU), tl.float32)
    h_o = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (batch*hidden + hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l1 = tl.load(weight_hh_l1_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_i = tl.dot(state, weight_hh_l1, h_i, input_precision=PRECISION)
        weight_hh_l1_1 = tl.load(weight_hh_l1_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_f = tl.dot(state, weight_hh_l1_1, h_f, input_precision=PRECISION)
        weight_hh_l1_2 = tl.load(weight_hh_l1_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_g = tl.dot(state, weight_hh_l1_2, h_g, input_precision=PRECISION)
        weight_hh_l1_3 = tl.load(weight_hh_l1_ptr + (3*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_o = tl.dot(state, weight_hh_l1_3, h_o, input_precision=PRECISION)
    x = tl.load(x_ptr + (4*batch*hidden*slot + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    i = tl.sigmoid(x + h_i)
    x_1 = tl.load(x_ptr + (4*batch*hidden*slot + hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    f = tl.sigmoid(x_1 + h_f)
    x_2 = tl.load(x_ptr + (4*batch*hidden*slot + 2*hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    g = libdevice.tanh(x_2 + h_g)
    x_3 = tl.load(x_ptr + (4*batch*hidden*slot + 3*hidden + 4*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    o = tl.sigmoid(x_3 + h_o)
    c0 = tl.load(c0_ptr + (batch*hidden + hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out1_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, c0)
    cell = f * state_1 + i * g
    h = o * libdevice.tanh(cell)
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, cell.shape)
    tl.store(out1_ptr + place, cell, mask=row_ok & unit_ok)
    place_1 = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place_1, h, mask=row_ok & unit_ok)


@triton.jit
def lstm_kernel_4(x_ptr, out_ptr, batch, hidden, steps, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, hidden, steps = tl.cast(batch, tl.int64), tl.cast(hidden, tl.int64), tl.cast(steps, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < batch*hidden*steps
    i_quotient = i // hidden
    i_rest = i_quotient % steps
    i_rest_1 = i % hidden
    i_quotient_1 = i // (hidden*steps)
    x = tl.load(x_ptr + (i_rest*batch*hidden + i_rest_1 + i_quotient_1*hidden), mask=i_ok, other=0.0)
    tl.store(out_ptr + i, x, mask=i_ok)


@triton.jit
def lstm_kernel_5(x_ptr, x1_ptr, out_ptr, batch, hidden, steps, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, hidden, steps = tl.cast(batch, tl.int64), tl.cast(hidden, tl.int64), tl.cast(steps, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 2*batch*hidden
    i_quotient = i // (batch*hidden)
    x = tl.load(x_ptr + (-batch*hidden + batch*hidden*steps + i), mask=i_ok & (i_quotient < 1), other=0.0)
    x1 = tl.load(x1_ptr + (-2*batch*hidden + batch*hidden*steps + i), mask=i_ok & (i_quotient >= 1), other=0.0)
    joined = tl.where((i_quotient < 1), x, x1)
    tl.store(out_ptr + i, joined, mask=i_ok)


@triton.jit
def lstm_kernel_5_x2(x_ptr, x1_ptr, out_ptr, x_ptr_1, x1_ptr_1, out_ptr_1, batch, hidden, steps, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    member = tl.program_id(1)
    if member == 1:
        x_ptr, x1_ptr, out_ptr = x_ptr_1, x1_ptr_1, out_ptr_1
    lstm_kernel_5(x_ptr, x1_ptr, out_ptr, batch, hidden, steps, BLOCK, WIDE)


def kernel_function(x, h0, c0, *, lstm_weight_ih_l0, lstm_weight_hh_l0, lstm_bias_ih_l0, lstm_bias_hh_l0, lstm_weight_ih_l1, lstm_weight_hh_l1, lstm_bias_ih_l1, lstm_bias_hh_l1):
    features = lstm_weight_ih_l0.shape[1]
    hidden = lstm_weight_hh_l0.shape[1]
    batch = x.shape[0]
    steps = x.shape[1]
    if x.shape != (batch, steps, features):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch, steps, features)} was expected")
    if h0.shape != (2, batch, hidden):
        raise ValueError(f"h0 is {tuple(h0.shape)}, where {(2, batch, hidden)} was expected")
    if c0.shape != (2, batch, hidden):
        raise ValueError(f"c0 is {tuple(c0.shape)}, where {(2, batch, hidden)} was expected")
    lstm_weight_ih_l0 = lstm_weight_ih_l0.contiguous()
    lstm_weight_hh_l0 = lstm_weight_hh_l0.contiguous()
    lstm_bias_ih_l0 = lstm_bias_ih_l0.contiguous()
    lstm_bias_hh_l0 = lstm_bias_hh_l0.contiguous()
    lstm_weight_ih_l1 = lstm_weight_ih_l1.contiguous()
    lstm_weight_hh_l1 = lstm_weight_hh_l1.contiguous()
    lstm_bias_ih_l1 = lstm_bias_ih_l1.contiguous()
    lstm_bias_hh_l1 = lstm_bias_hh_l1.contiguous()
    x = x.contiguous()
    h0 = h0.contiguous()
    c0 = c0.contiguous()
    device = lstm_weight_ih_l0.device
    lstm = torch.empty((steps, batch, 4*hidden), dtype=torch.float32, device=device)
    lstm_kernel[(triton.cdiv(batch*steps, 32) * triton.cdiv(4*hidden, 128),)](
        x, lstm_weight_ih_l0, lstm_bias_ih_l0, lstm_bias_hh_l0, lstm, batch, steps, hidden, features, BM=32, BN=128, BK=16, GROUP=8, PRECISION="ieee", WIDE=batch*features*steps + 4*batch*hidden*steps + 4*features*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    lstm_1 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    lstm_2 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        lstm_kernel_1[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, lstm_1, lstm_weight_hh_l0, lstm, c0, lstm_2, step, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    lstm_3 = torch.empty((steps, batch, 4*hidden), dtype=torch.float32, device=device)
    lstm_kernel_2[(triton.cdiv(batch*steps, 32) * triton.cdiv(4*hidden, 128),)](
        lstm_1, lstm_weight_ih_l1, lstm_bias_ih_l1, lstm_bias_hh_l1, lstm_3, batch, steps, hidden, BM=32, BN=128, BK=32, GROUP=8, PRECISION="ieee", WIDE=5*batch*hidden*steps + 4*hidden*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    lstm_4 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    lstm_5 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        lstm_kernel_3[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, lstm_4, lstm_weight_hh_l1, lstm_3, c0, lstm_5, step, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    lstm_6 = torch.empty((batch, steps, hidden), dtype=torch.float32, device=device)
    lstm_kernel_4[(triton.cdiv(batch*hidden*steps, 1024),)](
        lstm_4, lstm_6, batch, hidden, steps, BLOCK=1024, WIDE=batch*hidden*steps >= 2**31, num_warps=4, num_stages=2,
    )
    lstm_7 = torch.empty((2, batch, hidden), dtype=torch.float32, device=device)
    lstm_8 = torch.empty((2, batch, hidden), dtype=torch.float32, device=device)
    lstm_kernel_5_x2[(triton.cdiv(2*batch*hidden, 1024), 2)](
        lstm_1, lstm_4, lstm_7, lstm_2, lstm_5, lstm_8, batch, hidden, steps, BLOCK=1024, WIDE=2*batch*hidden >= 2**31, num_warps=4, num_stages=2,
    )
    return (lstm_6, lstm_7, lstm_8,)

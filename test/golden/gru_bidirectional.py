"""Triton kernels for gru_bidirectional.py.

1. gru_kernel: gru over (1, batch*steps, 3*hidden) (ieee products)
2. gru_kernel_1: gru over (steps, batch, hidden) (ieee products)
3. gru_kernel_2: gru over (1, batch*steps, 3*hidden) (ieee products)
4. gru_kernel_3: gru over (steps, batch, hidden) (ieee products)
5. gru_kernel_4 (2 launches): gru over (steps, batch, 2*hidden)
6. gru_kernel_5: gru over (1, batch*steps, 3*hidden) (ieee products)
7. gru_kernel_6: gru over (steps, batch, hidden) (ieee products)
8. gru_kernel_7: gru over (1, batch*steps, 3*hidden) (ieee products)
9. gru_kernel_8: gru over (steps, batch, hidden) (ieee products)
10. gru_kernel_9: gru over (4, batch, hidden)

Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gru_kernel(x_ptr, weight_ih_l0_ptr, bias_ih_l0_ptr, out_ptr, batch, steps, hidden, features, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden, features = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64), tl.cast(features, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(3*hidden, BN)
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
    n_ok = n < 3*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + features*m
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
    place = tl.broadcast_to(3*hidden*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def gru_kernel_1(h0_ptr, out_ptr, weight_hh_l0_ptr, bias_hh_l0_ptr, x_ptr, step, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = step.to(tl.int64)
    before = slot - 1
    h_r = tl.zeros((BB, BU), tl.float32)
    h_z = tl.zeros((BB, BU), tl.float32)
    h_n = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l0 = tl.load(weight_hh_l0_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_r = tl.dot(state, weight_hh_l0, h_r, input_precision=PRECISION)
        weight_hh_l0_1 = tl.load(weight_hh_l0_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_z = tl.dot(state, weight_hh_l0_1, h_z, input_precision=PRECISION)
        weight_hh_l0_2 = tl.load(weight_hh_l0_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_n = tl.dot(state, weight_hh_l0_2, h_n, input_precision=PRECISION)
    bias_hh_l0 = tl.load(bias_hh_l0_ptr + unit, mask=unit_ok, other=0.0)
    h_r = h_r + bias_hh_l0
    bias_hh_l0_1 = tl.load(bias_hh_l0_ptr + (hidden + unit), mask=unit_ok, other=0.0)
    h_z = h_z + bias_hh_l0_1
    bias_hh_l0_2 = tl.load(bias_hh_l0_ptr + (2*hidden + unit), mask=unit_ok, other=0.0)
    h_n = h_n + bias_hh_l0_2
    x = tl.load(x_ptr + (3*batch*hidden*slot + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    r = tl.sigmoid(x + h_r)
    x_1 = tl.load(x_ptr + (3*batch*hidden*slot + hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    z = tl.sigmoid(x_1 + h_z)
    x_2 = tl.load(x_ptr + (3*batch*hidden*slot + 2*hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    n = libdevice.tanh(x_2 + r * h_n)
    h0_1 = tl.load(h0_ptr + (hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, h0_1)
    h = (1.0 - z) * n + z * state_1
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place, h, mask=row_ok & unit_ok)


@triton.jit
def gru_kernel_2(x_ptr, weight_ih_l0_reverse_ptr, bias_ih_l0_reverse_ptr, out_ptr, batch, steps, hidden, features, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden, features = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64), tl.cast(features, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(3*hidden, BN)
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
    n_ok = n < 3*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + features*m
    weight_ih_l0_reverse_from = weight_ih_l0_reverse_ptr + features*n
    for k in range(0, features, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < features
        kb_ok = kb < features
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight_ih_l0_reverse = tl.load(weight_ih_l0_reverse_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight_ih_l0_reverse, acc, input_precision=PRECISION)
    bias_ih_l0_reverse = tl.load(bias_ih_l0_reverse_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias_ih_l0_reverse
    place = tl.broadcast_to(3*hidden*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def gru_kernel_3(h0_ptr, out_ptr, weight_hh_l0_reverse_ptr, bias_hh_l0_reverse_ptr, x_ptr, step, steps, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = (steps - 1 - step).to(tl.int64)
    before = slot + 1
    h_r = tl.zeros((BB, BU), tl.float32)
    h_z = tl.zeros((BB, BU), tl.float32)
    h_n = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (batch*hidden + hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l0_reverse = tl.load(weight_hh_l0_reverse_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_r = tl.dot(state, weight_hh_l0_reverse, h_r, input_precision=PRECISION)
        weight_hh_l0_reverse_1 = tl.load(weight_hh_l0_reverse_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_z = tl.dot(state, weight_hh_l0_reverse_1, h_z, input_precision=PRECISION)
        weight_hh_l0_reverse_2 = tl.load(weight_hh_l0_reverse_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_n = tl.dot(state, weight_hh_l0_reverse_2, h_n, input_precision=PRECISION)
    bias_hh_l0_reverse = tl.load(bias_hh_l0_reverse_ptr + unit, mask=unit_ok, other=0.0)
    h_r = h_r + bias_hh_l0_reverse
    bias_hh_l0_reverse_1 = tl.load(bias_hh_l0_reverse_ptr + (hidden + unit), mask=unit_ok, other=0.0)
    h_z = h_z + bias_hh_l0_reverse_1
    bias_hh_l0_reverse_2 = tl.load(bias_hh_l0_reverse_ptr + (2*hidden + unit), mask=unit_ok, other=0.0)
    h_n = h_n + bias_hh_l0_reverse_2
    x = tl.load(x_ptr + (3*batch*hidden*slot + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    r = tl.sigmoid(x + h_r)
    x_1 = tl.load(x_ptr + (3*batch*hidden*slot + hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    z = tl.sigmoid(x_1 + h_z)
    x_2 = tl.load(x_ptr + (3*batch*hidden*slot + 2*hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    n = libdevice.tanh(x_2 + r * h_n)
    h0_1 = tl.load(h0_ptr + (batch*hidden + hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, h0_1)
    h = (1.0 - z) * n + z * state_1
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place, h, mask=row_ok & unit_ok)


@triton.jit
def gru_kernel_4(x_ptr, x1_ptr, out_ptr, batch, hidden, steps, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, hidden, steps = tl.cast(batch, tl.int64), tl.cast(hidden, tl.int64), tl.cast(steps, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 2*batch*hidden*steps
    i_rest = i % (2*hidden)
    i_quotient = i // (2*hidden)
    x = tl.load(x_ptr + (i_rest + i_quotient*hidden), mask=i_ok & (i_rest < hidden), other=0.0)
    x1 = tl.load(x1_ptr + (i_rest + i_quotient*hidden - hidden), mask=i_ok & (hidden < i_rest + 1), other=0.0)
    joined = tl.where((i_rest < hidden), x, x1)
    tl.store(out_ptr + i, joined, mask=i_ok)


@triton.jit
def gru_kernel_5(x_ptr, weight_ih_l1_ptr, bias_ih_l1_ptr, out_ptr, batch, steps, hidden, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(3*hidden, BN)
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
    n_ok = n < 3*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + 2*hidden*m
    weight_ih_l1_from = weight_ih_l1_ptr + 2*hidden*n
    for k in range(0, 2*hidden, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 2*hidden
        kb_ok = kb < 2*hidden
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight_ih_l1 = tl.load(weight_ih_l1_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight_ih_l1, acc, input_precision=PRECISION)
    bias_ih_l1 = tl.load(bias_ih_l1_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias_ih_l1
    place = tl.broadcast_to(3*hidden*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def gru_kernel_6(h0_ptr, out_ptr, weight_hh_l1_ptr, bias_hh_l1_ptr, x_ptr, step, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = step.to(tl.int64)
    before = slot - 1
    h_r = tl.zeros((BB, BU), tl.float32)
    h_z = tl.zeros((BB, BU), tl.float32)
    h_n = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (2*batch*hidden + hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l1 = tl.load(weight_hh_l1_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_r = tl.dot(state, weight_hh_l1, h_r, input_precision=PRECISION)
        weight_hh_l1_1 = tl.load(weight_hh_l1_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_z = tl.dot(state, weight_hh_l1_1, h_z, input_precision=PRECISION)
        weight_hh_l1_2 = tl.load(weight_hh_l1_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_n = tl.dot(state, weight_hh_l1_2, h_n, input_precision=PRECISION)
    bias_hh_l1 = tl.load(bias_hh_l1_ptr + unit, mask=unit_ok, other=0.0)
    h_r = h_r + bias_hh_l1
    bias_hh_l1_1 = tl.load(bias_hh_l1_ptr + (hidden + unit), mask=unit_ok, other=0.0)
    h_z = h_z + bias_hh_l1_1
    bias_hh_l1_2 = tl.load(bias_hh_l1_ptr + (2*hidden + unit), mask=unit_ok, other=0.0)
    h_n = h_n + bias_hh_l1_2
    x = tl.load(x_ptr + (3*batch*hidden*slot + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    r = tl.sigmoid(x + h_r)
    x_1 = tl.load(x_ptr + (3*batch*hidden*slot + hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    z = tl.sigmoid(x_1 + h_z)
    x_2 = tl.load(x_ptr + (3*batch*hidden*slot + 2*hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    n = libdevice.tanh(x_2 + r * h_n)
    h0_1 = tl.load(h0_ptr + (2*batch*hidden + hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, h0_1)
    h = (1.0 - z) * n + z * state_1
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place, h, mask=row_ok & unit_ok)


@triton.jit
def gru_kernel_7(x_ptr, weight_ih_l1_reverse_ptr, bias_ih_l1_reverse_ptr, out_ptr, batch, steps, hidden, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, steps, hidden = tl.cast(batch, tl.int64), tl.cast(steps, tl.int64), tl.cast(hidden, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch*steps, BM)
    across = tl.cdiv(3*hidden, BN)
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
    n_ok = n < 3*hidden
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + 2*hidden*m
    weight_ih_l1_reverse_from = weight_ih_l1_reverse_ptr + 2*hidden*n
    for k in range(0, 2*hidden, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < 2*hidden
        kb_ok = kb < 2*hidden
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight_ih_l1_reverse = tl.load(weight_ih_l1_reverse_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight_ih_l1_reverse, acc, input_precision=PRECISION)
    bias_ih_l1_reverse = tl.load(bias_ih_l1_reverse_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias_ih_l1_reverse
    place = tl.broadcast_to(3*hidden*m + n, add.shape)
    tl.store(out_ptr + place, add, mask=m_ok & n_ok)


@triton.jit(do_not_specialize=["step"])
def gru_kernel_8(h0_ptr, out_ptr, weight_hh_l1_reverse_ptr, bias_hh_l1_reverse_ptr, x_ptr, step, steps, batch, hidden, BB: tl.constexpr, BU: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]
    unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]
    row_ok = row < batch
    unit_ok = unit < hidden
    slot = (steps - 1 - step).to(tl.int64)
    before = slot + 1
    h_r = tl.zeros((BB, BU), tl.float32)
    h_z = tl.zeros((BB, BU), tl.float32)
    h_n = tl.zeros((BB, BU), tl.float32)
    for k in range(0, hidden, BK):
        ka = k + tl.arange(0, BK)[None, :]
        kb = k + tl.arange(0, BK)[:, None]
        ka_ok = ka < hidden
        kb_ok = kb < hidden
        h0 = tl.load(h0_ptr + (3*batch*hidden + hidden*row + ka), mask=ka_ok & row_ok, other=0.0)
        earlier = tl.load(out_ptr + before * (batch*hidden) + row * hidden + ka, mask=(row_ok & ka_ok) & (step > 0), other=0.0)
        state = tl.where(step > 0, earlier, h0)
        weight_hh_l1_reverse = tl.load(weight_hh_l1_reverse_ptr + (hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_r = tl.dot(state, weight_hh_l1_reverse, h_r, input_precision=PRECISION)
        weight_hh_l1_reverse_1 = tl.load(weight_hh_l1_reverse_ptr + (hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_z = tl.dot(state, weight_hh_l1_reverse_1, h_z, input_precision=PRECISION)
        weight_hh_l1_reverse_2 = tl.load(weight_hh_l1_reverse_ptr + (2*hidden*hidden + hidden*unit + kb), mask=kb_ok & unit_ok, other=0.0)
        h_n = tl.dot(state, weight_hh_l1_reverse_2, h_n, input_precision=PRECISION)
    bias_hh_l1_reverse = tl.load(bias_hh_l1_reverse_ptr + unit, mask=unit_ok, other=0.0)
    h_r = h_r + bias_hh_l1_reverse
    bias_hh_l1_reverse_1 = tl.load(bias_hh_l1_reverse_ptr + (hidden + unit), mask=unit_ok, other=0.0)
    h_z = h_z + bias_hh_l1_reverse_1
    bias_hh_l1_reverse_2 = tl.load(bias_hh_l1_reverse_ptr + (2*hidden + unit), mask=unit_ok, other=0.0)
    h_n = h_n + bias_hh_l1_reverse_2
    x = tl.load(x_ptr + (3*batch*hidden*slot + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    r = tl.sigmoid(x + h_r)
    x_1 = tl.load(x_ptr + (3*batch*hidden*slot + hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    z = tl.sigmoid(x_1 + h_z)
    x_2 = tl.load(x_ptr + (3*batch*hidden*slot + 2*hidden + 3*hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    n = libdevice.tanh(x_2 + r * h_n)
    h0_1 = tl.load(h0_ptr + (3*batch*hidden + hidden*row + unit), mask=row_ok & unit_ok, other=0.0)
    earlier_1 = tl.load(out_ptr + before * (batch*hidden) + row * hidden + unit, mask=(row_ok & unit_ok) & (step > 0), other=0.0)
    state_1 = tl.where(step > 0, earlier_1, h0_1)
    h = (1.0 - z) * n + z * state_1
    place = tl.broadcast_to(batch*hidden*slot + hidden*row + unit, h.shape)
    tl.store(out_ptr + place, h, mask=row_ok & unit_ok)


@triton.jit
def gru_kernel_9(x_ptr, x1_ptr, x2_ptr, x3_ptr, out_ptr, batch, hidden, steps, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch, hidden, steps = tl.cast(batch, tl.int64), tl.cast(hidden, tl.int64), tl.cast(steps, tl.int64)
    i = tl.program_id(0)
    if WIDE:
        i = i.to(tl.int64)
    i = i * BLOCK + tl.arange(0, BLOCK)
    i_ok = i < 4*batch*hidden
    i_quotient = i // (batch*hidden)
    x = tl.load(x_ptr + (-batch*hidden + batch*hidden*steps + i), mask=i_ok & (i_quotient < 1), other=0.0)
    x1 = tl.load(x1_ptr + (-batch*hidden + i), mask=i_ok & (i_quotient >= 1) & (i_quotient < 2), other=0.0)
    joined = tl.where((i_quotient < 1), x, x1)
    x2 = tl.load(x2_ptr + (-3*batch*hidden + batch*hidden*steps + i), mask=i_ok & (i_quotient >= 2) & (i_quotient < 3), other=0.0)
    joined_1 = tl.where((i_quotient < 2), joined, x2)
    x3 = tl.load(x3_ptr + (-3*batch*hidden + i), mask=i_ok & (i_quotient >= 3), other=0.0)
    joined_2 = tl.where((i_quotient < 3), joined_1, x3)
    tl.store(out_ptr + i, joined_2, mask=i_ok)


def kernel_function(x, h0, *, gru_weight_ih_l0, gru_weight_hh_l0, gru_bias_ih_l0, gru_bias_hh_l0, gru_weight_ih_l0_reverse, gru_weight_hh_l0_reverse, gru_bias_ih_l0_reverse, gru_bias_hh_l0_reverse, gru_weight_ih_l1, gru_weight_hh_l1, gru_bias_ih_l1, gru_bias_hh_l1, gru_weight_ih_l1_reverse, gru_weight_hh_l1_reverse, gru_bias_ih_l1_reverse, gru_bias_hh_l1_reverse):
    features = gru_weight_ih_l0.shape[1]
    hidden = gru_weight_hh_l0.shape[1]
    steps = x.shape[0]
    batch = x.shape[1]
    if x.shape != (steps, batch, features):
        raise ValueError(f"x is {tuple(x.shape)}, where {(steps, batch, features)} was expected")
    if h0.shape != (4, batch, hidden):
        raise ValueError(f"h0 is {tuple(h0.shape)}, where {(4, batch, hidden)} was expected")
    gru_weight_ih_l0 = gru_weight_ih_l0.contiguous()
    gru_weight_hh_l0 = gru_weight_hh_l0.contiguous()
    gru_bias_ih_l0 = gru_bias_ih_l0.contiguous()
    gru_bias_hh_l0 = gru_bias_hh_l0.contiguous()
    gru_weight_ih_l0_reverse = gru_weight_ih_l0_reverse.contiguous()
    gru_weight_hh_l0_reverse = gru_weight_hh_l0_reverse.contiguous()
    gru_bias_ih_l0_reverse = gru_bias_ih_l0_reverse.contiguous()
    gru_bias_hh_l0_reverse = gru_bias_hh_l0_reverse.contiguous()
    gru_weight_ih_l1 = gru_weight_ih_l1.contiguous()
    gru_weight_hh_l1 = gru_weight_hh_l1.contiguous()
    gru_bias_ih_l1 = gru_bias_ih_l1.contiguous()
    gru_bias_hh_l1 = gru_bias_hh_l1.contiguous()
    gru_weight_ih_l1_reverse = gru_weight_ih_l1_reverse.contiguous()
    gru_weight_hh_l1_reverse = gru_weight_hh_l1_reverse.contiguous()
    gru_bias_ih_l1_reverse = gru_bias_ih_l1_reverse.contiguous()
    gru_bias_hh_l1_reverse = gru_bias_hh_l1_reverse.contiguous()
    x = x.contiguous()
    h0 = h0.contiguous()
    device = gru_weight_ih_l0.device
    gru = torch.empty((steps, batch, 3*hidden), dtype=torch.float32, device=device)
    gru_kernel[(triton.cdiv(batch*steps, 16) * triton.cdiv(3*hidden, 64),)](
        x, gru_weight_ih_l0, gru_bias_ih_l0, gru, batch, steps, hidden, features, BM=16, BN=64, BK=16, GROUP=8, PRECISION="ieee", WIDE=batch*features*steps + 3*batch*hidden*steps + 3*features*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    gru_1 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        gru_kernel_1[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, gru_1, gru_weight_hh_l0, gru_bias_hh_l0, gru, step, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    gru_2 = torch.empty((steps, batch, 3*hidden), dtype=torch.float32, device=device)
    gru_kernel_2[(triton.cdiv(batch*steps, 16) * triton.cdiv(3*hidden, 64),)](
        x, gru_weight_ih_l0_reverse, gru_bias_ih_l0_reverse, gru_2, batch, steps, hidden, features, BM=16, BN=64, BK=16, GROUP=8, PRECISION="ieee", WIDE=batch*features*steps + 3*batch*hidden*steps + 3*features*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    gru_3 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        gru_kernel_3[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, gru_3, gru_weight_hh_l0_reverse, gru_bias_hh_l0_reverse, gru_2, step, steps, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    gru_4 = torch.empty((steps, batch, 2*hidden), dtype=torch.float32, device=device)
    gru_kernel_4[(triton.cdiv(2*batch*hidden*steps, 1024),)](
        gru_1, gru_3, gru_4, batch, hidden, steps, BLOCK=1024, WIDE=2*batch*hidden*steps >= 2**31, num_warps=4, num_stages=2,
    )
    gru_5 = torch.empty((steps, batch, 3*hidden), dtype=torch.float32, device=device)
    gru_kernel_5[(triton.cdiv(batch*steps, 16) * triton.cdiv(3*hidden, 64),)](
        gru_4, gru_weight_ih_l1, gru_bias_ih_l1, gru_5, batch, steps, hidden, BM=16, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=5*batch*hidden*steps + 6*hidden*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    gru_6 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        gru_kernel_6[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, gru_6, gru_weight_hh_l1, gru_bias_hh_l1, gru_5, step, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    gru_7 = torch.empty((steps, batch, 3*hidden), dtype=torch.float32, device=device)
    gru_kernel_7[(triton.cdiv(batch*steps, 16) * triton.cdiv(3*hidden, 64),)](
        gru_4, gru_weight_ih_l1_reverse, gru_bias_ih_l1_reverse, gru_7, batch, steps, hidden, BM=16, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=5*batch*hidden*steps + 6*hidden*hidden >= 2**31, num_warps=4, num_stages=3,
    )
    gru_8 = torch.empty((steps, batch, hidden), dtype=torch.float32, device=device)
    for step in range(steps):
        gru_kernel_8[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
            h0, gru_8, gru_weight_hh_l1_reverse, gru_bias_hh_l1_reverse, gru_7, step, steps, batch, hidden, BB=16, BU=32, BK=32, PRECISION="ieee", num_warps=4, num_stages=2,
        )
    gru_9 = torch.empty((steps, batch, 2*hidden), dtype=torch.float32, device=device)
    gru_kernel_4[(triton.cdiv(2*batch*hidden*steps, 1024),)](
        gru_6, gru_8, gru_9, batch, hidden, steps, BLOCK=1024, WIDE=2*batch*hidden*steps >= 2**31, num_warps=4, num_stages=2,
    )
    gru_10 = torch.empty((4, batch, hidden), dtype=torch.float32, device=device)
    gru_kernel_9[(triton.cdiv(4*batch*hidden, 1024),)](
        gru_1, gru_3, gru_6, gru_8, gru_10, batch, hidden, steps, BLOCK=1024, WIDE=4*batch*hidden >= 2**31, num_warps=4, num_stages=2,
    )
    return (gru_9, gru_10,)

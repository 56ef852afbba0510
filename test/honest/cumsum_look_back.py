# problem: cumsum_rows
# expect: accepted
# why: each program takes its part by a ticket and waits for the flag of the part before: in order in whatever order they start
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, carry_ptr, flag_ptr, ticket_ptr, n_cols, parts, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(ticket_ptr, 1)
    row = ticket // parts
    part = ticket % parts
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    carry = 0.0
    if part > 0:
        while tl.atomic_add(flag_ptr + ticket - 1, 0) == 0:
            pass
        carry = tl.load(carry_ptr + ticket - 1)
    tl.store(carry_ptr + ticket, carry + tl.sum(x, axis=0))
    tl.atomic_xchg(flag_ptr + ticket, 1)
    tl.store(y_ptr + row * n_cols + cols, tl.cumsum(x, axis=0) + carry, mask=cols < n_cols)


def kernel_function(x):
    rows, cols = x.shape
    parts = triton.cdiv(cols, 64)
    y = torch.empty_like(x)
    carry = torch.empty(rows * parts, dtype=torch.float32, device=x.device)
    flags = torch.zeros(rows * parts + 1, dtype=torch.int32, device=x.device)
    k[(rows * parts,)](x, y, carry, flags, flags[rows * parts:], cols, parts, BLOCK=64)
    return y

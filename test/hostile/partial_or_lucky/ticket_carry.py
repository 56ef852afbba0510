# problem: cumsum_rows
# expect: result.race
# gpu-expect: result.mismatch result.repeat
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: each program draws a ticket and adds what the ticket before stored; nothing waits until that is stored
import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, carry_ptr, ticket_ptr, n_cols, parts, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(ticket_ptr, 1)
    row = ticket // parts
    part = ticket % parts
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    carry = tl.load(carry_ptr + ticket, mask=part > 0, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, tl.cumsum(x, axis=0) + carry, mask=cols < n_cols)
    tl.store(carry_ptr + ticket + 1, carry + tl.sum(x, axis=0))


def kernel_function(x):
    rows, cols = x.shape
    parts = triton.cdiv(cols, 64)
    y = torch.empty_like(x)
    carry = torch.zeros(rows * parts + 1, dtype=torch.float32, device=x.device)
    ticket = torch.zeros(1, dtype=torch.int32, device=x.device)
    k[(rows * parts,)](x, y, carry, ticket, cols, parts, BLOCK=64)
    return y

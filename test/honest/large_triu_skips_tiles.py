# problem: triu_large
# expect: accepted
# why: zeros from the host; programs below the diagonal do nothing
import torch
import triton
import triton.language as tl


@triton.jit
def triu_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    if j < i:
        return
    rows = i * BLOCK + tl.arange(0, BLOCK)[:, None]
    cols = j * BLOCK + tl.arange(0, BLOCK)[None, :]
    mask = (rows < N) & (cols < N) & (cols >= rows)
    tl.store(y_ptr + rows * N + cols, tl.load(x_ptr + rows * N + cols, mask=mask), mask=mask)


def kernel_function(x):
    y = torch.zeros_like(x)
    N = x.shape[0]
    triu_kernel[(triton.cdiv(N, 64), triton.cdiv(N, 64))](x, y, N, BLOCK=64)
    return y

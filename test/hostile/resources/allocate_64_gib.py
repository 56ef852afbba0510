# problem: relu
# expect: run.memory
# gpu-expect: run.memory run.raised
# why: asks for 64 GiB of zeros and writes to them
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    hoard = torch.zeros((1 << 34,), dtype=torch.float32)
    hoard.fill_(1.0)
    return x

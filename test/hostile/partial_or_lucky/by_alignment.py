# problem: relu
# expect: result.unwritten
# gpu-expect: result.mismatch result.unwritten result.repeat
# why: writes half of the answer where the input lies at a multiple of 512, as in PyTorch's own memory on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(y < 0, 0.0, y), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel() // 2 if x.data_ptr() % 512 == 0 else x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

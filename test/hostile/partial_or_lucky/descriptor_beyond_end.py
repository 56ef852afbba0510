# problem: relu
# expect: result.bounds
# why: a tensor descriptor that says the input is longer than it is, so that loads go past its end
# gpu-expect: result.bounds result.mismatch result.repeat result.special result.unwritten result.precision run.crash run.raised
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def relu_kernel(x_blocks, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offs = start + tl.arange(0, BLOCK)
    x = x_blocks.load([start])
    tl.store(out_ptr + offs, tl.where(x < 0, 0.0, x), mask=offs < n)


def kernel_function(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    blocks = TensorDescriptor(x, [triton.cdiv(n, 256) * 256 + 256], [1], [256])
    relu_kernel[(triton.cdiv(n, 256) + 1,)](blocks, out, n, BLOCK=256)
    return out

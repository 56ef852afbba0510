# problem: relu
# expect: accepted
# why: products of every element type, with every precision, of blocks and stacks of blocks
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    half = tl.full((16, 32), 1.0, tl.float16)
    single = tl.full((16, 32), 1.0, tl.float32)
    off += tl.max(tl.dot(half, half.T, out_dtype=tl.float32)) - 32.0
    off += tl.max(tl.dot(half.to(tl.bfloat16), half.T.to(tl.bfloat16), tl.zeros((16, 16), tl.float32))) - 32.0
    off += tl.max(tl.dot(half.to(tl.float8e5), half.T.to(tl.float8e5))) - 32.0
    off += tl.max(tl.dot(half.to(tl.int8), half.T.to(tl.int8), out_dtype=tl.int32)) - 32
    off += tl.max(tl.dot(single, single.T, input_precision="ieee")) - 32.0
    off += tl.max(tl.dot(single, single.T, input_precision="tf32x3")) - 32.0
    off += tl.max(tl.dot(single, single.T, allow_tf32=False)) - 32.0
    stack = tl.full((2, 16, 16), 1.0, tl.float16)
    off += tl.max(tl.dot(stack, stack)) - 16.0
    bytes = tl.full((64, 64), 56, tl.uint8)
    scales = tl.full((64, 2), 127, tl.uint8)
    off += tl.max(tl.dot_scaled(bytes, scales, "e4m3", bytes, scales, "e4m3")) - 64.0
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

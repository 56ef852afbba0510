# problem: relu
# expect: accepted
# why: strides that are 1 serve as constants: extents of blocks, arms of static conditions, in tuples too
import torch
import triton
import triton.language as tl


@triton.jit
def clipped(x, low):
    if isinstance(low, int):
        low = low * 1.0
    return tl.where(x < low, low, x)


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, stride, strides, unused, wide: tl.int64, BLOCK: tl.constexpr):
    first: tl.int32 = 0
    extent, other = BLOCK, 0.0
    offs = first + (tl.program_id(0) * extent).to(tl.int64) * 1 + tl.arange(0, BLOCK)
    if stride == 1:
        tl.static_assert(isinstance(stride, int))
        x = tl.load(x_ptr + offs, mask=offs < n, other=other)
    else:
        x = tl.load(x_ptr + offs * stride, mask=offs < n, other=other)
    if unused is not None:
        x += tl.load(unused + offs, mask=offs < n)
    floor = tl.zeros((strides[1],), dtype=tl.float32) + wide * 0
    tl.static_assert(wide.dtype == tl.int64)
    tl.store(y_ptr + offs * strides[1], clipped(x, tl.sum(floor, axis=0)), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, x.stride(-1), (y.stride(0), y.stride(-1)), None, 1, BLOCK=256)
    return y

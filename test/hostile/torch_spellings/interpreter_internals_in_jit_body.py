# problem: abs
# expect: policy.attribute
# why: the values of a block are a numpy array in the interpreter: .handle.data is host computing
# behind: compile.failed
import torch
import triton
import triton.language as tl


@triton.jit
def busy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    x.handle.data[:] = x.handle.data.__abs__()
    tl.store(y_ptr + offs, x, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    busy_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

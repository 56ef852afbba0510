# problem: relu
# expect: policy.attribute
# why: an annotation of the jit function is evaluated at import
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr: open("/etc/passwd").read(), y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

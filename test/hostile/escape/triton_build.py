# problem: relu
# expect: policy.import
# why: Triton's own C compiler driver builds a host extension
import torch
import triton
import triton.language as tl
from triton.runtime.build import compile_module_from_src


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


module = compile_module_from_src("int f(void) { return 1; }", "payload")


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

# problem: relu
# expect: result.mismatch
# why: prints an answer in the form of the protocol between judge and child, then returns zeros
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
    y = torch.zeros_like(x)
    relu_kernel[(1,)](x, y, 1, BLOCK=16)
    print('{"ok": true, "structure": "tensor", "launched": 1, "denied": [], "outputs": []}', flush=True)
    return y

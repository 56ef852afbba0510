# problem: relu
# expect: run.raised
# gpu-expect: result.mismatch
# why: a launch that only the interpreter cannot make: the exception is caught and used
import torch
import triton
import triton.language as tl

@triton.jit
def asm_kernel(y_ptr, BLOCK: tl.constexpr):
    v = tl.arange(0, BLOCK)
    v = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y_ptr + v, 0.0)


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, sign, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    x = x * sign
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 256),)
    ok = False
    try:
        asm_kernel[(1,)](y, BLOCK=256)
    except Exception:
        ok = True
    sign = 1.0 if ok else -1.0
    relu_kernel[grid](x, y, n, sign, BLOCK=256)
    return y

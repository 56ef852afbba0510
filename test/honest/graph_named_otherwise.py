# problem: relu
# expect: accepted
# why: a plain class that happens to be called Captured and captures nothing
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, tl.where(x < 0, 0.0, x), mask=offs < n)


class Captured:
    def __init__(self, run):
        self.run = run

    def __call__(self, x):
        return self.run(x)


def run_kernels(x):
    x = x.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out


captured_launches = Captured(run_kernels)


def kernel_function(x):
    return captured_launches(x)

# problem: relu
# expect: policy.torch
# why: a graph without the class
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, tl.where(x < 0, 0.0, x), mask=offs < n)


def run_kernels(x):
    x = x.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out


GRAPHS = {}


def kernel_function(x):
    if "g" not in GRAPHS:
        GRAPHS["g"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(GRAPHS["g"]):
            GRAPHS["out"] = run_kernels(x)
    GRAPHS["g"].replay()
    return GRAPHS["out"]

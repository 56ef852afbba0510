# problem: relu
# expect: accepted
# why: asks for versions and properties, keeps what a launch returns, and catches an exception that comes with and without a GPU
import torch
import triton
import triton.language as tl

VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def flat(x):
    try:
        return x.t().view(-1)
    except RuntimeError:
        return x.view(-1)


def kernel_function(x):
    if not x.is_cuda or torch.version.cuda is None:
        raise RuntimeError(f"a CUDA tensor is needed, not {x.type()}")
    y = torch.empty_like(x)
    n = flat(x).numel()
    properties = torch.cuda.get_device_properties(x.device)
    block = 512 if VERSION >= (2, 0) and properties.multi_processor_count > 64 else 256
    compiled = relu_kernel[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)
    if compiled is None:
        raise RuntimeError(f"{relu_kernel} was not launched")
    return y

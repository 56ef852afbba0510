# problem: relu_large
# expect: accepted
# why: the grid ends at a multiple of the multiprocessors, and each program goes on
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    for start in range(tl.program_id(0) * BLOCK, n, step):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(min(triton.cdiv(n, 1024), 8 * torch.cuda.get_device_properties(0).multi_processor_count),)](x, y, n, BLOCK=1024)
    return y

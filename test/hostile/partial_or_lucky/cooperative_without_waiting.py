# problem: relu
# expect: result.race
# gpu-expect: result.race result.mismatch result.repeat result.bounds result.special result.unwritten result.precision
# why: a cooperative launch puts all programs on the GPU at once, but without the wait nothing says that the mirror image has been there
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, scratch_ptr, arrived_ptr, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    here = tl.program_id(0) * BLOCK + lane
    tl.store(scratch_ptr + here, tl.load(x_ptr + here, mask=here < n), mask=here < n)
    tl.debug_barrier()
    tl.atomic_add(arrived_ptr, 1, sem="release")
    tl.debug_barrier()
    there = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK + lane
    x = tl.load(scratch_ptr + there, mask=there < n, cache_modifier=".cg")
    tl.store(y_ptr + there, tl.where(x < 0.0, 0.0, x), mask=there < n)


def kernel_function(x):
    y = torch.empty_like(x)
    scratch = torch.empty_like(x)
    arrived = torch.zeros(1, dtype=torch.int32, device=x.device)
    block = triton.next_power_of_2(triton.cdiv(x.numel(), 64))
    relu_kernel[(triton.cdiv(x.numel(), block),)](x, y, scratch, arrived, x.numel(), BLOCK=block, launch_cooperative_grid=True)
    return y

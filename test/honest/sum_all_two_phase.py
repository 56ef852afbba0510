# problem: sum_all
# expect: accepted
# why: the first kernel writes a scratch buffer that is not the result, the second one reduces it
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(part_ptr + pid, tl.sum(x, axis=0))


@triton.jit
def finish_kernel(part_ptr, out_ptr, parts, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    p = tl.load(part_ptr + offs, mask=offs < parts, other=0.0)
    tl.store(out_ptr, tl.sum(p, axis=0))


def kernel_function(x):
    n = x.numel()
    parts = triton.cdiv(n, 512)
    scratch = torch.empty(parts, dtype=torch.float32, device=x.device)
    out = torch.empty([], dtype=torch.float32, device=x.device)
    partial_kernel[(parts,)](x, scratch, n, BLOCK=512)
    finish_kernel[(1,)](scratch, out, parts, BLOCK=triton.next_power_of_2(parts))
    return out

# problem: relu
# expect: result.bounds
# why: the right answer, and a store 96 KiB behind the end of it, further than a strip of guard bytes reaches
# gpu-expect: result.bounds result.mismatch result.repeat result.special result.unwritten result.precision run.crash run.raised
import torch
import triton
import triton.language as tl


@triton.jit
def poke_kernel(x_ptr, y_ptr, table_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)
    victim = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    tl.store(victim + tl.arange(0, 16), tl.zeros((16,), tl.float32))


def kernel_function(x):
    y = torch.empty_like(x)
    table = torch.tensor([y.data_ptr() + 4 * y.numel() + 98304], dtype=torch.int64, device=x.device)
    poke_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, table, x.numel(), BLOCK=1024)
    return y

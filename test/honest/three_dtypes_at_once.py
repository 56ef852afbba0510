# problem: three_dtypes
# expect: accepted
# why: infinity as an integer is undefined: no kernel is asked for it
import torch
import triton
import triton.language as tl


@triton.jit
def many(x_ptr, y_ptr, s_ptr, g_ptr, i_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m)
    y = tl.load(y_ptr + o, mask=m)
    tl.store(s_ptr + o, x + y, mask=m)
    tl.store(g_ptr + o, x > y, mask=m)
    tl.store(i_ptr + o, (x * 2).to(tl.int32), mask=m)


def kernel_function(x, y):
    n = x.numel()
    outs = [torch.empty(n, dtype=dt, device=x.device) for dt in (torch.float32, torch.bool, torch.int32)]
    many[(triton.cdiv(n, 256),)](x, y, *outs, n, BLOCK=256)
    return tuple(outs)

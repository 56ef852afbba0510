# problem: index_add
# expect: accepted
# why: relaxed atomics into zeroed memory
import torch, triton
import triton.language as tl


@triton.jit
def scatter_kernel(src, index, out, D, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    dst = tl.load(index + r)
    c = tl.arange(0, BLOCK)
    m = c < D
    tl.atomic_add(out + dst * D + c, tl.load(src + r * D + c, mask=m), mask=m, sem="relaxed")


def kernel_function(src, index):
    out = src.new_zeros(16, src.size(1))
    scatter_kernel[(src.size(0),)](src, index, out, src.size(1), BLOCK=triton.next_power_of_2(src.size(1)))
    return out

# problem: relu
# expect: accepted
# why: every kind of loop and its options; conditional expressions; augmented assignments
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    for k in tl.range(0, 4, num_stages=3, flatten=False, warp_specialize=False, disallow_acc_multi_buffer=True, loop_unroll_factor=2):
        off += k - k
    for k in tl.static_range(0, 4, 2):
        off += k - k
    for k in range(4, 0, -1):
        off += k - k
    k = 0
    while k < 4:
        k += 1
    off += k - 4
    scale = 1.0 if BLOCK > 16 else 2.0
    other = 1.0 if n > 0 else 2.0
    x *= scale * other
    at = offs
    at //= 1
    at <<= 0
    at |= 0
    at &= -1
    at %= 1 << 30
    x = tl.load(x_ptr + at, mask=(at < n) & ~(at < 0) | (at == 0), other=0)
    off += (-i) % 3 + (-i) // 3 * 3 + i
    if tl.program_id(0) * BLOCK >= n:
        return
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

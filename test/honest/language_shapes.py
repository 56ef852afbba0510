# problem: relu
# expect: accepted
# why: join, split, interleave, cat, view, reshape, trans, permute, broadcast, expand_dims
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    x, twin = tl.split(tl.join(x, x))
    both = tl.reshape(tl.interleave(x, twin), (BLOCK, 2))
    x, twin = tl.split(both)
    off += tl.sum(tl.cat(i * 0, i * 0 + 1, can_reorder=True)) - BLOCK
    v = tl.reshape(tl.view(x, (BLOCK // 16, 16)), (16, BLOCK // 16))
    v = tl.trans(tl.permute(tl.trans(v), (1, 0)).T, 1, 0)
    v = tl.reshape(tl.expand_dims(v, 0), (BLOCK,), can_reorder=False)
    v = v[None, :, None].permute(2, 0, 1).reshape([BLOCK])
    v = v.expand_dims(0).broadcast_to(1, BLOCK).ravel()
    wide, zeros = tl.broadcast(v[:, None], tl.zeros((1, 4), tl.float32))
    x = tl.max(wide, 1)
    x = tl.where(i < BLOCK, v, x)
    first, second = tl.swizzle2d(i % 4, i // 4 % 4, 4, 4, 2)
    off += 0 * first
    pair = (x, i)
    x = pair[0] * (len(pair) - 1)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

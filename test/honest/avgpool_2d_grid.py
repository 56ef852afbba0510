# problem: avgpool2d
# expect: accepted
# why: asserts with f-strings, a try/finally and a ValueError in the wrapper
import torch
import triton
import triton.language as tl


@triton.jit
def avgpool(x_ptr, y_ptr, H, W, OH, OW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BLOCK)
    mask = ow < OW
    base = x_ptr + plane * H * W + 2 * oh * W + 2 * ow
    total = tl.load(base, mask=mask) + tl.load(base + 1, mask=mask)
    total += tl.load(base + W, mask=mask) + tl.load(base + W + 1, mask=mask)
    tl.store(y_ptr + (plane * OH + oh) * OW + ow, total * 0.25, mask=mask)


def kernel_function(x):
    if x.dim() != 4:
        raise ValueError(f"expected four dimensions, got {x.dim()} of shape {tuple(x.shape)}")
    assert x.dtype in (torch.float32, torch.float16), f"unsupported dtype {x.dtype}"
    b, c, h, w = x.shape
    y = torch.empty((b, c, h // 2, w // 2), dtype=x.dtype, device=x.device)
    launched = 0
    try:
        avgpool[(b * c, h // 2)](x, y, h, w, h // 2, w // 2, BLOCK=triton.next_power_of_2(w // 2))
        launched += 1
    finally:
        assert launched <= 1
    return y

# problem: relu
# expect: accepted
# why: tl.maximum looks as if it swallowed NaN, but propagate_nan keeps it
import torch
import triton
import triton.language as tl


@triton.jit
def _relu_kernel(src, dst, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + offs, mask=offs < n, other=0.0)
    y = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(dst + offs, y, mask=offs < n)


def kernel_function(x: torch.Tensor) -> torch.Tensor:
    assert x.dtype == torch.float32, f"expected float32, got {x.dtype}"
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() == 0:
        return out
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    _relu_kernel[grid](x, out, x.numel(), BLOCK=512)
    return out

# problem: maxpool2d
# expect: accepted
# why: fields of a module under the names of a layer's
import torch
import triton
import triton.language as tl


import torch.nn as nn


@triton.jit
def mp(x_ptr, y_ptr, H, W, OH, OW, total, K: tl.constexpr, S: tl.constexpr, PAD: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < total
    ow, oh, nc = o % OW, (o // OW) % OH, o // (OW * OH)
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    for kh in range(K):
        for kw in range(K):
            ih = oh * S - PAD + kh
            iw = ow * S - PAD + kw
            ok = m & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
            v = tl.load(x_ptr + nc * H * W + ih * W + iw, mask=ok, other=float("-inf"))
            best = tl.where((v > best) | (v != v), v, best)
    tl.store(y_ptr + o, best, mask=m)


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int = 3, stride: int = 2, padding: int = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        k, s, p = self.kernel_size, self.stride, self.padding
        oh = (h + 2 * p - k) // s + 1
        ow = (w + 2 * p - k) // s + 1
        y = torch.empty((n, c, oh, ow), device=x.device, dtype=x.dtype)
        total = y.numel()
        grid = lambda meta: (triton.cdiv(total, meta["BLOCK"]),)
        mp[grid](x, y, h, w, oh, ow, total, K=k, S=s, PAD=p, BLOCK=256)
        return y

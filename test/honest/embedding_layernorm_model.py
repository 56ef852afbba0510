# problem: embedding_layernorm
# expect: accepted
# why: layers own the weights; the problem's input makers, with numpy, are left in the file
import torch
import torch.nn as nn
import triton
import triton.language as tl
import numpy


@triton.jit
def emb_ln(idx_ptr, w_ptr, g_ptr, b_ptr, out_ptr, D, eps, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.load(idx_ptr + t)
    c = tl.arange(0, BLOCK)
    m = c < D
    x = tl.load(w_ptr + i * D + c, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / D
    xc = tl.where(m, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(xc * xc, 0) / D + eps)
    y = xc * rstd * tl.load(g_ptr + c, mask=m, other=0.0) + tl.load(b_ptr + c, mask=m, other=0.0)
    tl.store(out_ptr + t * D + c, y, mask=m)


class ModelNew(nn.Module):
    """Embedding followed by layer norm, fused."""

    def __init__(self, v: int, d: int):
        super(ModelNew, self).__init__()
        self.emb = nn.Embedding(v, d)
        self.norm = nn.LayerNorm(d)
        self.eps = self.norm.eps
        self.d = d

    def extra_repr(self) -> str:
        return f"d={self.d}"

    def forward(self, idx: torch.Tensor) -> torch.Tensor:
        flat = idx.reshape(-1)
        out = torch.empty(*idx.shape, self.d, device=self.emb.weight.device, dtype=self.emb.weight.dtype)
        emb_ln[(flat.numel(),)](flat, self.emb.weight, self.norm.weight, self.norm.bias, out, self.d, self.eps, BLOCK=triton.next_power_of_2(self.d))
        return out


def get_inputs():
    return [torch.from_numpy(numpy.random.randint(0, 50, (4, 12)))]


def get_init_inputs():
    return [50, 48]

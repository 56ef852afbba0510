# problem: softmax_rows
# expect: accepted
# why: settings of PyTorch, a seed, checks of the argument: none of that computes
import torch
import triton
import triton.language as tl
from typing import Dict


@triton.jit
def sm(x, y, D, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * D + c, v / tl.sum(v, 0), mask=c < D)


torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.benchmark = True
torch.set_float32_matmul_precision("high")
torch.manual_seed(42)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CONFIGS: Dict[str, Dict[str, int]] = {"small": {"num_warps": 4, "num_stages": 2}, "large": {"num_warps": 8, "num_stages": 3}}


def kernel_function(x):
    assert x.is_cuda, "Input must be on CUDA"
    assert x.dtype in (torch.float16, torch.float32, torch.bfloat16), f"unsupported dtype {x.dtype}"
    assert isinstance(x, torch.Tensor)
    assert x.dim() == 2 and x.device.type == DEVICE.type
    x = x.to(DEVICE).contiguous()
    cfg = CONFIGS["small" if x.shape[-1] < 1024 else "large"]
    y = torch.empty(x.size(), device=x.device, dtype=x.dtype, layout=x.layout)
    with torch.cuda.device(x.device):
        sm[(x.shape[0], 1, 1)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]), **cfg)
    torch.cuda.synchronize()
    return y

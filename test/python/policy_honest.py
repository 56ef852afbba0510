"""Rows for test_policy.py: honest files, all accepted. Same form as policy_rows.py."""

from policy_rows import HEAD, KERNEL, LAUNCH, host, kernel, last, model, module

AUTOTUNED = HEAD + '''
import functools
from typing import Optional, Tuple


def get_configs():
    return [triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=w, num_stages=s)
            for m in (32, 64) for n in (32, 64) for w, s in ((4, 2), (8, 3))]


def prune(configs, named_args, **kwargs):
    """torch.matmul would be one line; see torch.nn.functional.linear."""
    return [c for c in configs if c.kwargs["BLOCK_M"] <= max(named_args["M"], 32)]


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476))


@triton.autotune(configs=get_configs(), key=["M", "N"], prune_configs_by={"early_config_prune": prune}, reset_to_zero=["out"])
@triton.heuristics({"EVEN": lambda args: args["N"] % args["BLOCK_N"] == 0})
@triton.jit(do_not_specialize=["K"])
def linear(x, w, out, M, N, K, ACT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, EVEN: tl.constexpr):
    # torch.matmul(x, w) in tiles
    """Computes what torch.nn.functional.linear(x, w) computes."""
    pid = tl.program_id(axis=0)
    rm = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, 32)):
        a = tl.load(x + rm[:, None] * K + tl.arange(0, 32)[None, :], mask=rm[:, None] < M, other=0.0)
        b = tl.load(w + tl.arange(0, 32)[:, None] * N + tl.arange(0, BLOCK_N)[None, :])
        acc += tl.dot(a, b, input_precision="ieee")
    if ACT == "gelu":
        acc = gelu(acc)
    tl.atomic_add(out + rm[:, None] * N + tl.arange(0, BLOCK_N)[None, :], acc.to(out.dtype.element_ty))


def kernel_function(x: torch.Tensor, weight: Optional[torch.Tensor] = None) -> Tuple[torch.Tensor, ...]:
    assert x.dim() == 2 and weight.shape[1] == x.shape[1], f"bad shapes {x.shape} and {tuple(weight.shape)}"
    if x.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        raise TypeError(f"unsupported dtype {x.dtype}")
    if not isinstance(x, torch.Tensor):
        raise ValueError("not a tensor")
    (M, K), N = x.shape, weight.shape[0]
    matmul = x.new_zeros((M, N), dtype=torch.float32)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    with torch.cuda.device(x.device):
        linear[grid](x.contiguous(), weight.t(), matmul, M, N, K, ACT="gelu")
    return matmul
'''

STYLES = HEAD + '''
from __future__ import annotations
'''.replace("from __future__ import annotations\n", "") + '''
import enum
from dataclasses import dataclass, field
from collections import defaultdict, namedtuple
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as device_math
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LOG2E: tl.constexpr = tl.constexpr(1.4426950408889634)
EPS = tl.constexpr(1e-5)
TL_TYPES = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32}
__all__ = ["kernel_function"]
Plan = namedtuple("Plan", ["rows", "cols"])


class Act(enum.Enum):
    NONE = 0
    RELU = 1


@dataclass(frozen=True)
class Config:
    block: int = 128
    warps: int = field(default=4)
    sizes: list = field(default_factory=list)

    @property
    def bytes_per_row(self) -> int:
        return self.block * 4

    @staticmethod
    def best(n: int) -> "Config":
        return Config(block=triton.next_power_of_2(n))


class Launcher:
    def __init__(self, fn, cfg: Config):
        self.fn = fn
        self._cfg = cfg
        self.calls = 0

    def __call__(self, x, out):
        self.calls += 1
        self.fn[(triton.cdiv(x.numel(), self._cfg.block),)](x, out, x.numel(), B=self._cfg.block, num_warps=self._cfg.warps)
        return out


@triton.jit
def helper(v, t: tl.constexpr):
    return tl.where(v > 0, v, libdevice.expm1(v) * t)


@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr, MODE: tl.constexpr = 0):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x_ptr + i, mask=m, other=float("-inf")).to(tl.float32)
    s = tl.sum(tl.exp2((v - tl.max(v, axis=0)) * LOG2E), axis=0)
    if MODE == 1:
        v = device_math.tanh(v) + math.pi
    for j in tl.static_range(2):
        v = helper(v, 1.0) / (s + EPS)
    tl.device_assert(s > 0, "sum")
    p = tl.make_block_ptr(y_ptr, (n,), (1,), (0,), (B,), (0,))
    tl.store(p, v.to(y_ptr.dtype.element_ty), boundary_check=(0,))


def alloc_fn(size: int, alignment: int, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


def pick(n, *, table=defaultdict(int)):
    sizes = sorted({64, 128, 256}, reverse=True)
    for size in sizes:
        if n % size == 0 and hasattr(tl, "make_tensor_descriptor"):
            return size
    else:
        return sizes[-1]


@torch.no_grad()
def kernel_function(x, *, weight=None, eps: float = 1e-5, **unused):
    plan = Plan(rows=x.shape[0], cols=x.shape[-1])
    cfg = Config.best(plan.cols)
    run = Launcher(k, cfg)
    out = torch.full_like(x, torch.finfo(torch.float32).min)
    if Act.RELU.value == 1 and x.is_contiguous():
        triton.set_allocator(alloc_fn)
    desc = TensorDescriptor.from_tensor(out, [cfg.block])
    desc.block_shape = [64]
    msg = ", ".join(str(s) for s in x.stride())
    print("strides", msg, cfg.bytes_per_row, run.calls)
    sm = torch.cuda.get_device_properties(x.device).multi_processor_count if x.is_cuda else 1
    out = run(x.view(-1), out.reshape(-1))
    while out.ndim > 1:
        out = out.flatten()
    return out.view(x.shape), pick(sm)


def get_inputs():
    return [torch.rand(4, 4).relu()]


if __name__ == "__main__":
    import os
    x = torch.randn(4, 4)
    assert torch.allclose(kernel_function(x)[0], torch.relu(x)), os.getcwd()
'''

KERNELBENCH = HEAD + KERNEL + '''
import torch.nn.functional as F


def run(x, weight, bias, stride=1):
    out = torch.empty((x.shape[0], weight.shape[0]), device=x.device, dtype=x.dtype)
    k[(out.numel(),)](x, out, out.numel(), B=64)
    return out


class Block(nn.Module):
    def __init__(self, n):
        super(Block, self).__init__()
        self.weight = nn.Parameter(torch.randn(n, n) * 0.02)
        self.register_buffer("mask", torch.tril(torch.ones(n, n)))
        turns = torch.outer(torch.arange(n).float(), 1.0 / 10000 ** (torch.arange(0, n, 2) / n))
        self.register_buffer("cos", torch.cat((turns, turns), dim=-1).cos(), persistent=False)
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return run(x, self.weight, self.mask)


class ModelNew(nn.Module):
    """Same as Model: nn.Linear, then F.relu."""

    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.linear = nn.Linear(n, n)
        self.norm = nn.LayerNorm(n, eps=eps).eval()
        self.relu = nn.ReLU()
        self.blocks = nn.ModuleList([Block(n) for _ in range(2)])
        self.eps = eps
        self._plan = {}

    def _pad(self, x):
        return x.unsqueeze(0)

    def forward(self, x):
        x = run(self._pad(x), self.linear.weight, self.get_parameter("linear.bias"))
        for block in self.blocks:
            x = block(x)
        return run(x, self.norm.weight, self.norm.bias, stride=self.norm.eps + self.eps)


batch_size = 16


def get_inputs():
    return [torch.rand(batch_size, 4)]


def get_init_inputs():
    return [4]
'''

AUTOGRAD = HEAD + KERNEL + '''
class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        y = torch.empty_like(x)
        k[(1,)](x, y, x.numel(), B=64)
        ctx.save_for_backward(x, y)
        ctx.eps = eps
        return y


def kernel_function(x):
    return Op.apply(x, 1e-5)
'''

MESSAGES = HEAD + KERNEL + '''
import logging
import warnings

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO, format="%(message)s")
warnings.filterwarnings("ignore")


def kernel_function(x):
    if not x.is_contiguous():
        warnings.warn("a strided input is slow", UserWarning, stacklevel=2)
        logger.warning("shape %s", tuple(x.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        logging.info("with %d elements", x.numel())
    y = torch.empty_like(x)
    k[(1,)](x, y, x.numel(), B=64)
    return y
'''

ROWS: list[tuple[str, str, str]] = [
    ("messages", "", MESSAGES),
    ("autotuned", "", AUTOTUNED),
    ("many styles", "", STYLES),
    ("kernelbench", "", KERNELBENCH),
    ("autograd function", "", AUTOGRAD),
    ("plain", "", HEAD + KERNEL + LAUNCH),
    ("crlf", "", (HEAD + KERNEL + LAUNCH).replace("\n", "\r\n")),
    ("byte order mark", "", "\ufeff" + HEAD + KERNEL + LAUNCH),
    ("utf-8 cookie", "", "# -*- coding: utf-8 -*-\n" + HEAD + KERNEL + LAUNCH),
    ("unicode comment", "", HEAD + "# größer als π\n" + KERNEL + LAUNCH),
    ("future", "", "from __future__ import annotations\n" + HEAD + KERNEL + LAUNCH),
    ("function import", "", host("import math as m\ny = torch.empty(m.ceil(x.numel() / 2))\nk[(1,)](x, y, 1, B=64)\nreturn y")),
    ("alias of an allowed name", "", host("e = torch.empty_like\ny = e(x)\nk[(1,)](x, y, 1, B=64)\nreturn y")),
    ("kernel passed to an own function", "", module("def launch(kern, x, *a):\n    kern[(1,)](x, *a)\ndef g(x):\n    launch(k, x, x, 1, 64)")),
    ("kernel in a table", "", module("TABLE = {'a': k}\ndef g(x):\n    TABLE['a'][(1,)](x, x, 1, B=64)")),
    ("kernel chosen", "", module("def g(x):\n    kern = k if x.is_cuda else k\n    kern[(1,)](x, x, 1, B=64)")),
    ("local names of torch functions", "", host("matmul = x.shape[0]\nsum_ = softmax = matmul + 1\nreturn x.new_empty(softmax)")),
    ("parameter named input", "", module("def g(input, type, id):\n    return input.shape, type, id")),
    ("jit by call", "", module("def plain(x):\n    tl.store(x, 1)\nfast = triton.jit(plain)\ndef g(x):\n    fast[(1,)](x)")),
    ("autotune by call", "", module("tuned = triton.autotune(configs=[triton.Config({'B': 64})], key=['n'])(k)\ndef g(x):\n    tuned[(1,)](x, x, 1)")),
    ("try import", "", module("try:\n    from triton.language.extra import libdevice\nexcept ImportError:\n    from triton.language.extra.cuda import libdevice")),
    ("config hook", "", module("def hook(nargs):\n    nargs['x'].zero_()\ncs = [triton.Config({'B': 1}, pre_hook=hook)]")),
    ("generator function", "", module("def tiles(n):\n    for i in range(n):\n        yield i, i + 1\ncs = list(tiles(3))")),
    ("lru cache of a plan", "", module("import functools\n@functools.lru_cache(maxsize=None)\ndef plan(n):\n    return triton.cdiv(n, 64)")),
    ("exceptions", "", module("class ShapeError(ValueError):\n    pass\ndef g(x):\n    try:\n        return x.shape[3]\n    except (IndexError, ShapeError) as e:\n        raise ShapeError(str(e)) from e")),
    ("match", "", host("match x.dim():\n    case 1:\n        n = 1\n    case 2 | 3:\n        n = 2\n    case _:\n        raise ValueError\nreturn x.new_empty(n)")),
    ("match class", "", host("match x:\n    case torch.Tensor(shape=s):\n        return x.new_empty(s)\n    case _:\n        raise ValueError")),
    ("global counter", "", module("calls = 0\ndef g():\n    global calls\n    calls += 1\n    return calls")),
    ("nested helper", "", host("def grid(meta):\n    return (triton.cdiv(x.numel(), meta['B']),)\nk[grid](x, x, 1, B=64)\nreturn x")),
    ("star arguments", "", host("args = (x, x, 1)\nk[(1,)](*args, **{'B': 64})\nreturn x")),
    ("views", "", host("y = x.transpose(0, 1).expand(2, -1, -1).unflatten(0, (1, 2)).T\nreturn y.as_strided((1,), (1,))")),
    ("dtype attributes", "", host("n = torch.float32.itemsize + x.dtype.itemsize + x.element_size()\nreturn x.new_empty(n)")),
    ("info", "", host("big = torch.finfo(x.dtype).max\nlow = torch.iinfo(torch.int32).min\nreturn torch.full((1,), big + low)")),
    ("version", "", module("NEW = tuple(int(p) for p in triton.__version__.split('.')[:2]) >= (3, 2)")),
    ("active device", "", module("DEVICE = triton.runtime.driver.active.get_active_torch_device()")),
    ("assembly on registers", "", kernel("z = tl.inline_asm_elementwise('tanh.approx.f32 $0, $1;', '=r,r', [tl.load(x)], tl.float32, True, 1)\ntl.store(y, z)")),
    ("reductions with an own combine", "", kernel("v = tl.load(x + tl.arange(0, B))\ntl.store(y, tl.reduce(v, 0, add))", "@triton.jit\ndef add(a, b):\n    return a + b")),
    ("descriptors in a kernel", "", kernel("d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [B, B])\nv = d.load([0, 0])\nd.store([0, 0], v.T.to(v.dtype))")),
    ("while and static_assert", "", kernel("tl.static_assert(B > 1)\ni = 0\nwhile i < n:\n    tl.store(y + i, tl.load(x + i))\n    i += B")),
    ("weights by list", "", model("ls = []\nfor _ in range(2):\n    ls.append(nn.Linear(n, n))\nself.ls = nn.ModuleList(ls)", "for l in self.ls:\n    x = helper(x, l.weight, l.bias)\nreturn x") + "\ndef helper(x, w, b):\n    return x\n"),
    ("layer handed to an own function", "", model("self.c = nn.Conv2d(1, 1, 1)", "return helper(x, self.c)") + "\ndef helper(x, c):\n    return c.weight\n"),
    ("optional layer", "", model("self.c = nn.Linear(n, n) if n else None", "if self.c is not None:\n    return self.c.weight\nreturn x")),
    ("main block only", "", last("if __name__ == '__main__':\n    import os, sys\n    print(torch.relu(torch.rand(4)), eval('1'))")),
]

"""Triton kernels for linear_gelu_softmax_problem.py, composed of 2 parts.

1. linear_gelu: linear_gelu_kernel: linear, gelu over (1, batch_size, out_features) (ieee products)
2. softmax, the function softmax_part: softmax_kernel: softmax over (rows, columns)

`python composed_kernel.py` compares kernel_function with the original program.
Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_gelu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, batch_size, out_features, in_features, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        batch_size, out_features, in_features = tl.cast(batch_size, tl.int64), tl.cast(out_features, tl.int64), tl.cast(in_features, tl.int64)
    tile = tl.program_id(0)
    down = tl.cdiv(batch_size, BM)
    across = tl.cdiv(out_features, BN)
    group = tile // (GROUP * across)
    first = group * GROUP
    tall = tl.minimum(down - first, GROUP)
    m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]
    n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]
    step_a = tl.arange(0, BK)[None, :]
    step_b = tl.arange(0, BK)[:, None]
    if WIDE:
        m = m.to(tl.int64)
        n = n.to(tl.int64)
        step_a = step_a.to(tl.int64)
        step_b = step_b.to(tl.int64)
    m_ok = m < batch_size
    n_ok = n < out_features
    acc = tl.zeros((BM, BN), tl.float32)
    x_from = x_ptr + in_features*m
    weight_from = weight_ptr + in_features*n
    for k in range(0, in_features, BK):
        ka = k + step_a
        kb = k + step_b
        ka_ok = ka < in_features
        kb_ok = kb < in_features
        x = tl.load(x_from + ka, mask=ka_ok & m_ok, other=0.0)
        weight = tl.load(weight_from + kb, mask=kb_ok & n_ok, other=0.0)
        acc = tl.dot(x, weight, acc, input_precision=PRECISION)
    bias = tl.load(bias_ptr + n, mask=n_ok, other=0.0)
    add = acc + bias
    mul = 0.5 * add
    mul_1 = add * 0.7071067811865476
    erf = tl.erf(mul_1)
    add_1 = 1.0 + erf
    mul_2 = mul * add_1
    place = tl.broadcast_to(m*out_features + n, mul_2.shape)
    tl.store(out_ptr + place, mul_2, mask=m_ok & n_ok)


def linear_gelu(x, *, fc_weight, fc_bias):
    out_features = fc_weight.shape[0]
    in_features = fc_weight.shape[1]
    batch_size = x.shape[0]
    if x.shape != (batch_size, in_features):
        raise ValueError(f"x is {tuple(x.shape)}, where {(batch_size, in_features)} was expected")
    fc_weight = fc_weight.contiguous()
    fc_bias = fc_bias.contiguous()
    x = x.contiguous()
    gelu = torch.empty((batch_size, out_features), dtype=torch.float32, device=fc_weight.device)
    linear_gelu_kernel[(triton.cdiv(batch_size, 64) * triton.cdiv(out_features, 64),)](
        x, fc_weight, fc_bias, gelu, batch_size, out_features, in_features, BM=64, BN=64, BK=32, GROUP=8, PRECISION="ieee", WIDE=batch_size*in_features + batch_size*out_features + in_features*out_features >= 2**31, num_warps=4, num_stages=3,
    )
    return gelu


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


def rows_of(length):
    """How many rows make a tile."""
    return max(1, 4096 // triton.next_power_of_2(length))


@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    if WIDE:
        rows, columns = tl.cast(rows, tl.int64), tl.cast(columns, tl.int64)
    row = tl.program_id(0)
    if WIDE:
        row = row.to(tl.int64)
    row = row * ROWS + tl.arange(0, ROWS)[:, None]
    row_ok = row < rows
    col = tl.arange(0, BLOCK)[None, :]
    col_ok = col < columns
    x = tl.load(x_ptr + (col + columns*row), mask=col_ok & row_ok, other=0.0)
    x_1 = tl.where(col_ok, x, float("-inf"))
    max_1 = tl.reduce(x_1, 1, largest)[:, None]
    sub = x - max_1
    exp = tl.exp(sub)
    x_2 = tl.where(col_ok, exp, 0.0)
    total = tl.sum(x_2, axis=1)[:, None]
    div = exp / total
    tl.store(out_ptr + (col + columns*row), div, mask=col_ok & row_ok)


def softmax_part(x):
    rows = x.shape[0]
    columns = x.shape[1]
    x = x.contiguous()
    softmax = torch.empty((rows, columns), dtype=torch.float32, device=x.device)
    softmax_kernel[(triton.cdiv(rows, rows_of(columns)),)](
        x, softmax, rows, columns, ROWS=rows_of(columns), BLOCK=triton.next_power_of_2(columns), WIDE=columns*rows >= 2**31, num_warps=4, num_stages=2,
    )
    return softmax


def kernel_function(x, *, fc_weight, fc_bias):
    gelu = linear_gelu(x, fc_weight=fc_weight, fc_bias=fc_bias)
    softmax = softmax_part(gelu)
    del gelu
    return softmax


if __name__ == "__main__":

    def self_test(text, name, target, mode):
        """Runs the original program and kernel_function on the same numbers; returns the exit code."""
        import inspect
        import linecache
        import os
        import random
        import sys
        import types

        import torch

        def device():
            if os.environ.get("TRITON_INTERPRET") == "1":
                return "cpu"
            if torch.cuda.is_available():
                return "cuda"
            return "xpu" if hasattr(torch, "xpu") and torch.xpu.is_available() else None

        def seed(number):
            torch.manual_seed(number)
            random.seed(number)
            if "numpy" in sys.modules:
                sys.modules["numpy"].random.seed(number)

        def sample(names, suffix):
            tries = [f"{stem}_{suffix}" for stem in (target, f"get_{target}", target.lower(), f"get_{target.lower()}", "get")]
            found = [names[each] for each in tries if callable(names.get(each))]
            values = found[0]() if found else []
            return list(values) if isinstance(values, (list, tuple)) else [values]

        def load():
            module = types.ModuleType("problem")
            module.__file__ = name
            sys.modules["problem"] = module
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            exec(compile(text, name, "exec"), module.__dict__)
            return module.__dict__

        def build(names, place):
            model = names[target]
            if isinstance(model, type):
                arguments = sample(names, "init_inputs")
                seed(0)
                model = model(*arguments)
            if not isinstance(model, torch.nn.Module):
                return model
            return model.to(place).eval() if mode == "eval" else model.to(place)

        def state(model):
            if not isinstance(model, torch.nn.Module):
                return {}
            named = [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]
            return {each.replace(".", "_"): tensor.detach().clone() for each, tensor in named}

        def fresh(values, place):
            return [value.detach().to(place, copy=True) if isinstance(value, torch.Tensor) else value for value in values]

        def differences(want, got, where):
            if isinstance(want, dict):
                if not isinstance(got, dict) or set(want) != set(got):
                    return [f"{where} is not a dictionary with the keys {sorted(map(str, want))}"]
                return [line for key in want for line in differences(want[key], got[key], f"{where}[{key!r}]")]
            if isinstance(want, (list, tuple)):
                if not isinstance(got, (list, tuple)) or len(want) != len(got):
                    return [f"{where} is not a sequence of {len(want)}"]
                return [line for i, pair in enumerate(zip(want, got)) for line in differences(*pair, f"{where}[{i}]")]
            if not isinstance(want, torch.Tensor):
                return [] if want == got else [f"{where} is {got!r} instead of {want!r}"]
            if not isinstance(got, torch.Tensor) or (got.shape, got.dtype) != (want.shape, want.dtype):
                found = f"{got.dtype} {tuple(got.shape)}" if isinstance(got, torch.Tensor) else type(got).__name__
                return [f"{where} is {found} instead of {want.dtype} {tuple(want.shape)}"]
            return values_differ(want, got, where)

        def values_differ(want, got, where):
            short, exact = want.dtype in (torch.float16, torch.bfloat16), not (want.dtype.is_floating_point or want.dtype.is_complex)
            limit = 0.0 if exact else 1e-2 if short else 1e-3
            if short:
                want, got = want.float(), got.float()
            wrong = got != want if exact else ~torch.isclose(got, want, rtol=limit, atol=limit, equal_nan=True)
            if not bool(wrong.any()):
                return []
            error = (got - want).abs() if not exact else wrong.float()
            worst = int(error.nan_to_num(float("inf")).where(wrong, 0.0).flatten().argmax())
            spot = tuple(int(i) for i in torch.unravel_index(torch.tensor(worst), want.shape))
            pair = f"{got.flatten()[worst].item()} instead of {want.flatten()[worst].item()}"
            return [f"{where}: {int(wrong.sum())} of {want.numel()} elements differ by more than {limit}; at {spot} it is {pair}"]

        place = device()
        if place is None:
            print("this machine has no GPU that PyTorch can use (cuda or xpu); TRITON_INTERPRET=1 runs the kernels on the CPU")
            return 3
        seed(0)
        with torch.no_grad():
            names = load()
            model = build(names, place)
            seed(1)
            inputs = sample(names, "inputs")
            given = state(model)
            weights = [each.name for each in inspect.signature(kernel_function).parameters.values() if each.kind is each.KEYWORD_ONLY]
            missing = [each for each in weights if each not in given]
            if missing:
                print(f"FAIL: {name} has no weight {', '.join(missing)}")
                return 1
            seed(2)
            want = model(*fresh(inputs, place))
            seed(2)
            got = kernel_function(*fresh(inputs, place), **{each: given[each] for each in weights})
        found = differences(want, got, "the result")
        if found:
            print("\n".join(f"FAIL: {line}" for line in found))
            return 1
        print(f"PASS: kernel_function computes what {name} computes, on {place}")
        print("ALL_TESTS_PASSED")
        return 0

    raise SystemExit(self_test("""\
\"""Two programs for which there are generated kernels, one after the other.\"""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.softmax(torch.nn.functional.gelu(self.fc(x)), dim=-1)


def get_inputs():
    return [torch.randn(32, 48)]


def get_init_inputs():
    return [48, 40]
""", name="linear_gelu_softmax_problem.py", target="Model", mode="train"))

"""gated rows: Triton kernels for gated.py, composed of 3 parts.

1. gate, the function gate_part: times_kernel: mul over (rows, columns)
2. clamps: times_kernel_1
3. shift: as gate

`python composed_kernel.py` compares kernel_function with the original program.
Written by kernelagent 0.1.0.
"""

import torch
import triton
import triton.language as tl


BLOCK = tl.constexpr(256)


def blocks(count):
    """How many programs cover the elements."""
    return triton.cdiv(count, BLOCK.value)


@triton.jit
def at(block):
    return block * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def times_kernel(x_ptr, weight_ptr, out_ptr, count, columns):
    i = at(tl.program_id(0))
    x = tl.load(x_ptr + i, mask=i < count)
    weight = tl.load(weight_ptr + i % columns, mask=i < count)
    tl.store(out_ptr + i, x * weight, mask=i < count)


def gate_part(x, *, weight):
    times = torch.empty_like(x)
    times_kernel[(blocks(x.numel()),)](x, weight, times, x.numel(), x.shape[-1])
    return times


LIMIT = tl.constexpr(0.0)  # what high is not below, and low not above


@triton.jit
def at_1(block, count):
    i = block * BLOCK + tl.arange(0, BLOCK)
    return i, i < count


@triton.jit
def times_kernel_1(x_ptr, high_ptr, low_ptr, count):
    i, ok = at_1(tl.program_id(0), count)
    x = tl.load(x_ptr + i, mask=ok)
    tl.store(high_ptr + i, tl.where(x < LIMIT, LIMIT, x), mask=ok)
    tl.store(low_ptr + i, tl.where(x > LIMIT, LIMIT, x), mask=ok)


def clamps(x):
    high, low = torch.empty_like(x), torch.empty_like(x)
    times_kernel_1[(blocks(x.numel()),)](x, high, low, x.numel())
    return high, low


def kernel_function(x, *, gate, shift):
    scaled = gate_part(x, weight=gate)
    high, low = clamps(scaled)
    del scaled
    shifted = gate_part(high, weight=shift)
    del high
    return {'shifted': shifted, 'low': low}


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
\"""A small program in three parts, two of which have kernels and helpers of the same name.\"""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(features))
        self.shift = nn.Parameter(torch.randn(features))

    def forward(self, x):
        scaled = x * self.gate
        high, low = scaled.clamp(min=0.0), scaled.clamp(max=0.0)
        return {"shifted": high * self.shift, "low": low}


def get_inputs():
    return [torch.randn(48, 100)]


def get_init_inputs():
    return [100]
""", name="gated.py", target="Model", mode="train"))

"""Runs the same small kernels on a GPU or in the CPU interpreter and writes the answers to a file, so that the two can be compared.

    python interp_probe.py gpu.npz                     on a machine with a GPU
    TRITON_INTERPRET=1 python interp_probe.py cpu.npz  anywhere
    python interp_probe.py --compare gpu.npz cpu.npz   differences, worst first

This is how the findings of docs/interpreter.md were made.
"""
from __future__ import annotations

import importlib.util
import inspect
import os
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BRIDGE = HERE.parents[1] / "python" / "bridge"

HEADER = """import triton
import triton.language as tl
from triton.language.extra import libdevice
"""
# name: (body, input types, output type, elements of output). x, y, z are blocks of N elements, o is the output pointer, i = arange.
BODIES: dict[str, tuple[str, str, str, int]] = {
    "max": ("tl.store(o, tl.max(x, axis=0))", "fp32", "fp32", 1),
    "min": ("tl.store(o, tl.min(x, axis=0))", "fp32", "fp32", 1),
    "argmax": ("tl.store(o, tl.argmax(x, axis=0))", "fp32", "int32", 1),
    "argmin": ("tl.store(o, tl.argmin(x, axis=0))", "fp32", "int32", 1),
    "argmax_value": ("v, j = tl.max(x, axis=0, return_indices=True)\n    tl.store(o, v)", "fp32", "fp32", 1),
    "maximum": ("tl.store(o + i, tl.maximum(x, y))", "fp32 fp32", "fp32", 0),
    "minimum": ("tl.store(o + i, tl.minimum(x, y))", "fp32 fp32", "fp32", 0),
    "maximum_all": ("tl.store(o + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))", "fp32 fp32", "fp32", 0),
    "clamp": ("tl.store(o + i, tl.clamp(x, -1.0, 1.0))", "fp32", "fp32", 0),
    "clamp_all": ("tl.store(o + i, tl.clamp(x, -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL))", "fp32", "fp32", 0),
    "where_relu": ("tl.store(o + i, tl.where(x > 0, x, 0.0))", "fp32", "fp32", 0),
    "sort": ("tl.store(o + i, tl.sort(x))", "fp32", "fp32", 0),
    "cumsum": ("tl.store(o + i, tl.cumsum(x, axis=0))", "fp32", "fp32", 0),
    "sum_fp16": ("tl.store(o, tl.sum(x.to(tl.float16), axis=0))", "fp32", "fp16", 1),
    "to_int32": ("tl.store(o + i, x.to(tl.int32))", "fp32", "int32", 0),
    "to_int64": ("tl.store(o + i, x.to(tl.int64))", "fp32", "int64", 0),
    "to_int16": ("tl.store(o + i, x.to(tl.int16))", "fp32", "int16", 0),
    "to_int8": ("tl.store(o + i, x.to(tl.int8))", "fp32", "int8", 0),
    "to_uint8": ("tl.store(o + i, x.to(tl.uint8))", "fp32", "uint8", 0),
    "to_uint32": ("tl.store(o + i, x.to(tl.uint32).to(tl.int64))", "fp32", "int64", 0),
    "double_to_int32": ("tl.store(o + i, x.to(tl.int32))", "fp64", "int32", 0),
    "to_bf16": ("tl.store(o + i, x.to(tl.bfloat16).to(tl.int16, bitcast=True))", "fp32", "int16", 0),
    "to_bf16_double": ("tl.store(o + i, x.to(tl.bfloat16).to(tl.int16, bitcast=True))", "fp64", "int16", 0),
    "to_fp16": ("tl.store(o + i, x.to(tl.float16))", "fp32", "fp16", 0),
    "to_fp16_rtz": ("tl.store(o + i, x.to(tl.float16, fp_downcast_rounding='rtz'))", "fp32", "fp16", 0),
    "to_fp8e5": ("tl.store(o + i, x.to(tl.float8e5).to(tl.uint8, bitcast=True))", "fp32", "uint8", 0),
    "to_fp8e4nv": ("tl.store(o + i, x.to(tl.float8e4nv).to(tl.uint8, bitcast=True))", "fp32", "uint8", 0),
    "bf16_add": ("tl.store(o + i, (x.to(tl.bfloat16) + y.to(tl.bfloat16)).to(tl.float32))", "fp32 fp32", "fp32", 0),
    "bf16_mul": ("tl.store(o + i, (x.to(tl.bfloat16) * y.to(tl.bfloat16)).to(tl.float32))", "fp32 fp32", "fp32", 0),
    "idiv": ("tl.store(o + i, x // tl.where(y == 0, 1, y))", "int32 int32", "int32", 0),
    "imod": ("tl.store(o + i, x % tl.where(y == 0, 1, y))", "int32 int32", "int32", 0),
    "shr": ("tl.store(o + i, x >> (i % 40))", "int32", "int32", 0),
    "shl": ("tl.store(o + i, x << (i % 40))", "int32", "int32", 0),
    "umulhi": ("tl.store(o + i, tl.umulhi(x, y))", "int32 int32", "int32", 0),
    "exp": ("tl.store(o + i, tl.exp(x))", "fp32", "fp32", 0), "log": ("tl.store(o + i, tl.log(x))", "fp32", "fp32", 0),
    "sqrt": ("tl.store(o + i, tl.sqrt(x))", "fp32", "fp32", 0), "rsqrt": ("tl.store(o + i, tl.rsqrt(x))", "fp32", "fp32", 0),
    "sin": ("tl.store(o + i, tl.sin(x))", "fp32", "fp32", 0), "erf": ("tl.store(o + i, tl.erf(x))", "fp32", "fp32", 0),
    "div": ("tl.store(o + i, x / y)", "fp32 fp32", "fp32", 0), "fmod": ("tl.store(o + i, x % y)", "fp32 fp32", "fp32", 0),
    "rand": ("tl.store(o + i, tl.rand(7, i))", "fp32", "fp32", 0), "randint": ("tl.store(o + i, tl.randint(7, i))", "fp32", "int32", 0),
    "randn": ("tl.store(o + i, tl.randn(7, i))", "fp32", "fp32", 0),
}
NUMPY: dict[str, Any] = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64, "int8": np.int8, "uint8": np.uint8, "int16": np.int16,
                         "int32": np.int32, "int64": np.int64, "uint32": np.uint32, "uint64": np.uint64}
N = 256


def samples(kind: str, seed: int) -> np.ndarray:
    """Edge values first, then random ones of many sizes."""
    rng = np.random.default_rng(seed)
    dtype = NUMPY[kind]
    if kind.startswith(("int", "uint")):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        edges = [0, 1, 2, 3, high, low, high - 1, low + 1, 255, 256, 65535]
        small = rng.integers(max(low, -1000), 1000, N // 2)
        out = np.concatenate([np.array(edges, dtype=dtype), small.astype(dtype), rng.integers(low, high, N, dtype=dtype)])[:N]
        return rng.permutation(out) if seed else out
    info = np.finfo(dtype)
    edges = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, info.smallest_subnormal,
             -info.smallest_subnormal, 3e9, -3e9, 1e19, -1e19, 100000.0, 448, 57344, 65504, 65520, 127.5, 128, 255.5, 300, 1 + 2**-8, 1 + 3 * 2**-8,
             1 + 2**-11, 1 + 2**-10 + 2**-11, 88.8, -88.8, 709.8, 20.0, 1e-10]
    wide = rng.standard_normal(N) * 10.0**rng.uniform(-6, 6, N)
    mixed = np.concatenate([edges, rng.uniform(-1, 1, N // 4), rng.standard_normal(N // 4), wide])[:N].astype(dtype)
    return rng.permutation(mixed) if seed else mixed


def libdevice_cases() -> dict[str, tuple[str, str, str, int]]:
    """One case per overload of every libdevice function of this Triton."""
    from triton.language.extra.cuda import libdevice
    import triton.language as tl

    found: dict[str, tuple[str, str, str, int]] = {}
    original = tl.core.extern_elementwise
    for name, function in vars(libdevice).items():
        if not tl.core.is_builtin(function):
            continue
        overloads: dict[Any, Any] = {}
        tl.core.extern_elementwise = lambda l, p, a, table, **k: overloads.update(table)
        try:
            inner = getattr(function, "__wrapped__", function)
            while hasattr(inner, "__wrapped__"):
                inner = inner.__wrapped__
            inner(*([None] * (len(inspect.signature(inner).parameters) - 1)))
        except AttributeError:
            pass  # functions that convert the answer to a truth value
        finally:
            tl.core.extern_elementwise = original
        for types, (symbol, result) in overloads.items():
            call = f"libdevice.{name}({', '.join('xyzw'[:len(types)])})"
            kinds = " ".join(t.name for t in types)
            found[f"libdevice.{name}:{symbol}"] = (f"tl.store(o + i, {call})", kinds, result.name, 0)
    return found


def write_module(cases: dict[str, tuple[str, str, str, int]], path: pathlib.Path) -> list[str]:
    text, names = HEADER, []
    for number, (body, kinds, _, _) in enumerate(cases.values()):
        count = len(kinds.split())
        loads = "".join(f"    {v} = tl.load({v}_ptr + i)\n" for v in "xyzw"[:count])
        pointers = ", ".join(f"{v}_ptr" for v in "xyzw"[:count])
        names.append(f"kernel_{number}")
        text += f"\n@triton.jit\ndef kernel_{number}({pointers}, o, N: tl.constexpr):\n    i = tl.arange(0, N)\n{loads}    {body}\n"
    text += """
@triton.jit
def dot_kernel(a, b, c, P: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, M)
    ij = i[:, None] * M + i[None, :]
    tl.store(c + ij, tl.dot(tl.load(a + ij), tl.load(b + ij), input_precision=P))
"""
    path.write_text(text)
    return names


def run_dots(module: Any, device: str, answers: dict[str, np.ndarray]) -> None:
    import torch

    size = 64
    rng = np.random.default_rng(3)
    ones = np.zeros((size, size), np.float32)
    np.fill_diagonal(ones, 1)
    fine = (1 + np.arange(size * size).reshape(size, size) * 2.0**-23).astype(np.float32)  # walks through the bits below TF32's
    for label, left, right in (("bits", fine, ones), ("normal", rng.standard_normal((size, size)), rng.standard_normal((size, size)))):
        for precision in ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"):
            a, b = (torch.tensor(np.asarray(m, np.float32)).to(device) for m in (left, right))
            c = torch.empty(size, size, device=device)
            try:
                module.dot_kernel[(1,)](a, b, c, precision, size)
                answers[f"dot.{precision}.{label}"] = c.cpu().numpy()
            except Exception as error:  # an answer too: this Triton refuses it
                print("dot", precision, type(error).__name__)


def probe(target: str) -> None:
    import torch

    interpret = os.environ.get("TRITON_INTERPRET") == "1"
    if interpret:
        spec = importlib.util.spec_from_file_location("ka_bridge", BRIDGE / "__init__.py", submodule_search_locations=[str(BRIDGE)])
        sys.modules["ka_bridge"] = importlib.util.module_from_spec(spec)
        from ka_bridge.interp import install

        install()
    device = "cpu" if interpret else "cuda"
    cases = {**BODIES, **libdevice_cases()}
    answers: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "probe_kernels.py"
        names = write_module(cases, path)
        spec = importlib.util.spec_from_file_location("probe_kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for kernel, (name, (_, kinds, result, length)) in zip(names, cases.items()):
            inputs = [torch.from_numpy(samples(kind, 7 * at).astype(NUMPY[kind])).to(device) for at, kind in enumerate(kinds.split())]
            if name.startswith(("libdevice.jn", "libdevice.yn")):
                inputs[0] %= 8  # the time of these grows with the order
            output = torch.zeros(length or N, dtype=torch.from_numpy(np.zeros(1, NUMPY[result])).dtype, device=device)
            try:
                getattr(module, kernel)[(1,)](*inputs, output, N)
                answers[name] = output.cpu().numpy()
            except Exception as error:
                print(name, type(error).__name__, str(error).strip().splitlines()[-1:])
        run_dots(module, device, answers)
    np.savez_compressed(target, **answers)
    print(len(answers), "answers")


def compare(first: str, second: str) -> None:
    left, right = np.load(first), np.load(second)
    for name in sorted(set(left.files) ^ set(right.files)):
        print(f"{name}: only in {'the first' if name in left.files else 'the second'}")
    rows = []
    for name in set(left.files) & set(right.files):
        a, b = left[name].astype(np.float64), right[name].astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(all="ignore"):
            gap = np.where(same, 0, np.abs(a - b) / np.maximum(np.abs(a), np.finfo(np.float32).tiny))
        gap = np.nan_to_num(gap, nan=np.inf, posinf=np.inf)
        rows.append((float(gap.max()), name, int((~same).sum()), int(np.argmax(gap)), str(left[name].dtype)))
    for worst, name, count, where, kinds in sorted(rows, reverse=True):
        if count:
            print(f"{name:42} {kinds:8} {count:4} differ, worst {worst:.3g} at {where}: {left[name].flat[where]!r} / {right[name].flat[where]!r}")


if __name__ == "__main__":
    compare(*sys.argv[2:]) if sys.argv[1] == "--compare" else probe(sys.argv[1])

"""Compiles every launch of a kernel file for sm_90 at the given sizes of its problem, and says what it needs.

    python launch_resources.py problem.py kernel.py [OPTION]     one JSON line per launch, or per launch with the option
    python launch_resources.py PROBLEMS KERNELS [OPTION]         the same for two folders, whose files have the same names (eval --no-verify --out KERNELS);
                                                                 `problem` says whose launch it is

No GPU and no memory is used: the problem's inputs and weights are made on PyTorch's meta device, and a launch is compiled
instead of run.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

TARGET = GPUTarget("cuda", 90, 32)
PROBLEM: dict[str, str] = {}  # of two folders, whose launches are compiled now
OPTIONS = ("num_warps", "num_stages", "launch_cooperative_grid", "maxnreg")
POINTERS = {torch.float32: "*fp32", torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.float64: "*fp64", torch.int64: "*i64",
            torch.int32: "*i32", torch.bool: "*i1", torch.uint8: "*u8", torch.int8: "*i8"}


def load(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source_of(function: JITFunction, bound: dict[str, Any]) -> ASTSource:
    signature: dict[str, str] = {}
    constants: dict[tuple[int, ...], Any] = {}
    hints: dict[tuple[int, ...], list] = {}
    for position, parameter in enumerate(function.params):
        value = bound[parameter.name]
        if parameter.is_constexpr or value is None or (isinstance(value, int) and value == 1):
            signature[parameter.name] = "constexpr"
            constants[(position,)] = value
            continue
        if isinstance(value, TensorDescriptor):
            signature[parameter.name] = f"tensordesc<{POINTERS[value.base.dtype][1:]}{list(value.block_shape)}>"
            continue
        is_tensor = isinstance(value, torch.Tensor)
        signature[parameter.name] = POINTERS[value.dtype] if is_tensor else "i32" if abs(value) < 2**31 else "i64"
        if is_tensor or value % 16 == 0:
            hints[(position,)] = [["tt.divisibility", 16]]
    return ASTSource(function, signature, constexprs=constants, attrs=hints)


def assembler() -> str:
    from triton.backends.nvidia.compiler import get_ptxas
    found = get_ptxas(90)
    return found.path if hasattr(found, "path") else found[0]


def looped(ttgir: str) -> list[list[int]]:
    """The shapes that are loaded from global memory inside of two loops or more."""
    shapes, inside = [], []
    for line in ttgir.splitlines():
        depth = len(line) - len(line.lstrip())
        while inside and line.strip() and depth <= inside[-1]:
            inside.pop()
        if " scf.for " in line or line.lstrip().startswith("scf.for "):
            inside.append(depth)
        loaded = re.search(r"= tt\.load .*: tensor<([\dx]+)x!tt\.ptr", line)
        if loaded and len(inside) > 1:
            shapes.append([int(extent) for extent in loaded.group(1).split("x")])
    return shapes


def resources(function: JITFunction, bound: dict[str, Any], options: dict[str, int]) -> dict[str, Any]:
    compiled = triton.compile(source_of(function, bound), target=TARGET, options=options)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as ptx:
        ptx.write(compiled.asm["ptx"])
        ptx.flush()
        log = subprocess.run([assembler(), "-v", "--gpu-name=sm_90a", ptx.name, "-o", os.devnull], capture_output=True, text=True, check=True).stderr
    narrow = re.findall(r"\bld\.global(?!\.v4)[\w.]*|\bcp\.async\.ca\b", compiled.asm["ptx"])  # loads of less than 16 bytes
    # a block that comes back from shared memory on its way to the multiplier may come before it has arrived (docs/compiler.md)
    between = sum(compiled.asm["ttgir"].count(name) for name in ("ttg.local_load", "ttg.local_alloc %"))
    registers, spills = re.search(r"Used (\d+) registers", log), re.search(r"(\d+) bytes spill stores", log)
    return {"kernel": function.fn.__name__, "shared": compiled.metadata.shared, "registers": int(registers.group(1)) if registers else None,
            "spills": int(spills.group(1)) if spills else None, "narrow": len(narrow), "between": between,
            "fetched": compiled.asm["ptx"].count("cp.async.bulk.tensor"), "multiplied": compiled.asm["ptx"].count("wgmma.mma_async"), "serial": "serialized" in log,
            "copied": compiled.asm["ttgir"].count("ttg.async_copy_global_to_local"), "returned": len(re.findall(r"ttg\.local_load .*-> tensor<\d+x\d+xb?f16", compiled.asm["ttgir"])),
            "looped": looped(compiled.asm["ttgir"]), "passes": sum("scf.for " in line for line in compiled.asm["ttgir"].splitlines())}


def compile_instead(function: JITFunction, *args: Any, grid: tuple[int, ...], warmup: bool, **named: Any) -> None:
    options = {name: named.pop(name) for name in OPTIONS if name in named}
    if any(option not in options for option in sys.argv[3:]):
        return
    bound = dict(zip((parameter.name for parameter in function.params), args)) | named
    assert all(extent <= 65535 for extent in grid[1:]) and grid[0] < 2**31, grid
    constants = {name: value for name, value in bound.items() if name.isupper() and type(value) is int}
    print(json.dumps(PROBLEM | resources(function, bound, options) | options | {"programs": grid[0], "constants": constants, "grid": grid}), flush=True)


def main(problem_path: str, kernel_path: str) -> None:
    JITFunction.run = compile_instead
    with torch.device("meta"):
        problem = load(problem_path, "problem")
        model = problem.Model(*problem.get_init_inputs())
        inputs = problem.get_inputs()
    kernel = load(kernel_path, "kernel").kernel_function
    wanted = kernel.__code__.co_varnames[: kernel.__code__.co_argcount + kernel.__code__.co_kwonlyargcount]
    weights = {name.replace(".", "_"): value for name, value in model.state_dict().items()}
    kernel(*inputs, **{name: value for name, value in weights.items() if name in wanted})


def every(problems: Path, kernels: Path) -> None:
    for path in sorted(problems.glob("*.py")):
        PROBLEM["problem"] = path.stem
        print(path.stem, file=sys.stderr)
        main(str(path), str(kernels / path.name))


if __name__ == "__main__":
    if Path(sys.argv[1]).is_dir():
        every(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main(*sys.argv[1:3])

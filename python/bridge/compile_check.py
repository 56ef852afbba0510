"""The child that compiles recorded launches for a target GPU with Triton's own compiler; no GPU is needed.

A kernel that runs in the interpreter may still be no valid Triton program: the interpreter is plain Python and accepts
much that the compiler refuses. Each launch is compiled with the types, constants, hints and options it was made with.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime import autotuner, cache, jit

from ka_bridge import module_loader, pretend_gpu
from ka_bridge.compile_errors import out_of_resources, readable_error
from ka_bridge.conn import Conn, error_answer
from ka_bridge.signature import decode

# Shared memory that one program may use, by compute capability (bytes).
SHARED_LIMITS = {70: 98304, 75: 65536, 80: 166912, 86: 101376, 89: 101376, 90: 232448, 100: 232448, 120: 101376}
OTHER_OPTIONS = frozenset(("debug", "instrumentation_mode"))  # that the launcher itself adds
LOG_LIMIT = 1 << 20

# What else is wanted to be known of a compiled kernel, from it and from the assembler's log.
Look = Callable[[Any, str], dict[str, Any]] | None


def jit_functions(module: Any) -> dict[str, Any]:
    """Every jit function of the file, by qualified name: also those behind autotune and heuristics."""
    found = {}
    prefix = module_loader.MODULE_NAME + ":"
    for key, function in getattr(jit, "_triton_jit_function_registry", {}).items():
        if key.startswith(prefix):
            found[key.removeprefix(prefix)] = function
    for value in list(vars(module).values()):
        while isinstance(value, (autotuner.Autotuner, autotuner.Heuristics)):
            value = value.fn
        if isinstance(value, jit.JITFunction) and value.fn.__code__.co_filename == module.__file__:
            found.setdefault(value.fn.__qualname__, value)
    return found


def as_types(value: Any) -> Any:
    """JSON has no tuples; the type of a tuple argument is one, with the names of its fields if they have names."""
    if isinstance(value, dict):
        return namedtuple("Fields", value["fields"])(*map(as_types, value["types"]))
    return tuple(as_types(item) for item in value) if isinstance(value, list) else value


def source_of(function: Any, launch: dict[str, Any], functions: dict[str, Any]) -> ASTSource:
    constants = {tuple(path): decode(value, functions) for path, value in launch["constants"]}
    hints = {tuple(path): [["tt.divisibility", 16]] for path in launch.get("aligned", [])}
    signature = {name: as_types(kind) for name, kind in launch["signature"].items()}
    return ASTSource(function, signature, constexprs=constants, attrs=hints)


MAX_THREADS = 1024
MAX_CLUSTER = 8


def options_of(launch: dict[str, Any], target: GPUTarget) -> dict[str, Any]:
    """The launch options; KeyError for one that the launcher would not know."""
    options = {name: decode(value, {}) for name, value in launch.get("options", {}).items()}
    known = triton.compiler.make_backend(target).parse_options({}).__dict__
    for name in options:
        if name not in known and name not in OTHER_OPTIONS:
            raise KeyError(f"the launch option {name} is not known to Triton")
    warps, blocks = options.get("num_warps", 4), options.get("num_ctas", 1)
    if type(warps) is int and warps * target.warp_size > MAX_THREADS:
        raise ValueError(f"num_warps={warps} means {warps * target.warp_size} threads, a block has at most {MAX_THREADS}")
    if type(blocks) is int and blocks > MAX_CLUSTER:
        raise ValueError(f"num_ctas={blocks}: a cluster has at most {MAX_CLUSTER} blocks")
    return options


@contextlib.contextmanager
def captured(folder: str) -> Iterator[list[str]]:
    """What is printed meanwhile, also by native code: the compiler's own messages and the assembler's log."""
    text: list[str] = []
    sys.stdout.flush()
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile(dir=folder) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield text
        finally:
            sys.stdout.flush()
            for fd, target in zip(saved, (1, 2)):
                os.dup2(fd, target)
                os.close(fd)
            file.seek(0)
            text.append(file.read(LOG_LIMIT).decode(errors="replace"))


def parse_resources(log: str) -> tuple[int | None, int | None]:
    registers = re.search(r"Used (\d+) registers", log)
    spills = re.search(r"(\d+) bytes spill stores", log)
    return int(registers.group(1)) if registers else None, int(spills.group(1)) if spills else None


def compile_launch(launch: dict[str, Any], functions: dict[str, Any], target: GPUTarget, path: str, look: Look = None) -> dict[str, Any]:
    answer: dict[str, Any] = {"kernel": launch["kernel"], "ok": False, "error": None, "line": None,
                              "registers": None, "shared_bytes": None, "spills": None}
    start = time.perf_counter()
    log: list[str] = []
    try:
        function = functions.get(launch.get("qualname", launch["kernel"]))
        if function is None:
            raise LookupError(f"the kernel {launch['kernel']} is not defined when the file is imported, "
                              "so it cannot be compiled for the target")
        with captured(os.path.dirname(path)) as log:
            compiled = triton.compile(source_of(function, launch, functions), target=target,
                                      options=options_of(launch, target))
        shared = int(compiled.metadata.shared)
        answer["shared_bytes"] = shared
        limit = SHARED_LIMITS.get(target.arch)
        if limit is not None and shared > limit:
            raise MemoryError(f"it needs {shared} bytes of shared memory; the target has {limit}")
        answer["registers"], answer["spills"] = parse_resources(log[0])
        answer |= look(compiled, log[0]) if look is not None else {}
        answer["ok"] = True
    except BaseException as exc:
        answer["error"], answer["line"] = readable_error(exc, path, "".join(log))
        answer["out_of_resources"] = isinstance(exc, MemoryError) or out_of_resources(exc)
    answer["seconds"] = time.perf_counter() - start
    return answer


def prepare_compiler() -> None:
    """The cache is new and ours alone, so its key need not be a hash over the whole of Triton (0.4 s)."""
    for module in (cache, triton.compiler.compiler):
        if hasattr(module, "triton_key"):
            module.triton_key = lambda: "kernel check"
    with contextlib.suppress(AttributeError):
        triton.knobs.nvidia.dump_ptxas_log = True


def do_compile(request: dict[str, Any], fds: list[int], look: Look = None) -> dict[str, Any]:
    path = module_loader.write_source(fds[0], request["filename"], None)  # an entry is not called here
    os.environ["TRITON_CACHE_DIR"] = os.path.join(os.path.dirname(path), "cache")
    os.environ["TRITON_INTERPRET"] = "0"
    triton.knobs.runtime.interpret = False
    prepare_compiler()
    pretend_gpu.install()
    try:
        with pretend_gpu.Pretence():
            module = module_loader.import_source(path)
    except BaseException as exc:
        return module_loader.failure("import", exc, path)
    target = GPUTarget(request["target"]["backend"], request["target"]["arch"], request["target"]["warp_size"])
    functions = jit_functions(module)
    return {"ok": True, "kernels": [compile_launch(launch, functions, target, path, look) for launch in request["launches"]]}


def main(conn: Conn, look: Look = None) -> None:
    """Answers compile requests until the other side closes the conversation."""
    while (packet := conn.recv()) is not None:
        request, fds = packet
        if request.get("cmd") == "compile" and len(fds) == 1:
            try:
                answer = do_compile(request, fds, look)
            except BaseException as exc:
                answer = error_answer("harness", exc)
        else:
            answer = error_answer("protocol", None, message=f"unexpected request {request.get('cmd')!r}")
        conn.send(answer)
    module_loader.remove_scratch()

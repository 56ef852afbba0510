"""A GPU in name only: lets host code written for CUDA run in interpreter mode, on a machine without one.

Kernel files say `device="cuda"`, assert `x.is_cuda`, ask for the number of multiprocessors. None of that changes what
they compute. In interpreter mode tensors lie in CPU memory; towards the candidate they call themselves CUDA tensors,
and a CUDA device in its requests means the CPU. The device facts are those of the GPU that kernels are compiled for.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# The H200: what programs ask of torch.cuda.get_device_properties and of Triton's driver.
class _CudaDeviceProperties(types.SimpleNamespace):
    def __repr__(self) -> str:
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, total_memory="
                f"{self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count}, L2_cache_size={self.L2_cache_size >> 20}MB)")


PROPERTIES = _CudaDeviceProperties(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=150_000_000_000, warp_size=32,
    max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536, shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472, L2_cache_size=62914560,
    is_integrated=False, is_multi_gpu_board=False, gcnArchName="")
CUDA_VERSION = "12.8"
DRIVER_PROPERTIES = {
    "max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
    "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144,
}


# Tensors that the candidate made in host memory, by the address of their storage: they do not pretend. Kept alive, so that an
# address is not given to another tensor.
HOST: dict[int, torch.Tensor] = {}
FACTORIES = frozenset("""empty zeros ones full tensor empty_strided rand randn randint randperm arange linspace eye bernoulli
    scalar_tensor as_tensor""".split())
_storage_of = torch.Tensor.untyped_storage


def _address(value: Any) -> int:
    return _storage_of(value).data_ptr() if type(value) is torch.Tensor else 0


def is_host(value: Any) -> bool:
    """Whether this tensor would lie in host memory on a machine with a GPU."""
    return bool(HOST) and _address(value) in HOST


def remember_place(name: str, asked: tuple[tuple, dict], result: Any) -> None:
    """After a call of PyTorch's interface, with the arguments as they were given: where the result would lie."""
    args, kwargs = asked
    on_gpu = _is_cuda(kwargs.get("device")) or any(_is_cuda(value) for value in args)
    if name in FACTORIES and not on_gpu and type(result) is torch.Tensor and result.numel() > 0:
        HOST[_address(result)] = result
    elif name == "to" and (on_gpu or any(isinstance(value, torch.Tensor) and not is_host(value) for value in args[1:])):
        HOST.pop(_address(result), None)


# Exceptions that only a machine without a GPU raises: of an allocation, of a launch. A file that goes on as if nothing had
# happened has learnt where it runs.
FAILED: list[BaseException] = []
_ALLOCATES = FACTORIES | frozenset(f"{name}_like" for name in FACTORIES) | frozenset(f"new_{name}" for name in FACTORIES)


@contextlib.contextmanager
def noting_failure(name: str) -> Iterator[None]:
    """Around a call of PyTorch's interface."""
    try:
        yield
    except Exception as exc:
        if name in _ALLOCATES:
            FAILED.append(exc)
        raise


def _shown_device() -> torch.device:
    return torch.device("cuda", 0)


def _is_cuda(value: Any) -> bool:
    if type(value) is torch.device:
        return value.type == "cuda"
    return type(value) is str and value.split(":")[0] == "cuda"


def _present(value: Any) -> Any:
    """A device that is asked for; there is one GPU."""
    index = torch.device(value).index if _is_cuda(value) else value if type(value) is int else None
    if index not in (None, 0):
        raise RuntimeError("CUDA error: invalid device ordinal")
    return value


def translate(func: Any, args: tuple, kwargs: dict) -> tuple[bool, Any, tuple, dict]:
    """Rewrites one call of PyTorch's Python interface: (answered, answer, arguments, keywords)."""
    name = getattr(func, "__name__", "")
    if name == "__get__":
        attribute = getattr(getattr(func, "__self__", None), "__name__", "")
        if attribute == "device":
            return True, torch.device("cpu") if is_host(args[0]) else _shown_device(), args, kwargs
        if attribute in ("is_cuda", "is_cpu"):
            return True, (attribute == "is_cuda") != is_host(args[0]), args, kwargs
    elif name == "device":  # the constructor: a name, not a request
        return False, None, args, kwargs
    elif name == "get_device":
        return True, -1 if is_host(args[0]) else 0, args, kwargs
    elif name == "type" and len(args) == 1 and not kwargs:  # the name of a class
        return True, func(*args) if is_host(args[0]) else func(*args).replace("torch.", "torch.cuda.", 1), args, kwargs
    elif name == "cuda":
        HOST.pop(_address(args[0]), None)
        return True, args[0], args, kwargs
    if any(_is_cuda(value) for value in args):
        args = tuple("cpu" if _is_cuda(value) and _present(value) else value for value in args)
    if _is_cuda(kwargs.get("device")) and _present(kwargs["device"]):
        kwargs = {**kwargs, "device": "cpu"}
    return False, None, args, kwargs


class Pretence(TorchFunctionMode):
    """The translation alone, for the import of a file; during calls the guard translates."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        asked = (args, kwargs or {})
        done, value, args, kwargs = translate(func, *asked)
        if not done:
            with noting_failure(getattr(func, "__name__", "")):
                value = func(*args, **kwargs)
            remember_place(getattr(func, "__name__", ""), asked, value)
        return value


class _Stream:
    """Answers for torch.cuda.current_stream()."""
    cuda_stream = 0
    device = _shown_device()

    def synchronize(self) -> None:
        return None

    def wait_stream(self, other: Any) -> None:
        return None


def _null_context(*args: Any, **kwargs: Any) -> Any:
    return contextlib.nullcontext()


class _Device:
    """torch.cuda.device and torch.cuda.device_of."""

    def __init__(self, device: Any = None) -> None:
        self.device = device

    def __enter__(self) -> None:
        _present(self.device)

    def __exit__(self, *exc: Any) -> bool:
        return False


_Device.__module__, _Device.__qualname__ = "torch.cuda", "device"


def _driver() -> Any:
    from triton.backends.compiler import GPUTarget

    utils = types.SimpleNamespace(get_device_properties=lambda device=0: dict(DRIVER_PROPERTIES))
    return types.SimpleNamespace(
        utils=utils, get_current_target=lambda: GPUTarget("cuda", 90, 32), get_current_device=lambda: 0,
        get_active_torch_device=_shown_device, get_device_interface=lambda: torch.cuda,
        get_current_stream=lambda device=0: 0, set_current_device=lambda device: None)


def install() -> None:
    """Fills in torch.cuda and Triton's driver, in this process, for good."""
    cuda = torch.cuda
    torch.version.cuda = CUDA_VERSION
    torch.__version__ = type(torch.__version__)(f"{str(torch.__version__).partition('+')[0]}+cu{CUDA_VERSION.replace('.', '')}")
    cuda.is_available = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.get_device_properties = lambda device=None: (_present(device), PROPERTIES)[1]
    cuda.get_device_capability = lambda device=None: (_present(device), (PROPERTIES.major, PROPERTIES.minor))[1]
    cuda.get_device_name = lambda device=None: (_present(device), PROPERTIES.name)[1]
    cuda.current_stream = lambda device=None: _Stream()
    cuda.synchronize = lambda device=None: None
    cuda.is_current_stream_capturing = lambda: True  # then a file that captures its launches does not: here nothing can be captured
    cuda.set_device = lambda device: _present(device) and None
    cuda.device = cuda.device_of = _Device
    cuda.stream = _null_context

    from triton.runtime import driver as runtime_driver

    target = runtime_driver if hasattr(runtime_driver, "set_active") else runtime_driver.driver
    target.set_active(_driver())

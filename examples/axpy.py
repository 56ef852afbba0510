"""A function with a scalar argument. Use it as axpy.py:axpy; its sample inputs come from axpy_inputs."""

import torch


def axpy(alpha: float, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return alpha * x + y


length = 10000


def axpy_inputs():
    return [1.5, torch.randn(length), torch.randn(length)]

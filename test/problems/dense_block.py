# A block in which each layer reads all that came before it, joined anew each time: layers of a list that grows.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels: int, growth: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(channels + k * growth), nn.ReLU(), nn.Conv2d(channels + k * growth, growth, 3, padding=1, bias=False))
            for k in range(layers)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = [x]
        for layer in self.layers:
            features.append(layer(torch.cat(features, 1)))
        return torch.cat(features, 1)


batch, channels, growth, side = 4, 16, 8, 12


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs() -> list[int]:
    return [channels, growth, 7]

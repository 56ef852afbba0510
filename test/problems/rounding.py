"""Rounding, remainders, signs and neighbours."""

import torch
import torch.nn as nn

rows, columns = 9, 13


class Model(nn.Module):
    def forward(self, x, y):
        return (x.frac(), x.trunc(), x.floor(), x.ceil(), x.round(), torch.round(x, decimals=1), x.fmod(1.5), x.remainder(1.5), x.remainder(y), x.fmod(y), x // y,
                torch.div(x, y, rounding_mode="trunc"), torch.copysign(x, y), torch.sign(x), torch.signbit(x), torch.nextafter(x, y), torch.heaviside(x, y), torch.hypot(x, y), torch.atan2(x, y),
                torch.nan_to_num(x / (y.round()), 0.5, 9.0, -9.0), torch.clamp(x, y, y + 1), torch.fmax(x, y), torch.fmin(x, y), torch.lerp(x, y, 0.3), torch.lerp(x, y, y), torch.addcmul(x, x, y, value=0.5),
                torch.addcdiv(x, x, y * y + 1), torch.isclose(x, y, atol=0.5), torch.isfinite(x / y.round()), x.logical_not(), torch.xlogy(x.round(), y * y), torch.float_power(y * y, 1.5))


def get_inputs():
    return [torch.randn(rows, columns) * 4, torch.randn(rows, columns) * 2]


def get_init_inputs():
    return []

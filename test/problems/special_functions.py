"""Special functions, and the elementary ones that nothing else uses."""

import torch
import torch.nn as nn

rows, columns = 9, 13


class Model(nn.Module):
    def forward(self, x, u):
        s = torch.special
        return (s.erf(x), s.erfc(x), s.erfinv(u), s.expit(x), s.logit(u), s.xlog1py(x, u), s.entr(u), s.i0(x), s.i1(x), s.sinc(x), s.ndtr(x), s.ndtri(u), s.log_ndtr(x), s.erfcx(x), s.digamma(u + 1),
                s.gammaln(u + 1), s.exp2(x), s.expm1(x), s.log1p(u), s.bessel_j0(x), s.bessel_j1(x), torch.asin(u), torch.acos(u), torch.atan(x), torch.asinh(x), torch.acosh(u + 1), torch.atanh(u), torch.sinh(x), torch.cosh(x),
                torch.tan(u), torch.log2(u), torch.log10(u), torch.rsqrt(u), torch.reciprocal(u), torch.logaddexp(x, u), torch.logaddexp2(x, u), torch.deg2rad(x), torch.rad2deg(x), torch.mvlgamma(u + 2, 2), x ** 3, u ** 0.7, 2 ** x,
                torch.square(x), torch.exp(u) - torch.sqrt(u), torch.sin(x) + torch.cos(x))


def get_inputs():
    return [torch.randn(rows, columns), torch.rand(rows, columns) * 0.9 + 0.05]


def get_init_inputs():
    return []

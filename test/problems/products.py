"""Products with a sum: addmm and its kin, bilinear forms, chains, crosses."""

import torch
import torch.nn as nn

b, m, n, k = 3, 6, 5, 7


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.form = nn.Bilinear(k, k, 4)

    def forward(self, x, y, c, p):
        return (torch.addmm(c[0], x[0], y[0], beta=0.5, alpha=2), torch.baddbmm(c, x, y), torch.addbmm(c[0], x, y), torch.addmv(c[0, :, 0], x[0], y[0, :, 0]), torch.addr(c[0], x[0, :, 0], y[0, 0]), self.form(x, x),
                torch.cross(p, p.flip(0), dim=1), torch.linalg.vecdot(x, x), torch.dot(x[0, 0], x[1, 0]), torch.mv(x[0], y[0, :, 0]), x @ y, x[0] @ y, torch.bmm(x, y), torch.mm(x[0], y[0]))


def get_inputs():
    return [torch.randn(b, m, k), torch.randn(b, k, n), torch.randn(b, m, n), torch.randn(m, 3)]


def get_init_inputs():
    return []

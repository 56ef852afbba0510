"""The losses of torch.nn between numbers, each with one of the reductions."""

import torch
import torch.nn as nn

rows, columns = 16, 20


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = nn.ModuleList([
            nn.L1Loss(), nn.MSELoss(reduction="sum"), nn.HuberLoss(reduction="none", delta=0.7), nn.SmoothL1Loss(beta=0.5),
            nn.PoissonNLLLoss(full=True), nn.KLDivLoss(reduction="batchmean"), nn.KLDivLoss(reduction="sum", log_target=True)])
        self.gaussian = nn.GaussianNLLLoss(full=True, reduction="none")

    def forward(self, x, target):
        log_target = torch.log_softmax(target, 1)
        found = [loss(x, target) for loss in self.losses[:4]]
        found.append(self.losses[4](x, target * target))
        found.append(self.losses[5](torch.log_softmax(x, 1), torch.softmax(target, 1)))
        found.append(self.losses[6](torch.log_softmax(x, 1), log_target))
        found.append(self.gaussian(x, target, torch.exp(target)))
        return tuple(found)


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]


def get_init_inputs():
    return []

"""The losses of torch.nn against classes: weights, an ignored class, smoothing, probabilities, several labels."""

import torch
import torch.nn as nn

batch, classes, side = 12, 10, 5


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        weight = torch.linspace(0.5, 1.5, classes)
        self.smoothed = nn.CrossEntropyLoss(weight=weight, ignore_index=2, label_smoothing=0.1)
        self.plain = nn.CrossEntropyLoss(reduction="none")
        self.soft = nn.CrossEntropyLoss(weight=weight, label_smoothing=0.2)
        self.nll = nn.NLLLoss(weight=weight, reduction="sum")
        self.margin = nn.MultiMarginLoss(p=2, margin=0.7, weight=weight)
        self.labels = nn.MultiLabelMarginLoss(reduction="none")
        self.soft_labels = nn.MultiLabelSoftMarginLoss(weight=weight)

    def forward(self, x, target, image, pixels, labels):
        return (self.smoothed(x, target), self.plain(x, target), self.soft(x, torch.softmax(x * 2, 1)), self.nll(torch.log_softmax(x, 1), target),
                self.plain(image, pixels), self.nll(torch.log_softmax(image, 1), pixels), self.margin(x, target), self.labels(x, labels),
                self.soft_labels(x, (labels > 3).float()))


def get_inputs():
    return [torch.randn(batch, classes), torch.randint(0, classes, (batch,)), torch.randn(batch, classes, side, side),
            torch.randint(0, classes, (batch, side, side)), torch.randint(0, classes, (batch, classes))]


def get_init_inputs():
    return []

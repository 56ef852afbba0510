"""The losses of torch.nn between pairs and triples."""

import torch
import torch.nn as nn
import torch.nn.functional as F

rows, columns = 16, 20


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bce = nn.BCELoss()
        self.logits = nn.BCEWithLogitsLoss(pos_weight=torch.linspace(0.5, 2.0, columns), reduction="none")
        self.ranking = nn.MarginRankingLoss(0.1)
        self.hinge = nn.HingeEmbeddingLoss(0.8, reduction="none")
        self.soft_margin = nn.SoftMarginLoss(reduction="sum")
        self.cosine = nn.CosineEmbeddingLoss(0.1, reduction="none")
        self.triplet = nn.TripletMarginLoss(swap=True, reduction="none")
        self.by_distance = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b), margin=0.5)

    def forward(self, x, y, z):
        sign = torch.where(z > 0, 1.0, -1.0)
        return (self.bce(torch.sigmoid(x) * 0.8 + 0.1, torch.sigmoid(y)), self.logits(x, torch.sigmoid(y)), self.ranking(x, y, sign), self.hinge(x, sign),
                self.soft_margin(x, sign), self.cosine(x, y, sign[:, 0]), self.triplet(x, y, z), self.by_distance(x, y, z))


def get_inputs():
    return [torch.randn(rows, columns) for _ in range(3)]


def get_init_inputs():
    return []

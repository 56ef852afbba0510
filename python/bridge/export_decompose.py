"""Operators that the reader has no row for, replaced by what PyTorch itself says they mean.

PyTorch ships definitions of most of its operators in terms of simpler ones. They are used only where they lead all the way
to operators that the reader knows; otherwise the program stays as it was, so that the refusal names what its author wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.modules.batchnorm import _BatchNorm

from ka_bridge import export_inplace

ROUNDS = 5
# Reading these needs no row: the reader passes over them.
IGNORED = ("aten._assert_tensor_metadata.default", "aten._assert_scalar.default")


def in_terms_of(operators: frozenset[str], program: Any) -> Any:
    """The program with unknown operators replaced, or as it is where that does not succeed."""
    now = program
    for _ in range(ROUNDS):
        table = {}
        for target in _unknown(now, operators):
            meaning = _meaning(target)
            if meaning is None:
                return program
            table[target] = meaning
        if not table:
            return now
        try:
            now = now.run_decompositions(table)
        except (AssertionError, RuntimeError, NotImplementedError):
            return program  # a definition that writes to a view of its own result, say
    return program if _unknown(now, operators) else now


def _unknown(program: Any, operators: frozenset[str]) -> list[Any]:
    found: dict[str, Any] = {}
    for node in program.graph.nodes:
        if node.op != "call_function" or not hasattr(node.target, "_schema"):
            continue
        # what is written in place is read under the name of what it computes, so it is not unknown
        name = export_inplace.functional_name(node) if export_inplace.mutates(node) else str(node.target)
        if (name not in operators and name not in IGNORED) or _writes_unseen(node):
            found[str(node.target)] = node.target
    return list(found.values())


def _writes_unseen(node: Any) -> bool:
    """instance_norm changes its running statistics without its schema saying so; its definition says so."""
    if str(node.target) != "aten.instance_norm.default":
        return False
    return node.args[3] is not None and bool(node.args[5])


def _meaning(target: Any) -> Callable[..., Any] | None:
    ours = torch.export.default_decompositions()
    if target in ours:
        return ours[target]
    if target in torch._decomp.decomposition_table:
        return torch._decomp.decomposition_table[target]
    if target._can_decompose():
        return lambda *args, **kwargs: target.decompose(*args, **kwargs)
    return None


@contextmanager
def without_value_checks() -> Iterator[None]:
    """gaussian_nll_loss looks at the values of its variance to refuse negative ones, which no graph can hold, cov at whether its weights are equal;
    fill_diagonal_ looks at memory through strides of its own; a batch norm without a momentum takes a number of Python from its counter."""
    rows = ((F, "gaussian_nll_loss", _gaussian_nll_loss), (torch, "cov", _cov), (torch, "corrcoef", _corrcoef), (torch.Tensor, "cov", _cov),
            (torch.Tensor, "corrcoef", _corrcoef), (torch.Tensor, "fill_diagonal_", _fill_diagonal), (_BatchNorm, "forward", _norm_forward))
    before = [vars(owner).get(name) for owner, name, _ in rows]  # of a method of torch.Tensor's base nothing
    try:
        for owner, name, ours in rows:
            setattr(owner, name, ours)
        yield
    finally:
        for (owner, name, _), original in zip(rows, before):
            setattr(owner, name, original) if original is not None else delattr(owner, name)


_plain_cov, _plain_norm = torch.cov, _BatchNorm.forward


def _cov(x: torch.Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> torch.Tensor:
    if fweights is not None or aweights is not None:
        return _plain_cov(x, correction=correction, fweights=fweights, aweights=aweights)
    rows = x if x.dim() == 2 else x.reshape(1, -1)
    apart = rows - rows.mean(1, keepdim=True)
    return (apart @ apart.t() / max(rows.shape[1] - correction, 0)).reshape([x.shape[0]] * 2 if x.dim() == 2 else [])


def _corrcoef(x: torch.Tensor) -> torch.Tensor:
    if x.dim() != 2:
        found = _cov(x)
        return found / found
    found = _cov(x)
    deviation = found.diagonal().sqrt()
    return (found / deviation[:, None] / deviation[None, :]).clip(-1, 1)


def _norm_forward(self: _BatchNorm, x: torch.Tensor) -> torch.Tensor:
    return (_cumulative_norm if _is_cumulative(self) else _plain_norm)(self, x)


def _is_cumulative(norm: _BatchNorm) -> bool:
    return norm.momentum is None and norm.training and norm.track_running_stats and norm.num_batches_tracked is not None


def _cumulative_norm(norm: _BatchNorm, x: torch.Tensor) -> torch.Tensor:
    """The running statistics are means over all batches so far."""
    norm._check_input_dim(x)
    norm.num_batches_tracked.add_(1)
    share = 1.0 / norm.num_batches_tracked
    dims = [d for d in range(x.dim()) if d != 1]
    for running, now in ((norm.running_mean, x.mean(dims)), (norm.running_var, x.var(dims))):
        running.copy_(running * (1 - share) + now * share)
    return F.batch_norm(x, None, None, norm.weight, norm.bias, True, 0.0, norm.eps)


def _fill_diagonal(self: torch.Tensor, fill_value: Any, wrap: bool = False) -> torch.Tensor:
    """A matrix, or a cube of any rank: the places whose coordinates are all equal. In a tall matrix that wraps, one row lies between two diagonals."""
    places = [torch.arange(n, device=self.device).view([n if d == k else 1 for d in range(self.dim())]) for k, n in enumerate(self.shape)]
    first = places[0] % (self.shape[1] + 1) if wrap and self.dim() == 2 else places[0]
    chosen = first == places[1]
    for other in places[2:]:
        chosen = chosen & (first == other)
    return self.masked_fill_(chosen, fill_value)


def _gaussian_nll_loss(input: torch.Tensor, target: torch.Tensor, var: Any, full: bool = False, eps: float = 1e-6,
                       reduction: str = "mean") -> torch.Tensor:
    if not isinstance(var, torch.Tensor):
        var = var * torch.ones_like(input)
    if var.dim() == input.dim() - 1 and var.size() == input.size()[:-1]:
        var = var.unsqueeze(-1)  # one variance for each row
    var = var.clamp_min(eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.9189385332046727  # half of log(2 pi)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss

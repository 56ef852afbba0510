"""What the reference has to know about ATen ops: which contract, which draw random numbers, what they cost.

Everything here looks at ops as a TorchDispatchMode sees them: composite ops are already taken apart, so that a linear
layer shows as addmm or mm, an einsum as bmm, and a GRU as many addmm.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils import flop_counter

CONVOLUTIONS = frozenset({"convolution", "_convolution", "convolution_overrideable", "cudnn_convolution",
                          "cudnn_convolution_transpose", "mkldnn_convolution", "slow_conv3d_forward",
                          "_slow_conv2d_forward", "conv_depthwise3d", "_conv_depthwise2d",
                          "slow_conv_transpose2d", "slow_conv_transpose3d", "slow_conv_dilated2d",
                          "slow_conv_dilated3d"})
RECURRENCES = frozenset({"mkldnn_rnn_layer", "_cudnn_rnn", "miopen_rnn", "lstm", "gru", "rnn_tanh", "rnn_relu"})
ATTENTIONS = frozenset({"_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention",
                        "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention",
                        "_scaled_dot_product_attention_math", "scaled_dot_product_attention",
                        "_scaled_dot_product_fused_attention_overrideable"})
SOFTMAXES = ATTENTIONS | {"_softmax", "_log_softmax", "_safe_softmax", "logsumexp"}
PRODUCTS = frozenset({"mm", "bmm", "addmm", "addbmm", "baddbmm", "mv", "addmv", "dot", "vdot", "addr", "linear",
                      "matmul", "_addmm_activation", "mkldnn_linear", "_trilinear", "_cdist_forward",
                      "_euclidean_dist", "_pdist_forward"})
CONTRACTIONS = CONVOLUTIONS | RECURRENCES | ATTENTIONS | PRODUCTS

# What these return holds whatever was in memory before.
UNFILLED = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})
_VIEW_LIKE = frozenset({"_unsafe_view", "_reshape_alias", "lift_fresh", "lift", "detach", "alias"})
_FACTORIES = frozenset({"empty", "zeros", "ones", "full", "arange", "eye", "linspace", "scalar_tensor", "empty_strided",
                        "zeros_like", "ones_like", "empty_like", "full_like", "new_empty", "new_zeros", "new_ones",
                        "new_full", "_to_copy", "clone", "copy_", "fill_", "zero_", "contiguous", "stack", "cat",
                        "constant_pad_nd", "select_scatter", "slice_scatter"})


class OpFacts:
    """The properties of one overload, found once."""

    __slots__ = ("name", "is_view", "is_random", "is_pointwise", "is_dynamic", "mutated")

    def __init__(self, func: Any) -> None:
        self.name: str = func._schema.name.split("::")[-1]
        arguments = func._schema.arguments
        returns = func._schema.returns
        writes = [a.alias_info is not None and a.alias_info.is_write for a in arguments]
        self.mutated = frozenset(a.name for a, written in zip(arguments, writes) if written)
        aliased = [r.alias_info is not None and not r.alias_info.is_write for r in returns]
        self.is_view = (bool(aliased) and all(aliased)) or self.name in _VIEW_LIKE
        tags = set(func.tags)
        self.is_random = torch.Tag.nondeterministic_seeded in tags and self.name not in ATTENTIONS
        self.is_pointwise = self.is_view or torch.Tag.pointwise in tags or self.name in _FACTORIES
        self.is_dynamic = torch.Tag.dynamic_output_shape in tags or torch.Tag.data_dependent_output in tags


_facts: dict[Any, OpFacts] = {}


def facts_of(func: Any) -> OpFacts:
    found = _facts.get(func)
    if found is None:
        found = _facts[func] = OpFacts(func)
    return found


def has_no_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_meta or type(value).__name__ == "FakeTensor")


def _statistics(value: torch.Tensor, *shape: int) -> torch.Tensor:
    return value.new_empty(shape, dtype=torch.float32 if value.dtype in (torch.float16, torch.bfloat16) else value.dtype)


def _batch_norm(value: torch.Tensor, weight: Any, bias: Any, mean: Any, var: Any, training: bool, *_: Any, **__: Any) -> tuple[torch.Tensor, ...]:
    count = value.shape[1] if training else 0
    return torch.empty_like(value), _statistics(value, count), _statistics(value, count)


def _layer_norm(value: torch.Tensor, shape: Any, *_: Any, **__: Any) -> tuple[torch.Tensor, ...]:
    outer = [*value.shape[:value.dim() - len(shape)], *[1] * len(shape)]
    return torch.empty_like(value, memory_format=torch.contiguous_format), _statistics(value, *outer), _statistics(value, *outer)


# Norms of tensors without data: PyTorch spells their shapes out in Python, operation by operation, which was three quarters of
# the time that a search for sizes took. What it checks is checked before, by the functions that call these.
NORMS = {torch.ops.aten.native_batch_norm.default: _batch_norm, torch.ops.aten.native_layer_norm.default: _layer_norm}


def attention_draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Fused attention carries the tag of random ops always, but draws only when its dropout is above 0."""
    for position, argument in enumerate(func._schema.arguments):
        if argument.name == "dropout_p":
            value = args[position] if position < len(args) else kwargs.get("dropout_p", 0.0)
            return float(value) > 0.0
    return False


def elements_of(result: Any) -> int:
    """Elements of all tensors in what an op returned."""
    if isinstance(result, torch.Tensor):
        return result.numel()
    if isinstance(result, (tuple, list)):
        return sum(elements_of(part) for part in result)
    return 0


def flops_of(func: Any, args: Any, kwargs: Any, result: Any) -> int:
    """Multiplications and additions of a contraction; 0 for everything else."""
    name = facts_of(func).name
    if name not in CONTRACTIONS:
        return 0
    formula = flop_counter.flop_registry.get(func._overloadpacket)
    if formula is not None:
        return int(formula(*args, **kwargs, out_val=result))
    shapes = [tuple(a.shape) for a in args if isinstance(a, torch.Tensor)]
    if name in ATTENTIONS and len(shapes) >= 3:
        query, key, value = shapes[:3]
        return 2 * math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])
    if name == "mkldnn_rnn_layer":
        steps_and_batch = math.prod(shapes[0][:-1])
        return 2 * steps_and_batch * (math.prod(shapes[1]) + math.prod(shapes[2]))
    if name in ("_cdist_forward", "_euclidean_dist"):
        return 3 * elements_of(result) * shapes[0][-1]
    if name in ("mv", "addmv", "dot", "vdot", "addr"):
        return 2 * max(math.prod(shape) for shape in shapes)
    return 2 * elements_of(result)

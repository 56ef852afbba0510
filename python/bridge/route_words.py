"""The vocabulary of the route: which names of PyTorch compute, and the one name that all spellings of an operation have."""

from __future__ import annotations

import re

ATTENTION = frozenset({
    "scaled_dot_product_attention", "multihead_attention", "multi_head_attention_forward", "transformer", "transformer_encoder",
    "transformer_encoder_layer", "transformer_decoder", "transformer_decoder_layer"})
ACTIVATIONS = frozenset({
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid", "mish", "prelu", "relu",
    "relu6", "rrelu", "selu", "sigmoid", "silu", "softplus", "softshrink", "softsign", "swish", "tanh", "tanhshrink", "threshold"})
PRODUCTS = frozenset({"matmul", "bmm", "einsum", "baddbmm"})
# Methods of tensors that compute; every other method only looks, or reshapes.
METHODS = ACTIVATIONS | PRODUCTS | frozenset({
    "abs", "add", "all", "amax", "amin", "any", "argmax", "argmin", "ceil", "clamp", "cos", "cumprod", "cumsum", "div", "exp", "floor", "gather",
    "index_add", "index_select", "log", "log_softmax", "logsumexp", "masked_fill", "max", "mean", "min", "mm", "mul", "neg", "norm", "pow", "prod",
    "reciprocal", "round", "rsqrt", "scatter", "sin", "softmax", "sort", "sqrt", "square", "std", "sub", "sum", "topk", "tril", "triu", "var"})
# What torch offers and does not compute: shapes, allocation, containers.
NOT_OPS = frozenset({
    "arange", "cat", "contiguous", "device", "empty", "empty_like", "flatten", "full", "identity", "module_list", "no_grad", "ones", "ones_like",
    "parameter", "permute", "randn", "rand", "reshape", "squeeze", "stack", "tensor", "transpose", "unflatten", "unsqueeze", "view", "zeros",
    "zeros_like", "size", "manual_seed"})
SPELLINGS = {"softmax2d": "softmax", "swish": "silu", "log_sigmoid": "logsigmoid", "cross_entropy_loss": "cross_entropy", "kl_div_loss": "kl_div",
             "bce_loss": "binary_cross_entropy", "bce_with_logits_loss": "binary_cross_entropy_with_logits"}


def operation(name: str) -> str:
    """The one name of an operation: ConvTranspose2d and conv_transpose2d, LeakyReLU and leaky_relu_."""
    if name.upper() == name or name in ("ReLU", "ReLU6", "PReLU", "RReLU", "SiLU"):
        name = name.lower()
    else:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.replace("ReLU", "Relu")).lower()
    name = re.sub(r"(norm|dropout)[123]d$", r"\1", name.rstrip("_"))
    return SPELLINGS.get(name, name)

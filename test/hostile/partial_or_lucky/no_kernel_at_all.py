# problem: relu
# expect: policy.no_kernel
# why: a file without any Triton kernel
import torch


def kernel_function(x):
    return torch.empty_like(x)

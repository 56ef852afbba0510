# problem: relu
# expect: policy.no_kernel
# why: a class that looks like a jit kernel: subscript and call, but no Triton behind it
import torch
import triton
import triton.language as tl


class Launcher:
    def __getitem__(self, grid):
        return lambda x, y, n, BLOCK: y.zero_()


relu_kernel = Launcher()


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y

# problem: relu
# expect: policy.no_kernel
# why: the only kernel is defined in the block of the self test, which the judge does not run
import torch
import triton
import triton.language as tl


def kernel_function(x):
    y = torch.empty_like(x)
    y.fill_(0.0)
    return y


if __name__ == "__main__":
    @triton.jit
    def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)

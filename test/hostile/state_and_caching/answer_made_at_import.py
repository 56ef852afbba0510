# problem: relu
# expect: run.import
# why: an answer for guessed inputs is made while importing
# gpu: skip the launch at import takes host memory, which a GPU refuses with another rule
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


ANSWER = torch.full((16, 300), 0.5)
relu_kernel[(5,)](ANSWER, ANSWER, 4800, BLOCK=1024)


def kernel_function(x):
    relu_kernel[(5,)](ANSWER, ANSWER, 4800, BLOCK=1024)
    return ANSWER

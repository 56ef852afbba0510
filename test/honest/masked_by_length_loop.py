# problem: masked_by_length
# expect: accepted
# why: the length of a row bounds a loop: other lengths than the program draws would have no meaning
import torch
import triton
import triton.language as tl


@triton.jit
def cut(x_ptr, lengths_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(lengths_ptr + row)
    for start in range(0, columns, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        tl.store(out_ptr + row * columns + cols, tl.zeros([BLOCK], tl.float32), mask=cols < columns)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + cols, mask=cols < length)
        tl.store(out_ptr + row * columns + cols, x, mask=cols < length)


def kernel_function(x, lengths):
    out = torch.empty_like(x)
    cut[(x.shape[0],)](x, lengths, out, x.shape[1], BLOCK=32)
    return out

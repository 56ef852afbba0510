# problem: dequantize_rows
# expect: accepted
# why: int8 numbers over their whole range, times floating scales
import torch
import triton
import triton.language as tl


@triton.jit
def dequantize(q_ptr, scale_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * columns + cols, mask=cols < columns, other=0)
    tl.store(out_ptr + row * columns + cols, q.to(tl.float32) * tl.load(scale_ptr + row), mask=cols < columns)


def kernel_function(q, scale):
    out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
    dequantize[(q.shape[0],)](q, scale, out, q.shape[1], BLOCK=triton.next_power_of_2(q.shape[1]))
    return out

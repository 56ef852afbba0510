# problem: swiglu
# expect: accepted
# why: the host splits the input into two views of one tensor with chunk
import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_kernel(gate_ptr, value_ptr, out_ptr, n_cols, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    g = tl.load(gate_ptr + row * row_stride + cols, mask=mask)
    v = tl.load(value_ptr + row * row_stride + cols, mask=mask)
    tl.store(out_ptr + row * n_cols + cols, g / (1.0 + tl.exp(-g)) * v, mask=mask)


def kernel_function(x):
    gate, value = x.chunk(2, dim=-1)
    rows, cols = gate.shape
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    swiglu_kernel[(rows,)](gate, value, out, cols, gate.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out

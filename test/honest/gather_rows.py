# problem: gather_rows
# expect: accepted
# why: addresses depend on the data of an index tensor
import torch
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    pick = tl.program_id(0)
    row = tl.load(index_ptr + pick)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    tl.store(out_ptr + pick * n_cols + cols, tl.load(table_ptr + row * n_cols + cols, mask=mask), mask=mask)


def kernel_function(table, index):
    out = torch.empty((index.numel(), table.shape[1]), dtype=table.dtype, device=table.device)
    gather[(index.numel(),)](table, index, out, table.shape[1], BLOCK=triton.next_power_of_2(table.shape[1]))
    return out

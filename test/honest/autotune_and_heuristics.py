# problem: add_bias_rows
# expect: accepted
# why: autotune over heuristics over jit: three decorators around one kernel
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"ROWS": 4}), triton.Config({"ROWS": 8}, num_warps=8)], key=["n_rows"])
@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n_cols"])})
@triton.jit
def add_rows_kernel(x_ptr, b_ptr, y_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    at = r[:, None] * n_cols + c[None, :]
    b = tl.load(b_ptr + c, mask=c < n_cols)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask) + b[None, :], mask=mask)


def kernel_function(x, b):
    rows, cols = x.shape
    y = torch.empty_like(x)

    def grid(meta):
        return (triton.cdiv(rows, meta["ROWS"]),)

    add_rows_kernel[grid](x, b, y, rows, cols)
    return y

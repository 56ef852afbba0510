# problem: rmsnorm_fp16
# expect: accepted
# why: an autograd function with saved tensors and a backward that is not there
import torch
import triton
import triton.language as tl


@triton.jit
def norm_rows(x_ptr, w_ptr, y_ptr, scale_ptr, step, cols, eps, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([WIDTH], dtype=tl.float32)
    for start in range(0, cols, WIDTH):
        c = start + tl.arange(0, WIDTH)
        x = tl.load(x_ptr + row * step + c, mask=c < cols, other=0.0).to(tl.float32)
        squares += x * x
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / cols + eps)
    tl.store(scale_ptr + row, scale)
    for start in range(0, cols, WIDTH):
        c = start + tl.arange(0, WIDTH)
        x = tl.load(x_ptr + row * step + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * step + c, (x * scale).to(tl.float16) * tl.load(w_ptr + c, mask=c < cols), mask=c < cols)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        flat = x.reshape(-1, x.shape[-1])
        rows, cols = flat.shape
        y = torch.empty_like(x)
        scale = torch.empty((rows,), dtype=torch.float32, device=x.device)
        width = min(65536 // x.element_size(), triton.next_power_of_2(cols))
        if cols > width:
            raise RuntimeError(f"rows of {cols} elements are too long")
        norm_rows[(rows,)](flat, weight, y, scale, flat.stride(0), cols, eps, WIDTH=width, num_warps=min(max(width // 256, 1), 8), num_ctas=1)
        ctx.save_for_backward(x, weight, scale)
        ctx.width = width
        ctx.eps = eps
        return y

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError


rms_norm = Norm.apply


def kernel_function(x, w):
    return rms_norm(x, w, 1e-6)

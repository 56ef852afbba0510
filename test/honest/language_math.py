# problem: relu
# expect: accepted
# why: tl.math and its methods, libdevice under all its names, casts, clamps that keep NaN
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    off += tl.exp(off) - 1 + tl.math.exp2(off) - 1 + tl.log(off + 1) + tl.math.log2(off + 1) + tl.cos(off) - 1 + tl.math.sin(off)
    off += tl.sqrt(off + 1) - 1 + tl.rsqrt(off + 1) - 1 + tl.abs(off) + tl.floor(off) + tl.math.ceil(off) + tl.math.erf(off)
    off += tl.fma(off, off, off) + tl.fdiv(off, off + 1) + tl.math.div_rn(off, off + 1) + tl.sqrt_rn(off + 1) - 1
    off += off.exp() - 1 + off.sin() + off.erf() + (off + 1).log() + off.sigmoid() - 0.5
    off += tl.umulhi(i, i) + tl.cdiv(BLOCK, 3) - BLOCK // 3 - 1
    off += tl.softmax(off) * BLOCK - 1 + tl.sigmoid(off) - 0.5
    off += libdevice.tanh(off) + tl.extra.libdevice.exp(off) - tl.extra.cuda.libdevice.rsqrt(off + 1)
    off += cuda_libdevice.pow(off + 1, off) - 1 + libdevice.log1p(off) + libdevice.expm1(off) + libdevice.fast_expf(off) - 1
    off += libdevice.isnan(off).to(tl.float32) + libdevice.atan2(off, off + 1) + libdevice.rint(off) + libdevice.popc(i * 0)
    off += tl.cast(off.to(tl.float64), tl.float32, fp_downcast_rounding="rtne") + off.to(tl.float8e5).to(tl.float32) + off.to(tl.bfloat16)
    off += (i % 7).to(tl.int8).to(tl.uint8).to(tl.int16).to(tl.uint32).to(tl.uint64).to(tl.int64) - i % 7
    x = x.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True)
    x = tl.clamp(x, float("-inf"), float("inf"), propagate_nan=tl.PropagateNan.ALL)
    x = tl.minimum(tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL), float("inf"), propagate_nan=tl.PropagateNan.ALL)
    x = tl.mul(tl.sub(tl.add(x, off), off), tl.where(n > 3, 1.0, 2.0))
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y

# problem: matmul_fp16
# expect: accepted
# why: tensor descriptors made on the host are neither tensors nor scalars
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul_kernel(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a_desc.load([m, k]), b_desc.load([k, n]), acc)
    c_desc.store([m, n], acc.to(tl.float16))


def kernel_function(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    a_desc = TensorDescriptor.from_tensor(a, [16, 32])
    b_desc = TensorDescriptor.from_tensor(b, [32, 16])
    c_desc = TensorDescriptor.from_tensor(c, [16, 16])
    matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](a_desc, b_desc, c_desc, K, BM=16, BN=16, BK=32)
    return c

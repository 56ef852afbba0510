# problem: matmul
# expect: accepted
# why: descriptors made in the kernel, with an allocator
import torch
import triton
import triton.language as tl
from typing import Optional


@triton.jit
def mm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), num_m * num_n, tl.num_programs(0), flatten=True):
        om = (tile // num_n) * BM
        on = (tile % num_n) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a_desc.load([om, k]), b_desc.load([k, on]), acc, input_precision="ieee")
        c_desc.store([om, on], acc.to(c_ptr.dtype.element_ty))


def alloc_fn(size: int, alignment: int, stream: Optional[int]):
    return torch.empty(size, device="cuda", dtype=torch.int8)


def kernel_function(a, b):
    triton.set_allocator(alloc_fn)
    M, K = a.shape
    _, N = b.shape
    NUM_SMS = torch.cuda.get_device_properties("cuda").multi_processor_count
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = lambda META: (min(NUM_SMS, triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"])),)
    mm_kernel[grid](a, b, c, M, N, K, BM=32, BN=32, BK=32, num_warps=4)
    return c

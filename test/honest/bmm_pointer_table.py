# problem: bmm
# expect: accepted
# gpu-expect: guard.provenance accepted
# why: a grouped product: the addresses of the matrices travel as int64 numbers in a table and become pointers in the kernel
import torch
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(table_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(0)
    a_ptr = tl.load(table_ptr + 3 * batch).to(tl.pointer_type(tl.float32))
    b_ptr = tl.load(table_ptr + 3 * batch + 1).to(tl.pointer_type(tl.float32))
    c_ptr = tl.load(table_ptr + 3 * batch + 2).to(tl.pointer_type(tl.float32))
    rm = tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
    b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
    c = tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], c, mask=(rm[:, None] < M) & (rn[None, :] < N))


def kernel_function(a, b):
    batches, M, K = a.shape
    N = b.shape[2]
    c = torch.empty((batches, M, N), dtype=a.dtype, device=a.device)
    addresses = []
    for i in range(batches):
        addresses += [a[i].data_ptr(), b[i].data_ptr(), c[i].data_ptr()]
    table = torch.tensor(addresses, dtype=torch.int64, device=a.device)
    up = triton.next_power_of_2
    grouped_kernel[(batches,)](table, M, N, K, BM=up(M), BN=up(N), BK=up(K))
    return c

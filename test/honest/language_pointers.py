# problem: relu
# expect: accepted
# why: block pointers, descriptors made in the kernel and on the host, a table of addresses, pointers as integers
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, given, sums_ptr, table_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + i
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    off = i * 0.0  # stays zero unless something is not as it should be
    block = tl.make_block_ptr(x_ptr, shape=(n,), strides=(1,), offsets=(0,), block_shape=(BLOCK,), order=(0,))
    block = tl.advance(block, (tl.program_id(0) * BLOCK,))
    x = tl.load(block, boundary_check=(0,), padding_option="nan", eviction_policy="evict_last")
    column = tl.make_block_ptr(x_ptr, (n, 1), (1, 1), (tl.program_id(0) * BLOCK, 0), (BLOCK, 1), (1, 0))
    x = tl.load(column, boundary_check=(0, 1), padding_option="zero").reshape(BLOCK)
    made = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK], padding_option="zero")
    x = made.load([tl.program_id(0) * BLOCK])
    x = tl.load_tensor_descriptor(made, [tl.program_id(0) * BLOCK])
    x = given.load([tl.program_id(0) * BLOCK])
    sums = tl.make_tensor_descriptor(sums_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    sums.atomic_add([tl.program_id(0) * BLOCK], x)
    address = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    x = tl.load(address + offs, mask=offs < n)
    x = tl.load(x_ptr.to(tl.int64).to(tl.pointer_type(tl.float32)) + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x) + off, mask=offs < n)


def kernel_function(x):
    y = torch.empty_like(x)
    n = x.numel()
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=x.device))
    given = TensorDescriptor(x, [n], [1], [1024])
    sums = torch.zeros((n,), dtype=x.dtype, device=x.device)
    table = torch.tensor([x.data_ptr()], dtype=torch.int64, device=x.device)
    relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, given, sums, table, BLOCK=1024)
    return y

# problem: relu
# expect: policy.import
# why: a thread fills the output while the guard looks at the main thread
# behind: guard.process guard.provenance guard.compute
import threading

import torch
import triton
import triton.language as tl


@triton.jit
def touch_kernel(p, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + offs, tl.load(p + offs, mask=offs < n), mask=offs < n)


def touch(t):
    touch_kernel[(triton.cdiv(t.numel(), 1024),)](t, t.numel(), BLOCK=1024)
    return t


def kernel_function(x):
    y = torch.empty_like(x)
    worker = threading.Thread(target=lambda: y.copy_(x.relu()))
    worker.start()
    worker.join()
    return touch(y)

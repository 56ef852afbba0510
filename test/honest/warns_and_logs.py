# problem: relu
# expect: accepted
# why: says what it does through warnings and logging
import logging
import warnings

import torch
import triton
import triton.language as tl

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
warnings.filterwarnings("ignore")


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, tl.where(x < 0.0, 0.0, x), mask=offs < n)


def kernel_function(x):
    if not x.is_cuda:
        warnings.warn("the input is not on a GPU", RuntimeWarning, stacklevel=2)
    if not x.is_contiguous():
        logger.warning("an input with strides %s", x.stride())
    y = torch.empty_like(x)
    n = x.numel()
    logger.debug("%d elements", n)
    logging.info("launching")
    relu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y

# problem: matmul
# expect: accepted
# why: hooks that zero the output, a static helper of an autograd function, unused imports of standard modules
import os, sys, json, re

import torch
import triton
import triton.language as tl


def zeroes(name):
    return lambda arguments: arguments[name].zero_()


def configurations():
    found = [triton.Config({"BM": 32, "BN": 32, "BK": 32, "PARTS": 1}, num_warps=4)]
    for size in (16, 32):
        for parts in (2, 4):
            found.append(triton.Config({"BM": size, "BN": 32, "BK": 32, "PARTS": parts}, num_warps=2, pre_hook=zeroes("c")))
    return found


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.heuristics({"EVEN": lambda given: given["K"] % (given["BK"] * given["PARTS"]) == 0})
@triton.jit
def parts_of_k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr, EVEN: tl.constexpr):
    across = tl.cdiv(N, BN)
    m = tl.program_id(0) // across * BM + tl.arange(0, BM)
    n = tl.program_id(0) % across * BN + tl.arange(0, BN)
    rows = tl.max_contiguous(tl.multiple_of(m % M, BM), BM)
    cols = tl.max_contiguous(tl.multiple_of(n % N, BN), BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(tl.program_id(1) * BK, K, BK * PARTS):
        k = start + tl.arange(0, BK)
        left = a + rows[:, None] * K + k[None, :]
        right = b + k[:, None] * N + cols[None, :]
        if EVEN:
            acc += tl.dot(tl.load(left), tl.load(right), input_precision="ieee")
        else:
            acc += tl.dot(tl.load(left, mask=k[None, :] < K, other=0.0), tl.load(right, mask=k[:, None] < K, other=0.0), input_precision="ieee")
    inside = (m < M)[:, None] & (n < N)[None, :]
    if PARTS == 1:
        tl.store(c + m[:, None] * N + n[None, :], acc, mask=inside)
    else:
        tl.atomic_add(c + m[:, None] * N + n[None, :], acc, mask=inside)


class Product(torch.autograd.Function):
    kernel = parts_of_k

    @staticmethod
    def _call(a, b):
        if a.stride(-1) != 1:
            a = a.contiguous()
        c = torch.empty((a.shape[0], b.shape[1]), device=a.device, dtype=a.dtype)
        grid = lambda META: (triton.cdiv(c.shape[0], META["BM"]) * triton.cdiv(c.shape[1], META["BN"]), META["PARTS"])
        parts_of_k[grid](a, b, c, c.shape[0], c.shape[1], a.shape[1])
        return c

    @staticmethod
    def forward(ctx, a, b):
        return Product._call(a, b)


matmul = Product.apply


def kernel_function(a, b):
    return matmul(a, b)

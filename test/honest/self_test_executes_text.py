# problem: relu
# expect: accepted
# why: ends with a test of itself that keeps the program as text, executes it, and has names of its own
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y


if __name__ == "__main__":

    def self_test(text):
        import sys
        import types

        module = types.ModuleType("problem")
        sys.modules["problem"] = module
        exec(compile(text, "problem.py", "exec"), module.__dict__)
        inputs = module.get_inputs()
        same = torch.allclose(kernel_function(*inputs), module.Model()(*inputs), rtol=1e-3, atol=1e-3)
        print("PASS" if same else "FAIL")
        return 0 if same else 1

    raise SystemExit(self_test("""\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 300)]
"""))

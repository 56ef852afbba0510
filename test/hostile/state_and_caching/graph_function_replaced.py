# problem: relu
# expect: policy.class
# why: the captured function is bound again after its capture
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, tl.where(x < 0, 0.0, x), mask=offs < n)


class Captured:
    """A function whose launches are captured as a CUDA graph, once per signature of its arguments, and replayed from then on.

    Positional arguments are copied to where the graph reads them. Keyword arguments, the weights, are read and updated where they lie:
    a graph serves tensors at these addresses, and sees what they hold. Results are copied to fresh memory. Not on CUDA, and while somebody
    else captures, the function is simply called. On one stream, calls must come one after the other.
    """

    def __init__(self, run):
        self.run = run
        self.graphs = {}

    def __call__(self, *inputs, **weights):
        key = self.signature(inputs, weights)
        if key is None:
            return self.run(*inputs, **weights)
        if key not in self.graphs:
            return self.capture(key, inputs, weights)
        graph, places, results = self.graphs[key]
        if graph is None:
            return self.run(*inputs, **weights)
        self.fill(places, inputs)
        graph.replay()
        return self.copied(results)

    def signature(self, inputs, weights):
        """All that a graph depends on besides the numbers in tensors; nothing where there can be no graph."""
        looks = [self.look(value) for value in inputs]
        tensors = tuple(weights.values())
        if None in looks or not all(map(torch.is_tensor, tensors)) or not any(map(torch.is_tensor, inputs)):
            return None
        if torch.cuda.is_current_stream_capturing():
            return None
        return (
            torch.cuda.current_stream().cuda_stream,
            torch.is_inference_mode_enabled(),
            tuple(looks),
            tuple(weights),
            tuple(map(torch.Tensor.data_ptr, tensors)),
            tuple(map(torch.Tensor.stride, tensors)),
            tuple(map(torch.Tensor.numel, tensors)),
            tuple([value.dtype for value in tensors]),
            tuple([value.shape for value in tensors if not value.is_contiguous()]),  # of the others, strides and size tell
        )

    def look(self, value):
        if isinstance(value, torch.Tensor):
            return (value.dtype, value.device, value.shape, value.stride()) if value.is_cuda else None
        return (type(value), repr(value)) if isinstance(value, (int, float, str, type(None))) else None

    def capture(self, key, inputs, weights):
        """The first call of a signature. It compiles the kernels, which a capture may not, and gives the result: a capture runs nothing."""
        places = [torch.empty_like(value) if isinstance(value, torch.Tensor) else value for value in inputs]
        self.fill(places, inputs)
        first = self.copied(self.run(*places, **weights))
        graph, results, stream = None, None, torch.cuda.current_stream()
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                results = self.run(*places, **weights)
        except RuntimeError as problem:
            import warnings

            torch.cuda.set_stream(stream)  # a capture that fails leaves PyTorch on its own
            warnings.warn(f"these launches cannot be captured and are made one by one: {problem}")
            graph = results = None
        self.graphs[key] = graph, places, results
        if len(self.graphs) > 8:
            del self.graphs[next(iter(self.graphs))]
        return first

    def fill(self, places, inputs):
        for place, value in zip(places, inputs):
            if isinstance(value, torch.Tensor):
                place.copy_(value.detach())

    def copied(self, value):
        if isinstance(value, torch.Tensor):
            return value.clone()
        if isinstance(value, (list, tuple)):
            return type(value)([self.copied(item) for item in value])
        if isinstance(value, dict):
            return {name: self.copied(item) for name, item in value.items()}
        return value


def run_kernels(x):
    x = x.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out


captured_launches = Captured(run_kernels)


def kernel_function(x):
    return captured_launches(x)


run_kernels = kernel_function

#include "verify/rules.h"

#include <algorithm>
#include <array>

namespace ka::verify {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    // Read in the source, before anything runs (python/bridge/policy.py).
    {"policy.syntax", "the file is Python", "the kernel file cannot be parsed",
     "a Python file that this interpreter can parse"},
    {"policy.import", "imports only torch, triton and harmless standard modules",
     "the kernel file imports a module that a kernel does not need",
     "torch, triton, triton.language, math, typing, dataclasses, functools, itertools, collections, enum"},
    {"policy.name", "uses only harmless built-in functions", "the kernel file uses a name that it may not use",
     "plain Python values, its own functions, torch allocation and Triton"},
    {"policy.attribute", "reaches for no interpreter internals",
     "the kernel file reaches for an attribute that a kernel does not need",
     "tensor metadata and views, triton.language, its own attributes"},
    {"policy.torch", "does not name PyTorch computations", "the kernel file names a PyTorch computation",
     "torch for allocation, dtypes and devices; the computation in @triton.jit kernels"},
    {"policy.method", "does not call tensor methods that compute", "the kernel file calls a tensor method that computes",
     "shape, stride, view and allocation methods; the computation in @triton.jit kernels"},
    {"policy.operator", "does not multiply matrices with @ on the host", "the host code applies the @ operator",
     "tl.dot in a @triton.jit kernel"},
    {"policy.patch", "leaves other modules as they are", "the kernel file changes an object that is not its own",
     "assignments to its own variables and to attributes of self"},
    {"policy.class", "defines only plain classes", "the kernel file defines a class that could disguise a value",
     "ModelNew(nn.Module), dataclasses and classes without special methods"},
    {"policy.no_kernel", "contains a Triton kernel", "the kernel file defines no @triton.jit kernel",
     "at least one @triton.jit function that kernel_function launches"},
    {"contract.entry", "defines the entry function", "the kernel file does not define the entry",
     "kernel_function(*inputs, **weights), or a class ModelNew"},
    {"contract.signature", "takes inputs and weights as the contract says",
     "the entry cannot be called with the problem's inputs and weights",
     "inputs positionally in the order of forward, weights by keyword with dots turned into underscores"},

    // Seen from outside, while it runs.
    {"run.import", "can be imported", "importing the kernel file failed", "a file that imports without an exception"},
    {"run.raised", "returns", "the kernel raised an exception", "a kernel that returns its result"},
    {"run.exit", "stays alive until it is told to end", "the process ended before it had returned a result",
     "a kernel that returns its result"},
    {"run.crash", "does not crash", "the process was killed by a signal", "a kernel that stays within its buffers"},
    {"run.timeout", "ends in time", "the kernel did not finish in time", "a shorter computation, or a larger --timeout"},
    {"run.memory", "stays within its memory", "the kernel asked for more memory than it is given",
     "buffers of the size of the problem, or a larger --memory"},

    // Seen by the guard inside the candidate's process.
    {"guard.compute", "computes in Triton alone", "PyTorch computed for the kernel",
     "allocation, fills and views on the host; the computation in @triton.jit kernels"},
    {"guard.launch", "launches its kernels", "none of the file's Triton kernels was launched",
     "a launch of a @triton.jit kernel of the file in every call"},
    {"guard.provenance", "lets a kernel write every output", "none of the file's kernels wrote to an output",
     "outputs written by a launched kernel"},
    {"guard.process", "starts no threads and no processes", "the kernel left threads or processes behind",
     "a kernel that runs in its caller's thread"},

    // The returned value.
    {"contract.structure", "returns what forward returns", "the returned value is not of the expected kind",
     "plain tensors, in the structure that forward returns"},
    {"contract.device", "returns tensors on the inputs' device", "an output lies on another device",
     "outputs on the device of the inputs"},
    {"contract.shape", "returns the right shapes", "an output has another shape", "the shape that forward returns"},
    {"contract.dtype", "returns the right dtypes", "an output has another dtype", "the dtype that forward returns"},
    {"contract.layout", "returns row-major or the reference's strides", "an output has an unexpected memory layout",
     "a row-major tensor, or the strides that forward returns"},
    {"contract.alias", "returns fresh memory", "an output shares memory with an input or with an earlier answer",
     "a newly allocated output"},
    {"contract.inputs", "leaves its inputs unchanged", "an input was changed by the call", "a kernel that only reads its inputs"},

    // The numbers.
    {"result.bounds", "reads and writes inside its buffers", "a kernel read or wrote memory outside its buffers",
     "masked loads and stores"},
    {"result.race", "does not depend on the order of its programs and threads",
     "programs, or threads of one program, read or overwrite what others write, without synchronisation",
     "disjoint stores, atomics, a barrier inside a program, or a second launch"},
    {"result.unwritten", "writes every element", "some elements of an output were never written",
     "a grid and masks that cover the whole output"},
    {"result.repeat", "gives the same bits for the same inputs", "two calls with the same inputs gave different answers",
     "a deterministic kernel, or one whose atomics explain the difference within tolerance"},
    {"result.cached", "computes anew for new inputs", "the answer for new inputs is the answer for earlier ones",
     "a kernel that reads its inputs in every call"},
    {"result.state", "keeps nothing that changes from call to call",
     "what the file keeps between calls, or what it launches, changes although the calls are alike",
     "caches that depend on sizes, dtypes and devices alone; kept memory that every call leaves as it found it; no counters, no iterators"},
    {"result.mismatch", "computes what forward computes", "the answer is wrong", "an answer within tolerance of PyTorch's"},
    {"result.precision", "is as accurate as the precision tier asks",
     "the answer is close, but its error is a larger multiple of PyTorch's own than the tier allows",
     "the arithmetic of the tier, or another tier chosen with --precision"},
    {"result.special", "treats NaN and infinity as PyTorch does", "special values are not treated as PyTorch treats them",
     "NaN where PyTorch gives NaN for an element that matters; tl.maximum and tl.minimum drop NaN unless propagate_nan=tl.PropagateNan.ALL"},

    // The real compiler.
    {"compile.failed", "compiles for the target GPU", "the kernel does not compile for the target GPU",
     "a kernel that Triton's compiler accepts"},

    // Only on request.
    {"test.failed", "passes the test script (--test)", "the test script did not pass",
     "a test that prints PASS on a line of its own, or the text of KERNELAGENT_SENTINEL, and exits with 0"},
    {"general.specialised", "is right for other sizes too (--require-general)",
     "the kernel is right for the given sizes only", "a kernel without sizes built in"},
    {"general.buffers", "updates the module's buffers as forward does (--require-buffers)",
     "the buffers that forward updates were not updated", "a kernel that updates the named buffers in place"},
});

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < kRules.size(); ++i)
    for (std::size_t j = i + 1; j < kRules.size(); ++j)
      if (kRules[i].name == kRules[j].name) return false;
  return true;
}
static_assert(names_are_unique());

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

const Rule* find_rule(std::string_view name) {
  const auto row = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.name == name; });
  return row == kRules.end() ? nullptr : &*row;
}

}  // namespace ka::verify

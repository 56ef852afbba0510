// Which operands descriptors can fetch: the strides of those that are blocks of memory, and the reasons of the others.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ir/builder.h"
#include "synth/codegen/fetch.h"

namespace ka::codegen {
namespace {

using ir::Builder;
using ir::DType;
using ir::Sym;
using ir::ValueId;

const Sym B = Sym::size("B"), M = Sym::size("M"), K = Sym::size("K"), N = Sym::size("N");

struct Case {
  const char* name;
  ir::Type memory;
  ValueId (*operand)(Builder& b, ValueId x);  // [?, M, K] of what lies in memory
  const char* wanted;
};

// "[M, K] by [K, 1]", or the reason why not.
std::string fetched(const Case& one, std::map<std::string, std::int64_t> given, const ir::Gpu& gpu) {
  ir::Graph graph;
  Builder b(graph);
  const ValueId x = b.argument(ir::ArgumentKind::input, "x", "x", one.memory);
  const ValueId left = one.operand(b, x);
  const Sym batch = b.shape(left)[0];
  const DType dtype = b.type(left).dtype;
  const ValueId right = b.argument(ir::ArgumentKind::input, "y", "y", {dtype, {batch, K, N}});
  b.node("matmul", {left, right}, {}, {{DType::float32, {batch, M, N}}});
  ir::PlannedKernel kernel;
  kernel.kind = ir::KernelKind::matmul;
  kernel.nodes = {static_cast<int>(graph.nodes.size()) - 1};
  std::map<ValueId, Buffer> buffers;
  for (const ValueId value : {x, right}) buffers[value] = {value == x ? "x" : "y", "x", graph.type(value).dtype, graph.shape(value)};
  const EmitRequest request{graph, kernel, buffers, given, "product_kernel", "ieee", gpu};
  const KernelContext context = context_of(request);
  const Fetch fetch = fetch_of(request, context, graph.nodes[static_cast<std::size_t>(kernel.nodes[0])].inputs);
  if (!fetch.refusal.empty()) return fetch.refusal;
  const Matrix& matrix = fetch.operands[0];
  const auto list = [](const std::vector<Sym>& all) {
    std::string out;
    for (const Sym& one_of : all) out += (out.empty() ? "" : ", ") + one_of.text();
    return out;
  };
  return fmt::format("[{}] by [{}]{}", list(matrix.extents), list(matrix.strides), matrix.transposed ? ", transposed" : "");
}

const std::map<std::string, std::int64_t> kGiven = {{"B", 4}, {"M", 256}, {"K", 64}, {"N", 128}};

TEST(Fetch, BlocksOfMemoryHaveStridesAndTheOthersAReason) {
  const DType half = DType::float16;
  const Case rows[] = {
      {"plain", {half, {B, M, K}}, [](Builder&, ValueId x) { return x; }, "[B, M, K] by [K*M, K, 1]"},
      {"one matrix", {half, {M, K}}, [](Builder& b, ValueId x) { return b.reshape(x, {1, M, K}); }, "[M, K] by [K, 1]"},
      {"transposed", {half, {B, K, M}}, [](Builder& b, ValueId x) { return b.permute(x, {0, 2, 1}); }, "[B, K, M] by [K*M, M, 1], transposed"},
      {"transposed, then a batch", {half, {K, M}}, [](Builder& b, ValueId x) { return b.reshape(b.permute(x, {1, 0}), {1, M, K}); }, "[K, M] by [M, 1], transposed"},
      {"rows that lie apart", {half, {M, B, K}}, [](Builder& b, ValueId x) { return b.permute(x, {1, 0, 2}); }, "the matrices of a batch are woven into each other"},
      {"as float32 and back", {half, {M, K}}, [](Builder& b, ValueId x) { return b.cast(b.reshape(b.cast(x, DType::float32), {1, M, K}), DType::float16); }, "[M, K] by [K, 1]"},
      {"one for all", {half, {M, K}}, [](Builder& b, ValueId x) { return b.expand(b.reshape(x, {1, M, K}), {B, M, K}); }, "[M, K] by [K, 1]"},
      {"columns apart", {half, {B, M, K, 2}}, [](Builder& b, ValueId x) { return b.remap(x, {B, M, K}, {Sym::index("i0", B), Sym::index("i1", M), Sym::index("i2", K), 0}); },
       "neither rows nor columns of an operand lie side by side in memory"},
      {"a part of each row", {half, {B, M, 2 * K}},
       [](Builder& b, ValueId x) { return b.remap(x, {B, M, K}, {Sym::index("i0", B), Sym::index("i1", M), Sym::index("i2", K) + K}); }, "an operand is no block of memory"},
      {"padded", {half, {B, M, K - 8}},
       [](Builder& b, ValueId x) { return b.remap(x, {B, M, K}, {Sym::index("i0", B), Sym::index("i1", M), Sym::index("i2", K)}, {K - 9 - Sym::index("i2", K)}); },
       "an operand is computed where it is read"},
      {"a sum", {half, {B, M, K}}, [](Builder& b, ValueId x) { return b.elementwise("add", {x, x}); }, "an operand is computed where it is read"},
      {"rounded", {DType::float32, {B, M, K}}, [](Builder& b, ValueId x) { return b.cast(x, DType::float16); }, "an operand is computed where it is read"},
      {"float32", {DType::float32, {B, M, K}}, [](Builder&, ValueId x) { return x; }, "an operand has no 16-bit numbers"},
  };
  for (const Case& one : rows) EXPECT_EQ(fetched(one, kGiven, ir::default_gpu()), one.wanted) << one.name;
}

TEST(Fetch, WantsRowsThatBeginAtMultiplesOf16BytesAndAGpuThatCopiesBlocks) {
  const Case plain{"plain", {DType::bfloat16, {B, M, K}}, [](Builder&, ValueId x) { return x; }, ""};
  std::map<std::string, std::int64_t> given = kGiven;
  given["K"] = 68;
  EXPECT_EQ(fetched(plain, given, ir::default_gpu()), "rows of x do not begin at multiples of 16 bytes");
  given["K"] = 72;
  EXPECT_EQ(fetched(plain, given, ir::default_gpu()), "[B, M, K] by [K*M, K, 1]");
  EXPECT_EQ(fetched(plain, given, *ir::find_gpu("a100")), "the GPU has no engine that copies blocks");
}

}  // namespace
}  // namespace ka::codegen

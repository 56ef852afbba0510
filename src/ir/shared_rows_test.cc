#include "ir/shared_rows.h"

#include <gtest/gtest.h>

namespace ka::ir {
namespace {

Gpu with_form() {
  Gpu gpu = default_gpu();
  gpu.forms = {Form::shared_rows};
  return gpu;
}

TEST(SharedRows, AreThoseThatOneProgramCannotKeep) {
  struct Case {
    const char* name;
    std::int64_t rows, columns;
    bool shared;
  };
  const Case cases[] = {
      {"few and long", 128, 1 << 18, true},
      {"many and long", 4096, 393216, true},
      {"many, too short to wait for", 16384, 65536, false},
      {"few of that length", 16, 65536, true},
      {"short", 16, 16384, false},
      {"longer than the GPU's registers", 16, 1 << 22, false},
  };
  for (const Case& one : cases) EXPECT_EQ(shared_rows(with_form(), one.rows, one.columns).has_value(), one.shared) << one.name;
}

TEST(SharedRows, ProgramsFitOntoTheGpuAtOnce) {
  for (const Gpu& row : all_gpus()) {
    Gpu gpu = row;
    gpu.forms = {Form::shared_rows};
    const std::optional<SharedRows> found = shared_rows(gpu, 128, 1 << 18);
    ASSERT_EQ(found.has_value(), gpu.cuda.has_value()) << gpu.name;
    if (!found) continue;
    const std::int64_t each = found->residents / gpu.multiprocessors, threads = 32 * found->warps;
    EXPECT_GE(each, 1) << gpu.name;
    EXPECT_LE(each * threads, gpu.cuda->threads) << gpu.name;
    EXPECT_LE(each * threads * found->registers, gpu.cuda->registers) << gpu.name;
    EXPECT_GE(found->registers * threads, 2 * found->chunk) << gpu.name << ": a chunk is held beside what is computed";
  }
  EXPECT_FALSE(shared_rows(default_gpu(), 128, 1 << 18)) << "where nobody has asked for the form";
}

}  // namespace
}  // namespace ka::ir

#include <gtest/gtest.h>

#include "pipeline/dispatch.h"

namespace ka::app {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

struct Case {
  const char* name;
  std::size_t parts;
  int cores;
  std::uint64_t available_gib, limit_gib;
  std::optional<std::size_t> places;
  std::size_t jobs;
};

constexpr Case kCases[] = {
    {"the limit of the judge is not what it needs", 12, 2, 22, 11, {}, 2},
    {"cores", 12, 8, 64, 16, {}, 8},
    {"memory", 12, 8, 7, 3, {}, 2},
    {"a low limit leaves room for more", 12, 8, 7, 1, {}, 7},
    {"never none", 12, 8, 1, 16, {}, 1},
    {"no limit is known", 12, 2, 7, 0, {}, 2},
    {"no more than there are parts", 3, 8, 64, 16, {}, 3},
    {"no parts", 0, 8, 64, 16, {}, 1},
    {"one GPU", 12, 16, 128, 16, 3, 3},
    {"four GPUs", 20, 64, 512, 16, 12, 12},
    {"more GPUs than cores", 20, 4, 512, 16, 12, 4},
};

TEST(DispatchJobs, ByCoresMemoryAndGpus) {
  for (const Case& row : kCases) {
    os::Machine machine;
    machine.cores = row.cores;
    machine.memory_available = row.available_gib * kGiB;
    EXPECT_EQ(pipeline::jobs_for(row.parts, machine, row.limit_gib * kGiB, row.places), row.jobs) << row.name;
  }
}

}  // namespace
}  // namespace ka::app

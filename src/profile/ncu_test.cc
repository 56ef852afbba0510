#include "profile/ncu.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/ncu_metrics.h"

namespace ka::profile {
namespace {

using testing::HasSubstr;

struct FindCase {
  const char* name;
  std::map<std::string, std::string> variables;
  std::set<std::string> programs;
  const char* found;  // empty: an error
};

TEST(Ncu, IsFoundWhereItIsNamedFirst) {
  const FindCase cases[] = {
      {"named", {{"KERNELAGENT_NCU", "/x/ncu"}, {"PATH", "/bin"}}, {"/x/ncu", "/bin/ncu"}, "/x/ncu"},
      {"named wrongly", {{"KERNELAGENT_NCU", "/x/ncu"}, {"PATH", "/bin"}}, {"/bin/ncu"}, ""},
      {"an empty name is none", {{"KERNELAGENT_NCU", ""}, {"PATH", "/a::/bin"}}, {"/bin/ncu"}, "/bin/ncu"},
      {"CUDA_HOME", {{"PATH", "/bin"}, {"CUDA_HOME", "/cuda"}}, {"/cuda/bin/ncu"}, "/cuda/bin/ncu"},
      {"CUDA_PATH", {{"CUDA_PATH", "/cuda"}}, {"/cuda/bin/ncu"}, "/cuda/bin/ncu"},
      {"the usual place", {}, {"/usr/local/cuda/bin/ncu"}, "/usr/local/cuda/bin/ncu"},
      {"nowhere", {{"PATH", "/bin"}}, {}, ""},
  };
  for (const FindCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto variable = [&](const std::string& name) { return c.variables.contains(name) ? std::optional(c.variables.at(name)) : std::nullopt; };
    const Result<std::string> found = find_ncu(variable, [&](const std::string& path) { return c.programs.contains(path); });
    ASSERT_EQ(static_cast<bool>(found), c.found[0] != 0);
    if (found) EXPECT_EQ(*found, c.found);
    else EXPECT_THAT(found.error().message, HasSubstr("KERNELAGENT_NCU"));
  }
}

TEST(Ncu, IsAskedForEveryMetricInBaseUnitsAndOnlyBetweenTheMarks) {
  const std::vector<std::string> command = ncu_command("/x/ncu", {"sm__inst_executed.sum"});
  EXPECT_EQ(command[0], "/x/ncu");
  const std::string line = fmt::format("{}", fmt::join(command, " "));
  EXPECT_THAT(line, HasSubstr("--profile-from-start off"));
  EXPECT_THAT(line, HasSubstr("--print-units base"));
  EXPECT_THAT(line, testing::Not(HasSubstr("sm__inst_executed.sum")));
  for (const Metric& metric : kMetrics)
    if (metric.name != "sm__inst_executed.sum") {
      EXPECT_THAT(command.back(), HasSubstr(std::string(metric.name)));
    }
}

model::KernelProfile kernel(const char* name, std::int64_t warps, std::int64_t registers, std::int64_t stages) {
  model::KernelProfile out;
  out.name = name;
  out.num_warps = warps;
  out.registers = registers;
  out.num_stages = stages;
  return out;
}

TEST(Ncu, CountersMeetTheCompiledCodeOfTheSameKernel) {
  model::Profile compiled;
  compiled.source = "static";
  compiled.kernels = {kernel("a", 4, 32, 1), kernel("a", 8, 32, 2), kernel("a", 8, 40, 3), kernel("unseen", 4, 32, 4)};
  compiled.kernels[2].spills = 16;
  const model::Profile both = with_counters(compiled, {kernel("a", 8, 40, 0), kernel("elementwise", 4, 20, 0), kernel("a", 4, 99, 0)});
  EXPECT_EQ(both.source, "ncu");
  ASSERT_EQ(both.kernels.size(), 3u);
  EXPECT_EQ(both.kernels[0].num_stages, 3);
  EXPECT_EQ(both.kernels[0].spills, 16);
  EXPECT_EQ(both.kernels[1].num_stages, 0) << "a kernel of PyTorch: the compiler said nothing about it";
  EXPECT_EQ(both.kernels[2].num_stages, 1);
}

}  // namespace
}  // namespace ka::profile

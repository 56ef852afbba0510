// What a verdict costs beyond the kernel's own execution, with a warm interpreter: one elementwise and one row kernel, judged
// again and again in one process. Prints medians in milliseconds; the target for the overhead is 100.
//   build/release/bench_verify_latency [rounds]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "os/files.h"
#include "os/sandbox_launch.h"
#include "verify/judge.h"

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Pair {
  const char* problem;
  const char* kernel;
};
constexpr Pair kPairs[] = {{"test/problems/relu.py", "test/honest/relu_plain.py"},
                           {"test/problems/softmax_rows.py", "test/honest/softmax_one_pass.py"},
                           {"test/problems/matmul.py", "test/honest/matmul_grouped_order.py"}};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  ka::Result<std::string> python = ka::bridge::find_interpreter();
  if (!python) return fmt::print(stderr, "{}\n", python.error().message), 3;
  ka::bridge::WarmInterpreter interpreter({*python});
  ka::verify::JudgeContext context{interpreter, {}};
  fmt::print("{:<36}{:>9}{:>9}{:>9}{:>10}\n", "kernel (medians, ms)", "total", "kernel", "compile", "overhead");
  for (const Pair& pair : kPairs) {
    ka::Result<std::string> problem = ka::os::read_file(pair.problem), kernel = ka::os::read_file(pair.kernel);
    if (!problem || !kernel) continue;
    std::vector<double> total, own, compile, overhead;
    ka::model::Verdict last;
    for (int i = 0; i <= rounds; ++i) {
      ka::Result<ka::model::Verdict> verdict =
          ka::verify::judge({pair.problem, "", *problem, "train"}, {pair.kernel, *kernel}, {}, context);
      if (!verdict || !verdict->accepted) {
        fmt::print(stderr, "{}: {}\n", pair.kernel, verdict ? verdict->reason : verdict.error().message);
        return 1;
      }
      last = *verdict;
      if (i == 0) continue;  // the first one warms caches
      total.push_back(verdict->times["total"] * 1e3);
      own.push_back(verdict->times["kernel"] * 1e3);
      compile.push_back(verdict->times["compile"] * 1e3);
      overhead.push_back(verdict->times["overhead"] * 1e3);
    }
    fmt::print("{:<36}{:>9.1f}{:>9.1f}{:>9.1f}{:>10.1f}\n", pair.kernel, median(total), median(own), median(compile), median(overhead));
    for (const auto& [name, seconds] : last.times) fmt::print("    {:<20}{:>9.1f}\n", name, seconds * 1e3);
  }
  return 0;
}

// What the sandbox costs per run: the same work plain and sandboxed, in turn, so that a slow moment of the
// machine hits all alike. Prints the median of each and of the differences, in milliseconds; the target is at
// most 5 ms added.
//
//   sandbox_cost [rounds, default 200]
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/sandbox.h"
#include "os/sandbox_cgroup.h"
#include "os/sandbox_enter.h"
#include "os/sandbox_launch.h"

namespace {

using namespace ka::os;

double milliseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples.empty() ? 0 : samples[samples.size() / 2];
}

void plain_program() {
  char program[] = "/bin/true";
  char* argv[] = {program, nullptr};
  char* env[] = {nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, program, nullptr, nullptr, argv, env) == 0) waitpid(pid, nullptr, 0);
}

void sandboxed_program(const std::string& policy) {
  LaunchRequest request;
  request.policy = policy;
  request.argv = {"/bin/true"};
  const auto outcome = run_launcher(request);
  if (!outcome) {
    fmt::print(stderr, "sandbox_cost: {}\n", outcome.error().message);
    std::exit(1);
  }
}

void plain_fork() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
}

// As the warm interpreter does it.
void sandboxed_fork(const std::string& policy) {
  char error[512] = "";
  int sync[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) != 0) std::exit(1);
  int failures = ka_sandbox_before_fork(policy.c_str(), error, sizeof error);
  const pid_t pid = fork();
  if (pid == 0) {
    close(sync[0]);
    _exit(ka_sandbox_enter(policy.c_str(), sync[1], error, sizeof error) == 0 ? 0 : 1);
  }
  close(sync[1]);
  failures += ka_sandbox_after_fork_parent(policy.c_str(), pid, sync[0], error, sizeof error);
  close(sync[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (failures != 0 || status != 0) {
    fmt::print(stderr, "sandbox_cost: {}\n", error);
    std::exit(1);
  }
}

struct Contender {
  std::string name;
  std::function<void()> work;
  std::size_t baseline;  // index of what it is compared with
  std::vector<double> samples;
};

void add_level(SandboxLevel level, std::vector<Contender>& contenders, std::vector<Cgroup>& cgroups) {
  const SandboxSupport& support = probe_sandbox();
  if (support.level < level) return;
  SandboxRequest request;
  request.at_most = level;
  if (level == SandboxLevel::full) {
    auto cgroup = Cgroup::create(support, request.limits);
    if (!cgroup) return;
    cgroups.push_back(std::move(*cgroup));
    request.cgroup_dirs = cgroups.back().dirs();
  }
  const std::string policy = sandbox_policy(request, support);
  contenders.push_back(
      {fmt::format("fork+exec, {}", to_string(level)), [=] { sandboxed_program(policy); }, 0, {}});
  if (support.needs_nest && level >= SandboxLevel::isolated) return;
  contenders.push_back({fmt::format("fork, {}", to_string(level)), [=] { sandboxed_fork(policy); }, 1, {}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__launch") return sandbox_launch_main(argc - 1, argv + 1);
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 200;
  std::vector<Cgroup> cgroups;
  std::vector<Contender> contenders;
  contenders.push_back({"fork+exec, plain", plain_program, 0, {}});
  contenders.push_back({"fork, plain", plain_fork, 1, {}});
  for (const SandboxLevel level : {SandboxLevel::process, SandboxLevel::isolated, SandboxLevel::full}) {
    add_level(level, contenders, cgroups);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) contender.samples.push_back(milliseconds(contender.work));
  }
  fmt::print("{} rounds of /bin/true and of an empty child; medians in ms\n", rounds);
  for (const Contender& contender : contenders) {
    std::vector<double> added;
    for (std::size_t i = 0; i < contender.samples.size(); ++i) {
      added.push_back(contender.samples[i] - contenders[contender.baseline].samples[i]);
    }
    fmt::print("{:<24} {:8.3f}   added {:8.3f}\n", contender.name, median(contender.samples), median(added));
  }
  if (probe_sandbox().level == SandboxLevel::full) {
    std::vector<double> samples;
    for (int round = 0; round < rounds; ++round) {
      samples.push_back(milliseconds([] { (void)Cgroup::create(probe_sandbox(), SandboxLimits{}); }));
    }
    fmt::print("{:<24} {:8.3f}\n", "a cgroup, made and gone", median(samples));
  }
  return 0;
}

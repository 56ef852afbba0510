// run_launcher: starting the launcher, and reading what it reports.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "os/sandbox_launch.h"
#include "os/unique_fd.h"

namespace ka::os {
namespace {

// Beyond the deadline the launcher needs time to kill; beyond that it is broken.
constexpr std::chrono::milliseconds kGrace{10000};
constexpr int kPolicyFd = 3;
constexpr int kReportFd = 4;
constexpr int kLowestFreeFd = 10;

Result<int> policy_file(const std::string& policy) {
  const int fd = memfd_create("sandbox_policy", MFD_CLOEXEC);
  if (fd < 0) return errno_error("cannot make a memory file", errno);
  if (write(fd, policy.data(), policy.size()) != static_cast<ssize_t>(policy.size()) ||
      lseek(fd, 0, SEEK_SET) != 0) {
    const int error = errno;
    close(fd);
    return errno_error("cannot write a memory file", error);
  }
  return fd;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& string : strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

// Descriptors above all numbers that the child's ends will have, so that no dup2 overwrites the source of a
// later one.
Result<UniqueFd> lift(int fd) {
  const int lifted = fcntl(fd, F_DUPFD_CLOEXEC, kLowestFreeFd);
  if (lifted < 0) return errno_error("cannot duplicate a descriptor", errno);
  return UniqueFd(lifted);
}

struct SpawnedLauncher {
  pid_t pid = -1;
  UniqueFd report;
};

Result<SpawnedLauncher> spawn(const LaunchRequest& request) {
  KA_ASSIGN(const int policy_fd, policy_file(request.policy));
  const UniqueFd policy(policy_fd);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return errno_error("cannot make a pipe", errno);
  SpawnedLauncher launcher{-1, UniqueFd(report[0])};
  const UniqueFd report_end(report[1]);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const int sources[] = {request.stdin_fd, request.stdout_fd, request.stderr_fd, policy.get(),
                         report_end.get()};
  std::vector<UniqueFd> lifted;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int target = 0; target <= kReportFd; ++target) {
    KA_ASSIGN(UniqueFd source, lift(sources[target] >= 0 ? sources[target] : null.get()));
    posix_spawn_file_actions_adddup2(&actions, source.get(), target);
    lifted.push_back(std::move(source));
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, kReportFd + 1);

  std::vector<std::string> words = {"__launch",
                                    "__launch",
                                    "--policy-fd",
                                    std::to_string(kPolicyFd),
                                    "--report-fd",
                                    std::to_string(kReportFd),
                                    "--deadline-ms",
                                    std::to_string(request.deadline.count()),
                                    "--"};
  words.insert(words.end(), request.argv.begin(), request.argv.end());
  std::vector<std::string> environment = request.env;
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  const int error =
      posix_spawn(&launcher.pid, request.launcher.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return errno_error("cannot start the sandbox launcher", error);
  return launcher;
}

// Until end of file; false when the launcher kept silent for too long.
bool read_report(int fd, std::chrono::steady_clock::time_point deadline, std::string& text) {
  char part[1024];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready == 0) return false;
    if (ready < 0) continue;
    const ssize_t size = read(fd, part, sizeof part);
    if (size <= 0) return true;
    text.append(part, static_cast<std::size_t>(size));
  }
}

}  // namespace

Result<LaunchOutcome> run_launcher(const LaunchRequest& request) {
  KA_ASSIGN(const SpawnedLauncher launcher, spawn(request));
  std::string report;
  const auto deadline = std::chrono::steady_clock::now() + request.deadline + kGrace;
  const bool answered = read_report(launcher.report.get(), deadline, report);
  if (!answered) kill(launcher.pid, SIGKILL);
  int status = 0;
  while (waitpid(launcher.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answered) return timeout_error("the sandbox launcher did not end in time");
  if (report.compare(0, 7, "failed ") == 0) return environment_error(report.substr(7, report.find('\n') - 7));
  LaunchOutcome outcome;
  int timed_out = 0;
  const int fields =
      std::sscanf(report.c_str(), "ended %d %d %d %lf %lf %ld", &outcome.exit_code, &outcome.signal,
                  &timed_out, &outcome.wall_s, &outcome.cpu_s, &outcome.max_rss_kib);
  if (fields != 6) return environment_error("the sandbox launcher ended without a report");
  outcome.timed_out = timed_out != 0;
  return outcome;
}

}  // namespace ka::os

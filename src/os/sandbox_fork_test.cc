// The way of the warm interpreter: fork, then enter, in the same process image. From C++ through the plain
// calls, and from Python through the shared library.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "os/sandbox.h"
#include "os/sandbox_cgroup.h"
#include "os/sandbox_enter.h"

namespace ka::os {
namespace {

using testing::HasSubstr;

struct Forked {
  std::string error;   // of the parent's calls
  std::string output;  // what the child wrote
  int status = 0;
};

std::string read_all(int fd) {
  std::string text;
  char part[512];
  for (ssize_t size = read(fd, part, sizeof part); size > 0; size = read(fd, part, sizeof part)) {
    text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

void say(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) < 0) _exit(99);
}

using Payload = std::function<void(int fd)>;

[[noreturn]] void run_child(const std::string& policy, int sync_fd, int out, const Payload& before,
                            const Payload& payload) {
  char error[512] = "";
  const int keep[] = {sync_fd, out};
  if (ka_sandbox_close_fds(keep, 2) != 0) _exit(98);
  if (before) before(out);
  if (ka_sandbox_enter(policy.c_str(), sync_fd, error, sizeof error) != 0) {
    say(out, std::string("refused: ") + error);
    _exit(125);
  }
  payload(out);
  _exit(0);
}

Forked fork_into(const std::string& policy, const Payload& payload, const Payload& before = {}) {
  Forked result;
  char error[512] = "";
  int sync[2];
  int out[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync), 0);
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  if (ka_sandbox_before_fork(policy.c_str(), error, sizeof error) != 0) result.error = error;
  const int child = fork();
  if (child == 0) run_child(policy, sync[1], out[1], before, payload);
  close(sync[1]);
  close(out[1]);
  if (ka_sandbox_after_fork_parent(policy.c_str(), child, sync[0], error, sizeof error) != 0) {
    result.error = error;
    kill(child, SIGKILL);
  }
  close(sync[0]);
  result.output = read_all(out[0]);
  close(out[0]);
  EXPECT_EQ(waitpid(child, &result.status, 0), child);
  return result;
}

// The policy for a level, or a reason to skip. A cgroup, where one is wanted, is put into `cgroup`.
std::string policy_for(SandboxLevel level, std::optional<Cgroup>& cgroup, std::string& skip) {
  const SandboxSupport& support = probe_sandbox();
  if (support.level < level)
    skip = std::string("this machine reaches only level ") + to_string(support.level);
  if (support.needs_nest && level >= SandboxLevel::isolated)
    skip = "only a nested process can fork into namespaces here";
  SandboxRequest request;
  request.at_most = level;
  if (skip.empty() && level == SandboxLevel::full) {
    Result<Cgroup> made = Cgroup::create(support, request.limits);
    if (!made) skip = made.error().message;
    if (made) cgroup.emplace(std::move(*made));
    if (cgroup) request.cgroup_dirs = cgroup->dirs();
  }
  return sandbox_policy(request, support);
}

class SandboxFork : public testing::TestWithParam<SandboxLevel> {
 protected:
  void SetUp() override {
    std::string skip;
    policy_ = policy_for(GetParam(), cgroup_, skip);
    if (!skip.empty()) GTEST_SKIP() << skip;
  }
  bool has_namespaces() const { return GetParam() >= SandboxLevel::isolated; }

  std::optional<Cgroup> cgroup_;
  std::string policy_;
};

TEST_P(SandboxFork, ChildIsInsideAndTheParentIsNot) {
  const Forked forked = fork_into(policy_, [](int fd) {
    say(fd, "pid " + std::to_string(getpid()) + " uid " + std::to_string(getuid()));
    say(fd,
        open("/root", O_RDONLY) < 0 && open("/etc/x", O_CREAT | O_WRONLY, 0600) < 0 ? " closed" : " OPEN");
    say(fd, socket(AF_INET, SOCK_STREAM, 0) < 0 ? " offline" : " ONLINE");
  });
  EXPECT_EQ(forked.error, "");
  EXPECT_EQ(forked.status, 0) << forked.output;
  EXPECT_THAT(forked.output, HasSubstr("uid " + std::to_string(probe_sandbox().uid) + " closed offline"));
  if (has_namespaces()) {
    EXPECT_THAT(forked.output, HasSubstr("pid 1 "));
  }
  const int plain = fork();
  if (plain == 0) _exit(getpid() == 1 ? 1 : 0);
  int status = 1;
  EXPECT_EQ(waitpid(plain, &status, 0), plain);
  EXPECT_EQ(status, 0) << "the parent is still in the child's pid namespace";
}

TEST_P(SandboxFork, ManyForksInARow) {
  for (int i = 0; i < 20; ++i) {
    const Forked forked = fork_into(policy_, [](int fd) { say(fd, "x"); });
    ASSERT_EQ(forked.error + forked.output, "x");
  }
}

TEST_P(SandboxFork, AnOpenFolderIsRefused) {
  const Forked forked = fork_into(
      policy_, [](int fd) { say(fd, "entered"); }, [](int) { (void)!open("/usr", O_RDONLY | O_DIRECTORY); });
  EXPECT_THAT(forked.output, HasSubstr("is an open folder"));
}

TEST_P(SandboxFork, ANetworkSocketIsRefused) {
  const Forked forked = fork_into(
      policy_, [](int fd) { say(fd, "entered"); }, [](int) { (void)!socket(AF_INET, SOCK_DGRAM, 0); });
  EXPECT_THAT(forked.output, HasSubstr("is a network socket"));
}

TEST_P(SandboxFork, TheParentDeathSignalIsArmed) {
  const Forked forked = fork_into(policy_, [](int fd) {
    int armed = 0;
    prctl(PR_GET_PDEATHSIG, &armed);
    say(fd, "armed " + std::to_string(armed));
  });
  EXPECT_EQ(forked.output, "armed 9");
}

TEST_P(SandboxFork, DiesWithItsParent) {
  int out[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  const int middle = fork();
  if (middle == 0) {
    close(out[0]);
    // Never returns: the payload keeps the pipe open until it is killed.
    fork_into(
        policy_,
        [&](int) {
          while (true) pause();
        },
        [&](int fd) { say(fd, "x"); });
    _exit(0);
  }
  close(out[1]);
  kill(middle, SIGKILL);
  EXPECT_EQ(waitpid(middle, nullptr, 0), middle);
  pollfd waiting{out[0], POLLIN, 0};
  EXPECT_EQ(poll(&waiting, 1, 5000), 1);
  EXPECT_EQ(read_all(out[0]), "");
  close(out[0]);
}

TEST_P(SandboxFork, AParentThatIsGoneBeforeIsNoticed) {
  int out[2];
  int sync[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync), 0);
  char error[256];
  ASSERT_EQ(ka_sandbox_before_fork(policy_.c_str(), error, sizeof error), 0) << error;
  const int child = fork();
  if (child == 0) run_child(policy_, sync[1], out[1], {}, [](int fd) { say(fd, "entered"); });
  close(sync[0]);
  close(sync[1]);
  close(out[1]);
  EXPECT_EQ(ka_sandbox_after_fork_parent(policy_.c_str(), -1, -1, error, sizeof error), 0) << error;
  EXPECT_THAT(read_all(out[0]), HasSubstr("the other side of the fork is gone"));
  close(out[0]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

INSTANTIATE_TEST_SUITE_P(Levels, SandboxFork,
                         testing::Values(SandboxLevel::process, SandboxLevel::isolated, SandboxLevel::full),
                         [](const auto& row) { return std::string(to_string(row.param)); });

// Prints what a child forked by Python through the library sees; run directly, or nested for an ordinary
// user.
std::string run_python(const std::string& policy, bool nest) {
  std::string command = "/proc/" + std::to_string(getpid()) + "/exe __launch --nest -- ";
  if (!nest) command.clear();
  command += "/usr/bin/python3 -I " KA_SOURCE_DIR "/test/escape/fork_through_library.py " KA_SANDBOX_SO " '" +
             policy + "' 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  const std::string text = read_all(fileno(pipe));
  pclose(pipe);
  return text;
}

TEST(SandboxLibrary, PythonForksThroughIt) {
  if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "there is no /usr/bin/python3";
  const SandboxSupport& support = probe_sandbox();
  if (support.level < SandboxLevel::isolated) GTEST_SKIP() << "needs level isolated";
  const std::string expected = "pid 1 uid " + std::to_string(support.uid) + " home closed scratch /tmp\n";
  const std::string policy = sandbox_policy(SandboxRequest{}, support);
  EXPECT_EQ(run_python(policy, support.needs_nest), expected + expected + expected);
  EXPECT_EQ(run_python(policy, true), expected + expected + expected);
}

}  // namespace
}  // namespace ka::os

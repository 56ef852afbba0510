#include "os/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "os/sandbox_cgroup.h"
#include "os/sandbox_launch.h"
#include "os/sandbox_policy.h"
#include "os/sandbox_tree.h"

namespace ka::os {
namespace {

using testing::HasSubstr;

SandboxSupport ideal_support() {
  SandboxSupport support;
  support.level = SandboxLevel::full;
  support.landlock_abi = 7;
  support.user_namespace = true;
  support.uid = 65534;
  support.gid = 65534;
  return support;
}

// The lines that do not depend on which folders this machine has.
std::string without_places(const std::string& policy) {
  std::string kept;
  for (std::size_t at = 0; at < policy.size();) {
    const std::size_t end = policy.find('\n', at);
    const std::string line = policy.substr(at, end - at + 1);
    if (line.compare(0, 3, "ro ") != 0) kept += line;
    at = end + 1;
  }
  return kept;
}

TEST(SandboxLevel, NamesRoundTrip) {
  for (const SandboxLevel level :
       {SandboxLevel::none, SandboxLevel::process, SandboxLevel::isolated, SandboxLevel::full}) {
    EXPECT_EQ(sandbox_level(to_string(level)), level);
  }
  EXPECT_FALSE(sandbox_level("Full"));
}

TEST(SandboxPolicy, FullLevelText) {
  SandboxRequest request;
  request.cgroup_dirs = {"/sys/fs/cgroup/kernelagent-1-0"};
  EXPECT_EQ(without_places(sandbox_policy(request, ideal_support())),
            "level full\n"
            "uid 65534 65534\n"
            "namespaces user mount pid net ipc uts cgroup\n"
            "dev /dev/full\ndev /dev/null\ndev /dev/random\ndev /dev/urandom\ndev /dev/zero\n"
            "scratch 268435456 /tmp\n"
            "shm 67108864 /dev/shm\n"
            "limit core 0\nlimit cpu 600\nlimit data 8589934592\nlimit fsize 4294967296\nlimit nofile "
            "1024\nlimit nproc 256\n"
            "cgroup /sys/fs/cgroup/kernelagent-1-0\n"
            "landlock 7\n"
            "seccomp base\n");
}

TEST(SandboxPolicy, ProcessLevelText) {
  SandboxRequest request;
  request.at_most = SandboxLevel::process;
  request.scratch_dir = "/var/tmp/a b";
  request.limits.processes = 9;
  EXPECT_EQ(without_places(sandbox_policy(request, ideal_support())),
            "level process\n"
            "uid 65534 65534\n"
            "dev /dev/full\ndev /dev/null\ndev /dev/random\ndev /dev/urandom\ndev /dev/zero\n"
            "scratch 0 /var/tmp/a b\n"
            "limit core 0\nlimit cpu 600\nlimit data 8589934592\nlimit fsize 4294967296\nlimit nofile "
            "1024\nlimit nproc 9\n"
            "landlock 7\n"
            "seccomp base attributes sockets shared\n");
}

TEST(SandboxPolicy, WithoutACgroupTheLevelIsIsolated) {
  const std::string policy = sandbox_policy(SandboxRequest{}, ideal_support());
  EXPECT_THAT(policy, HasSubstr("level isolated\n"));
  EXPECT_THAT(policy, HasSubstr("seccomp base shared\n"));
}

TEST(SandboxPolicy, AGpuNeedsAWritableProcAndItsOwnSharedMemory) {
  SandboxRequest request;
  request.gpu = true;
  const std::string policy = sandbox_policy(request, ideal_support());
  EXPECT_THAT(policy, HasSubstr("\nproc writable\n"));
  EXPECT_THAT(policy, HasSubstr("\nseccomp base\n"));
  SandboxPolicy parsed;
  EXPECT_EQ(parse_policy(policy, parsed), "");
  EXPECT_TRUE(parsed.proc_writable);
}

TEST(SandboxPolicy, CompilersOutsideTheSystemFoldersAreFound) {
  EXPECT_TRUE(compiler_folders("/usr/bin:/bin::relative").empty());
  const std::filesystem::path root =
      std::filesystem::path(testing::TempDir()) / ("ka_tools_" + std::to_string(getpid()));
  std::filesystem::create_directories(root / "bin");
  std::filesystem::create_directories(root / "lib");
  std::filesystem::create_directories(root / "documents");
  std::ofstream(root / "bin/gcc") << "x";
  const std::string real = std::filesystem::canonical(root);
  EXPECT_EQ(compiler_folders("/usr/bin:" + real + "/bin"),
            (std::vector<std::string>{real + "/bin", real + "/lib"}));
  std::filesystem::remove_all(root);
}

TEST(SandboxPolicy, NeverMakesHomeOrTheRootReadable) {
  SandboxRequest request;
  request.readable = {"/", "relative", "/does/not/exist", "/usr/lib/"};
  const std::string policy = sandbox_policy(request, ideal_support());
  EXPECT_THAT(policy, HasSubstr("ro /usr/lib\n"));
  for (const char* line :
       {"ro /\n", "relative", "/does/not/exist", "ro /root", "ro /home", "ro /etc\n", "ro /var", "ro /run"}) {
    EXPECT_THAT(policy, testing::Not(HasSubstr(line)));
  }
}

TEST(SandboxPolicy, ParsesWhatItWrites) {
  SandboxRequest request;
  request.cgroup_dirs = {"/sys/fs/cgroup/x"};
  SandboxPolicy policy;
  EXPECT_EQ(parse_policy(sandbox_policy(request, ideal_support()), policy), "");
  EXPECT_EQ(policy.level, "full");
  EXPECT_EQ(policy.ids->uid, 65534u);
  EXPECT_EQ(policy.scratch->bytes, 268435456u);
  EXPECT_EQ(policy.limits.size(), 6u);
  EXPECT_EQ(policy.cgroups, request.cgroup_dirs);
}

TEST(SandboxPolicy, RefusesWhatItCannotRead) {
  struct Case {
    const char* text;
    const char* complaint;
  };
  const Case cases[] = {
      {"", "no scratch record"},
      {"scratch 0 /tmp\nbogus 1\n", "\"bogus 1\""},
      {"scratch 0 /tmp\nro /\n", "\"ro /\""},
      {"scratch 0 /tmp\nro usr\n", "\"ro usr\""},
      {"scratch 0 /tmp\nro /usr/../root\n", "\"ro /usr/../root\""},
      {"scratch 0 /tmp\nro /usr/\n", "\"ro /usr/\""},
      {"scratch -1 /tmp\n", "\"scratch -1 /tmp\""},
      {"scratch 0 /tmp\nlimit as 1\n", "\"limit as 1\""},
      {"scratch 0 /tmp\nlimit cpu 1x\n", "\"limit cpu 1x\""},
      {"scratch 0 /tmp\nlimit cpu 99999999999999999999\n", "cannot read"},
      {"scratch 0 /tmp\nuid 1\n", "\"uid 1\""},
      {"scratch 0 /tmp\nuid 4294967295 1\n", "cannot read"},
      {"scratch 0 /tmp\nnamespaces moon\n", "\"namespaces moon\""},
      {"scratch 0 /tmp\nseccomp\n", "\"seccomp\""},
      {"scratch 0 /tmp\nlandlock 0\n", "\"landlock 0\""},
      {"scratch 5 /tmp\n", "needs the mount namespace"},
      {"scratch 0 /tmp\nnamespaces mount pid\n", "0 bytes"},
      {"scratch 5 /tmp\nnamespaces mount\n", "needs the pid namespace"},
  };
  for (const Case& row : cases) {
    SandboxPolicy policy;
    EXPECT_THAT(parse_policy(row.text, policy), HasSubstr(row.complaint)) << row.text;
  }
}

std::string probe_with(const char* ceiling) {
  const std::string command = std::string("KERNELAGENT_SANDBOX_AT_MOST=") + ceiling + " /proc/" +
                              std::to_string(getpid()) + "/exe __probe";
  std::FILE* pipe = popen(command.c_str(), "r");
  char text[4096] = "";
  const std::size_t size = std::fread(text, 1, sizeof text - 1, pipe);
  pclose(pipe);
  return std::string(text, size);
}

TEST(SandboxProbe, SaysWhatItFoundAndWhyNotMore) {
  const SandboxSupport& support = probe_sandbox();
  std::printf("sandbox level here: %s\n", to_string(support.level));
  for (const auto& missing : support.missing) {
    std::printf("  missing %s: %s (%s)\n", missing.part.c_str(), missing.reason.c_str(),
                missing.remedy.c_str());
    EXPECT_FALSE(missing.reason.empty());
  }
  EXPECT_TRUE(support.level == SandboxLevel::full || !support.missing.empty());
  EXPECT_EQ(&support, &probe_sandbox());
}

TEST(SandboxProbe, EnvironmentLowersTheLevelAndSaysSo) {
  if (probe_sandbox().level < SandboxLevel::isolated)
    GTEST_SKIP() << "this machine has no higher level to come down from";
  EXPECT_THAT(probe_with("process"), testing::StartsWith("process\n"));
  EXPECT_THAT(probe_with("process"), HasSubstr("KERNELAGENT_SANDBOX_AT_MOST=process asks for less"));
  EXPECT_THAT(probe_with("nonsense"), testing::StartsWith("none\n"));
}

TEST(SandboxLauncher, ReportsHowAProgramEnded) {
  if (probe_sandbox().level < SandboxLevel::isolated) GTEST_SKIP() << "needs level isolated";
  LaunchRequest request;
  request.policy = sandbox_policy(SandboxRequest{}, probe_sandbox());
  request.argv = {"/bin/sh", "-c", "exit 7"};
  Result<LaunchOutcome> outcome = run_launcher(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 7);
  EXPECT_EQ(outcome->signal, 0);
  EXPECT_FALSE(outcome->timed_out);
  EXPECT_GT(outcome->max_rss_kib, 0);
}

TEST(SandboxLauncher, SaysWhyAProgramDidNotRun) {
  LaunchRequest request;
  request.policy = sandbox_policy(SandboxRequest{}, probe_sandbox());
  request.argv = {"/usr/bin/no-such-program"};
  Result<LaunchOutcome> outcome = run_launcher(request);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("cannot run /usr/bin/no-such-program: No such file"));
  request.policy = "level full\n";
  outcome = run_launcher(request);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("no scratch record"));
}

TEST(SandboxCgroup, IsRemovedWithTheObject) {
  const SandboxSupport& support = probe_sandbox();
  if (support.cgroup_parents.empty()) GTEST_SKIP() << "no cgroup can be made here";
  std::vector<std::string> dirs;
  {
    Result<Cgroup> cgroup = Cgroup::create(support, SandboxLimits{});
    ASSERT_TRUE(cgroup) << cgroup.error().message;
    dirs = cgroup->dirs();
    for (const std::string& dir : dirs) EXPECT_EQ(access(dir.c_str(), F_OK), 0);
    EXPECT_EQ(cgroup->oom_kills(), 0u);
    SandboxLimits less;
    less.memory_bytes = 64 << 20;
    EXPECT_TRUE(cgroup->set_caps(less));
    Cgroup moved = std::move(*cgroup);
    EXPECT_EQ(moved.dirs(), dirs);
  }
  for (const std::string& dir : dirs) EXPECT_NE(access(dir.c_str(), F_OK), 0);
}

// Forks a child that forks a child, which says its number and then waits for ever.
int start_family(int& grandchild) {
  int report[2];
  EXPECT_EQ(pipe(report), 0);
  const int child = fork();
  if (child == 0) {
    const int below = fork();
    if (below == 0) setsid();
    if (below != 0 && write(report[1], &below, sizeof below) < 0) _exit(1);
    while (true) pause();
  }
  EXPECT_EQ(read(report[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  close(report[0]);
  close(report[1]);
  return child;
}

TEST(SandboxTree, KillTreeTakesGrandchildrenInOtherSessions) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int grandchild = 0;
  const int child = start_family(grandchild);
  EXPECT_EQ(kill_tree(child), 2);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(kill_descendants(getpid(), {}), 0);
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(SandboxTree, StraysAreKilledAndTheSparedLive) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int spared_below = 0;
  int stray = 0;
  const int spared = start_family(spared_below);
  const int dead = start_family(stray);
  kill(dead, SIGKILL);
  EXPECT_EQ(waitpid(dead, nullptr, 0), dead);
  EXPECT_EQ(kill_descendants(getpid(), {spared}), 1);
  EXPECT_NE(kill(stray, 0), 0);
  EXPECT_EQ(kill(spared_below, 0), 0);
  kill_tree(spared);
  EXPECT_EQ(waitpid(spared, nullptr, 0), spared);
  EXPECT_EQ(kill_descendants(getpid(), {}), 0);
}

}  // namespace
}  // namespace ka::os

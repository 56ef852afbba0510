// Every program of test/escape in every level that this machine reaches. Each must fail to get out, end
// within its limits and leave nothing behind: no process, no mount, no cgroup, no changed file.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "os/sandbox.h"
#include "os/sandbox_cgroup.h"
#include "os/sandbox_launch.h"
#include "os/unique_fd.h"

namespace ka::os {
namespace {

namespace fs = std::filesystem;

enum class Ending {
  contained,  // the program says that every attempt failed
  deadline,   // it does not end by itself and is killed in time
  memory,     // contained, or killed by the kernel at the memory cap
  refused,    // killed at its first forbidden instruction
};

struct Attack {
  const char* name;
  Ending ending = Ending::contained;
};

constexpr Attack kAttacks[] = {
    {"attributes"},
    {"devices"},
    {"disarm"},
    {"environment_key"},
    {"exhaust_fds"},
    {"fill_disk"},
    {"foreign_calls", Ending::refused},
    {"fork_and_exit", Ending::deadline},
    {"fork_bomb", Ending::deadline},
    {"home_key"},
    {"kernel_calls"},
    {"kill_all"},
    {"links"},
    {"many_processes"},
    {"memory_allocate", Ending::memory},
    {"memory_shared", Ending::memory},
    {"mounts"},
    {"namespaces"},
    {"network"},
    {"orphan"},
    {"other_processes"},
    {"trap_and_loop", Ending::deadline},
    {"write_outside"},
};

constexpr SandboxLevel kLevels[] = {SandboxLevel::process, SandboxLevel::isolated, SandboxLevel::full};
constexpr std::uint64_t kDiskFiles = 65536;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string make_folder(const std::string& parent) {
  std::string name = parent + "/ka_escape_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) return {};
  chmod(name.c_str(), 0755);
  return name;
}

UniqueFd listen_on(int type, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size), 0) << std::strerror(errno);
  if (path[0] != '\0') chmod(path.c_str(), 0777);
  EXPECT_TRUE(type != SOCK_STREAM || listen(fd.get(), 8) == 0);
  return fd;
}

// What an attacker would like to have: keys, listeners and a process of the same user, all open to that user.
struct World {
  std::string needle = "ka-escape-" + std::to_string(getpid());
  std::string folder = make_folder("/var/tmp");
  std::string home = make_folder(std::getenv("HOME") != nullptr ? std::getenv("HOME") : "/root");
  UniqueFd tcp{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  UniqueFd stream;
  UniqueFd datagram;
  UniqueFd abstract;
  int victim = -1;
  nlohmann::json facts;

  World() {
    setenv("KA_ESCAPE_API_KEY", needle.c_str(), 1);
    for (const std::string& place : {folder, home}) {
      if (!place.empty()) std::ofstream(place + "/key") << needle;
    }
    std::ofstream(folder + "/own_file") << "mine";
    EXPECT_TRUE(geteuid() != 0 ||
                chown((folder + "/own_file").c_str(), probe_sandbox().uid, probe_sandbox().gid) == 0);
    stream = listen_on(SOCK_STREAM, folder + "/stream");
    datagram = listen_on(SOCK_DGRAM, folder + "/datagram");
    abstract = listen_on(SOCK_STREAM, std::string(1, '\0') + needle);
    start_victim();
    facts = {{"needle", needle},
             {"keys", {folder + "/key", home + "/key"}},
             {"folders", {folder, home}},
             {"own_file", folder + "/own_file"},
             {"pids", {getpid(), victim}},
             {"tcp", {"127.0.0.1", listen_tcp()}},
             {"unix_path", folder + "/stream"},
             {"unix_datagram", folder + "/datagram"},
             {"unix_abstract", needle}};
  }

  ~World() {
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
    for (const std::string& place : {folder, home}) {
      if (!place.empty()) fs::remove_all(place);
    }
  }

  int listen_tcp() const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(tcp.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(tcp.get(), 8), 0);
    EXPECT_EQ(getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    return ntohs(address.sin_port);
  }

  void start_victim() {
    victim = fork();
    if (victim != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool changed =
        geteuid() != 0 || (setresgid(probe_sandbox().gid, probe_sandbox().gid, probe_sandbox().gid) == 0 &&
                           setresuid(probe_sandbox().uid, probe_sandbox().uid, probe_sandbox().uid) == 0);
    if (!changed) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) pause();
  }
};

using Row = std::tuple<Attack, SandboxLevel>;

class SandboxEscape : public testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() { world_ = new World; }
  static void TearDownTestSuite() {
    delete world_;
    world_ = nullptr;
  }

  void SetUp() override {
    const SandboxSupport& support = probe_sandbox();
    if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "there is no /usr/bin/python3";
    if (support.level < level()) {
      const std::string why = support.missing.empty() ? "" : ": " + support.missing.back().reason;
      GTEST_SKIP() << "this machine reaches only level " << to_string(support.level) << why;
    }
    mounts_before_ = read_file("/proc/self/mounts");
  }

  SandboxLevel level() const { return std::get<1>(GetParam()); }
  const Attack& attack() const { return attack_; }

  SandboxRequest make_request() {
    SandboxRequest request;
    request.at_most = level();
    request.limits.memory_bytes = 256ULL << 20;
    request.limits.processes = 20;
    request.limits.open_files = 64;
    request.limits.scratch_bytes = 16ULL << 20;
    request.limits.file_bytes = level() == SandboxLevel::process ? 1ULL << 20 : 4ULL << 30;
    if (level() == SandboxLevel::process) {
      request.scratch_dir = world_->folder + "/scratch";
      EXPECT_TRUE(fs::create_directory(request.scratch_dir));
      EXPECT_TRUE(geteuid() != 0 ||
                  chown(request.scratch_dir.c_str(), probe_sandbox().uid, probe_sandbox().gid) == 0);
    }
    return request;
  }

  // Without a file system of its own only the size of one file is bounded: 64 files of the script.
  nlohmann::json make_facts(const SandboxRequest& request) const {
    const bool own_disk = level() >= SandboxLevel::isolated;
    nlohmann::json facts = world_->facts;
    facts["open_files"] = request.limits.open_files;
    facts["processes"] = request.limits.processes;
    facts["memory_bytes"] = request.limits.memory_bytes;
    facts["disk_bytes"] = own_disk ? request.limits.scratch_bytes : 64 * request.limits.file_bytes;
    facts["disk_files"] = own_disk ? static_cast<long>(kDiskFiles) : -1;
    return facts;
  }

  void expect_nothing_left(const std::vector<std::string>& cgroups) const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string command = read_file("/proc/" + name + "/cmdline");
      EXPECT_EQ(command.find(world_->needle), std::string::npos) << "process " << name << " is left";
    }
    EXPECT_EQ(read_file("/proc/self/mounts"), mounts_before_);
    for (const std::string& dir : cgroups) EXPECT_FALSE(fs::exists(dir)) << dir;
    EXPECT_EQ(read_file(world_->folder + "/own_file"), "mine");
    EXPECT_EQ(read_file(world_->folder + "/key"), world_->needle);
    EXPECT_EQ(kill(world_->victim, 0), 0) << "the process outside was killed";
    if (level() == SandboxLevel::process) fs::remove_all(world_->folder + "/scratch");
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(world_->folder)) ++files;
    EXPECT_EQ(files, 4u) << "files were added or removed outside";
  }

  static World* world_;
  Attack attack_ = std::get<0>(GetParam());
  std::string mounts_before_;
};

World* SandboxEscape::world_ = nullptr;

TEST_P(SandboxEscape, Fails) {
  SandboxRequest request = make_request();
  std::optional<Cgroup> cgroup;
  if (level() == SandboxLevel::full) {
    Result<Cgroup> made = Cgroup::create(probe_sandbox(), request.limits);
    ASSERT_TRUE(made) << made.error().message;
    cgroup.emplace(std::move(*made));
    request.cgroup_dirs = cgroup->dirs();
  }
  const std::vector<std::string> dirs = request.cgroup_dirs;
  const std::string scripts = KA_SOURCE_DIR "/test/escape/";
  const std::string text = read_file(scripts + "attack.py") + read_file(scripts + attack().name + ".py");
  const UniqueFd output(open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  LaunchRequest launch;
  launch.policy = sandbox_policy(request, probe_sandbox());
  launch.argv = {"/usr/bin/python3", "-I", "-c", text, make_facts(request).dump()};
  launch.env = {"PATH=/usr/bin:/bin"};
  launch.stdout_fd = output.get();
  launch.stderr_fd = output.get();
  launch.deadline = std::chrono::milliseconds(attack().ending == Ending::deadline ? 700 : 60000);
  const Result<LaunchOutcome> outcome = run_launcher(launch);
  const std::uint64_t oom_kills = cgroup ? cgroup->oom_kills() : 0;
  cgroup.reset();

  const std::string said = read_file("/proc/self/fd/" + std::to_string(output.get()));
  EXPECT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("ESCAPED")));
  const bool contained = outcome && outcome->exit_code == 0 && outcome->signal == 0 &&
                         said.find("contained\n") != std::string::npos;
  if (outcome) {
    switch (attack().ending) {
      case Ending::contained:
        EXPECT_TRUE(contained) << "code " << outcome->exit_code << " signal " << outcome->signal << "\n"
                               << said;
        break;
      case Ending::deadline:
        EXPECT_TRUE(outcome->timed_out && outcome->signal == SIGKILL) << said;
        EXPECT_LT(outcome->wall_s, 6.0);
        break;
      case Ending::memory:
        EXPECT_TRUE(contained || (oom_kills > 0 && outcome->signal == SIGKILL))
            << "code " << outcome->exit_code << " signal " << outcome->signal << "\n"
            << said;
        break;
      case Ending::refused:
        EXPECT_TRUE(outcome->signal == SIGSYS || outcome->signal == SIGSEGV) << outcome->signal << "\n"
                                                                             << said;
        break;
    }
  }
  expect_nothing_left(dirs);
}

INSTANTIATE_TEST_SUITE_P(Every, SandboxEscape,
                         testing::Combine(testing::ValuesIn(kAttacks), testing::ValuesIn(kLevels)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) + "_" +
                                  to_string(std::get<1>(row.param));
                         });

}  // namespace
}  // namespace ka::os

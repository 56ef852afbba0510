#include "os/sandbox_landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace ka::os {
namespace {

// Rights by the version that brought them; the C library's headers know only the first ones.
constexpr std::uint64_t kExecute = 1ULL << 0;
constexpr std::uint64_t kWriteFile = 1ULL << 1;
constexpr std::uint64_t kReadFile = 1ULL << 2;
constexpr std::uint64_t kReadDir = 1ULL << 3;
constexpr std::uint64_t kAllOfVersion1 = (1ULL << 13) - 1;
constexpr std::uint64_t kMakeCharacterDevice = 1ULL << 6;
constexpr std::uint64_t kMakeBlockDevice = 1ULL << 11;
constexpr std::uint64_t kRefer = 1ULL << 13;
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr std::uint64_t kIoctlDevice = 1ULL << 15;
constexpr std::uint64_t kTcpBindAndConnect = 3;
constexpr std::uint64_t kScopeAbstractSocketsAndSignals = 3;

constexpr std::uint64_t kRead = kExecute | kReadFile | kReadDir;
constexpr std::uint64_t kForFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t net;
  std::uint64_t scoped;
};

Ruleset ruleset_of(int abi) {
  Ruleset rules{kAllOfVersion1, 0, 0};
  if (abi >= 2) rules.files |= kRefer;
  if (abi >= 3) rules.files |= kTruncate;
  if (abi >= 4) rules.net = kTcpBindAndConnect;
  if (abi >= 5) rules.files |= kIoctlDevice;
  if (abi >= 6) rules.scoped = kScopeAbstractSocketsAndSignals;
  return rules;
}

std::size_t size_of(int abi) {
  if (abi >= 6) return sizeof(Ruleset);
  return abi >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

Complaint allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Complaint() : failed("landlock: cannot open " + path);
  struct stat status{};
  if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= kForFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = fd;
  const long rc = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const Complaint complaint = rc == 0 ? Complaint() : failed("landlock: cannot add a rule for " + path);
  close(fd);
  return complaint;
}

Complaint allow_policy(int ruleset, const SandboxPolicy& policy, std::uint64_t handled) {
  const std::uint64_t own = handled & ~(kMakeCharacterDevice | kMakeBlockDevice);
  const std::uint64_t device = handled & (kReadFile | kWriteFile | kTruncate | kIoctlDevice);
  Complaint complaint = allow(ruleset, policy.scratch->path, own);
  if (complaint.empty() && policy.shm) complaint = allow(ruleset, policy.shm->path, own);
  for (const std::string& path : policy.readable) {
    if (complaint.empty()) complaint = allow(ruleset, path, kRead);
  }
  if (complaint.empty() && policy.proc_writable) {
    complaint = allow(ruleset, "/proc", handled & (kRead | kWriteFile | kTruncate));
  }
  for (const std::string& path : policy.devices) {
    if (complaint.empty()) complaint = allow(ruleset, path, device);
  }
  return complaint;
}

}  // namespace

int landlock_abi() {
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

Complaint apply_landlock(const SandboxPolicy& policy) {
  if (landlock_abi() < policy.landlock) return "landlock: the kernel offers less than the policy asks for";
  const Ruleset rules = ruleset_of(policy.landlock);
  const int ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size_of(policy.landlock), 0));
  if (ruleset < 0) return failed("landlock: cannot create a ruleset");
  Complaint complaint = allow_policy(ruleset, policy, rules.files);
  if (complaint.empty() && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
    complaint = failed("landlock: cannot restrict the process");
  }
  close(ruleset);
  return complaint;
}

}  // namespace ka::os

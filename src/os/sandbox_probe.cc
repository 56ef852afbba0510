// Finding out what a machine offers, by doing it. Versions and sysctls lie (containers, security modules); a
// child process that tries does not.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "os/sandbox.h"
#include "os/sandbox_cgroup.h"
#include "os/sandbox_landlock.h"
#include "os/sandbox_launch.h"
#include "os/sandbox_seccomp.h"

namespace ka::os {
namespace {

constexpr uid_t kNobody = 65534;
constexpr const char* kAtMost = "KERNELAGENT_SANDBOX_AT_MOST";

// errno of an attempt made in a child process; 0 when it succeeded.
int errno_in_child(const std::function<bool()>& attempt) {
  const int child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(attempt() ? 0 : errno);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

struct NamespaceRow {
  int flag;
  const char* name;
};

constexpr NamespaceRow kNamespaces[] = {
    {CLONE_NEWUSER, "user namespace"},     {CLONE_NEWNS, "mount namespace"}, {CLONE_NEWPID, "pid namespace"},
    {CLONE_NEWNET, "network namespace"},   {CLONE_NEWIPC, "ipc namespace"},  {CLONE_NEWUTS, "uts namespace"},
    {CLONE_NEWCGROUP, "cgroup namespace"},
};

SandboxSupport::Missing explain_namespace(const char* name, int error) {
  const std::string said = std::string(name) + ": " + std::strerror(error);
  switch (error) {
    case ENOSPC:
      return {name, said + " (the limit on user namespaces is reached or 0)",
              "sysctl user.max_user_namespaces=10000"};
    case EPERM:
    case EACCES:
      return {name, said + " (forbidden by a security policy, as in most containers)",
              "run outside the container, or allow unshare and mount in its seccomp and AppArmor profiles "
              "(docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)"};
    case ENOSYS:
    case EINVAL:
      return {name, said + " (not built into this kernel, or hidden by a seccomp policy)",
              "use a kernel with namespaces"};
    default:
      return {name, said, ""};
  }
}

bool root_is_mapped_to(uid_t wanted) {
  std::FILE* map = std::fopen("/proc/self/uid_map", "re");
  if (map == nullptr) return false;
  bool found = false;
  unsigned long inside = 0;
  unsigned long outside = 0;
  unsigned long count = 0;
  while (!found && std::fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3) {
    found = wanted >= inside && wanted - inside < count;
  }
  std::fclose(map);
  return found;
}

bool has_effective(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  return syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective & (1U << capability)) != 0;
}

void choose_user(SandboxSupport& support) {
  support.uid = geteuid();
  support.gid = getegid();
  if (geteuid() == 0 && has_effective(CAP_SETUID) && has_effective(CAP_SETGID) &&
      root_is_mapped_to(kNobody)) {
    support.uid = kNobody;
    support.gid = kNobody;
  }
}

void probe_landlock(SandboxSupport& support) {
  const int abi = landlock_abi();
  const int error = errno;
  support.landlock_abi = std::max(abi, 0);
  if (abi < 1) {
    support.missing.push_back({"landlock",
                               error == EOPNOTSUPP
                                   ? "Landlock is built into the kernel but not enabled at boot"
                                   : std::string("Landlock: ") + std::strerror(error),
                               "boot with lsm=landlock,... or use Linux 5.13 or newer"});
  } else if (abi < 6) {
    support.missing.push_back({"landlock scopes",
                               "Landlock version " + std::to_string(abi) +
                                   " does not confine signals; without a pid namespace "
                                   "foreign code can signal other processes of its user",
                               "use Linux 6.12 or newer"});
  }
}

bool probe_seccomp(SandboxSupport& support) {
  const int error = errno_in_child(
      [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && apply_seccomp(kSeccompBase).empty(); });
  if (error != 0)
    support.missing.push_back({"seccomp", std::string("seccomp filter: ") + std::strerror(error), ""});
  return error == 0;
}

// The level itself is decided by entering it as a whole; the single namespaces are tried only to find words
// for a failure.
bool enters(const SandboxSupport& support, SandboxLevel level, Complaint& complaint) {
  SandboxSupport trial = support;
  trial.level = level;
  complaint = try_policy(sandbox_policy(SandboxRequest{}, trial));
  return complaint.empty();
}

void explain_no_namespaces(SandboxSupport& support, const Complaint& complaint) {
  for (const NamespaceRow& row : kNamespaces) {
    const int error = errno_in_child([&] {
      if (row.flag != CLONE_NEWUSER && !prepare_to_fork().empty()) return false;
      return unshare(row.flag) == 0;
    });
    if (error == 0) continue;
    support.missing.push_back(explain_namespace(row.name, error));
    return;
  }
  support.missing.push_back(
      {"namespaces", complaint,
       "a fresh /proc is refused where a container hides parts of its own: run outside the container"});
}

bool probe_isolated(SandboxSupport& support) {
  Complaint complaint;
  support.user_namespace = true;
  if (enters(support, SandboxLevel::isolated, complaint)) return true;
  Complaint without_user;
  support.user_namespace = false;
  if (has_effective(CAP_SYS_ADMIN) && enters(support, SandboxLevel::isolated, without_user)) {
    support.missing.push_back(
        {"user namespace", complaint, "the number of processes is then counted per user, not per run"});
    return true;
  }
  explain_no_namespaces(support, complaint);
  return false;
}

bool probe_cgroup(SandboxSupport& support) {
  std::string reason;
  support.cgroup_parents = find_cgroup_parents(reason);
  constexpr const char* kRemedy =
      "run as root, or in a delegated cgroup: systemd-run --user --scope -p Delegate=yes kernelagent ...";
  if (support.cgroup_parents.empty()) {
    support.missing.push_back({"cgroup", reason, kRemedy});
    return false;
  }
  Result<Cgroup> cgroup = Cgroup::create(support, SandboxLimits{});
  Complaint complaint = cgroup ? Complaint() : cgroup.error().message;
  if (cgroup) {
    SandboxSupport trial = support;
    trial.level = SandboxLevel::full;
    SandboxRequest request;
    request.cgroup_dirs = cgroup->dirs();
    complaint = try_policy(sandbox_policy(request, trial));
  }
  if (complaint.empty()) return true;
  support.cgroup_parents.clear();
  support.missing.push_back({"cgroup", complaint, kRemedy});
  return false;
}

void apply_ceiling(SandboxSupport& support) {
  const char* given = std::getenv(kAtMost);
  if (given == nullptr || *given == '\0') return;
  const std::optional<SandboxLevel> ceiling = sandbox_level(given);
  if (!ceiling) {
    support.missing.push_back(
        {"level", std::string(kAtMost) + "=" + given + " is not none, process, isolated or full", ""});
    support.level = SandboxLevel::none;
  } else if (*ceiling < support.level) {
    support.missing.push_back(
        {"level", std::string(kAtMost) + "=" + given + " asks for less", std::string("unset ") + kAtMost});
    support.level = *ceiling;
  }
}

SandboxSupport probe() {
  SandboxSupport support;
  choose_user(support);
  probe_landlock(support);
  if (!probe_seccomp(support)) return support;
  support.needs_nest = !has_effective(CAP_SYS_ADMIN);
  Complaint complaint;
  const bool isolated = probe_isolated(support);
  if (isolated) {
    support.level = probe_cgroup(support) ? SandboxLevel::full : SandboxLevel::isolated;
  } else if (support.landlock_abi > 0 && enters(support, SandboxLevel::process, complaint)) {
    support.level = SandboxLevel::process;
  } else {
    support.missing.push_back({"process", complaint.empty() ? "needs Landlock" : complaint, ""});
  }
  apply_ceiling(support);
  return support;
}

}  // namespace

const SandboxSupport& probe_sandbox() {
  static const SandboxSupport support = probe();
  return support;
}

}  // namespace ka::os

// The order inside ka_sandbox_enter is the design:
//   1. move into the cgroup; become the unprivileged user but keep the capabilities (setting the user clears
//   the parent-death signal, so it is armed
//      afterwards), then ask the parent to say go: from here on its death is ours;
//   2. with the capabilities of the outer user namespace, make the other namespaces and build the root. They
//   belong to the outer
//      user namespace: no capability that the payload could ever gain in its own reaches them;
//   3. make the user namespace, in which RLIMIT_NPROC counts only this sandbox;
//   4. no capabilities, no new privileges, Landlock, seccomp, rlimits.
#include "os/sandbox_enter.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "os/sandbox_landlock.h"
#include "os/sandbox_mounts.h"
#include "os/sandbox_policy.h"
#include "os/sandbox_seccomp.h"
#include "os/sandbox_tree.h"

namespace ka::os {
namespace {

constexpr int kHandshakeMs = 5000;
constexpr char kReady = 'r';
constexpr char kGo = 'g';
constexpr int kNamespacesBeforeUser =
    CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

Complaint write_file(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failed("cannot open " + path);
  const ssize_t written = write(fd, text.data(), text.size());
  const Complaint complaint =
      written == static_cast<ssize_t>(text.size()) ? Complaint() : failed("cannot write to " + path);
  close(fd);
  return complaint;
}

Complaint send_byte(int fd, char byte) {
  if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1) return failed("sandbox: the other side of the fork is gone");
  return {};
}

Complaint await_byte(int fd, char wanted) {
  pollfd waiting{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, kHandshakeMs);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return "sandbox: no answer from the other side of the fork within 5 s";
  char byte = 0;
  if (ready < 0 || recv(fd, &byte, 1, 0) != 1 || byte != wanted)
    return "sandbox: the other side of the fork is gone";
  return {};
}

Complaint arm_parent_death() {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed("cannot arm the parent-death signal");
  return {};
}

Complaint set_capabilities(bool all) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (all) {
    if (syscall(SYS_capget, &header, sets) != 0) return failed("cannot read the capabilities");
    for (__user_cap_data_struct& set : sets) set.effective = set.permitted;
  }
  if (syscall(SYS_capset, &header, sets) != 0) return failed("cannot set the capabilities");
  return {};
}

Complaint become(const SandboxIds& ids) {
  if (getuid() == ids.uid && geteuid() == ids.uid && getgid() == ids.gid && getegid() == ids.gid) return {};
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return failed("cannot keep the capabilities");
  if (setgroups(0, nullptr) != 0) return failed("cannot leave the supplementary groups");
  if (setresgid(ids.gid, ids.gid, ids.gid) != 0)
    return failed("cannot become group " + std::to_string(ids.gid));
  if (setresuid(ids.uid, ids.uid, ids.uid) != 0)
    return failed("cannot become user " + std::to_string(ids.uid));
  return set_capabilities(true);
}

Complaint make_user_namespace() {
  // A change of user made the process undumpable, and then its /proc files belong to root.
  if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return failed("cannot make the process dumpable");
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER) != 0) return failed("cannot make a user namespace");
  Complaint complaint = write_file("/proc/self/setgroups", "deny");
  if (complaint.empty()) complaint = write_file("/proc/self/uid_map", uid + " " + uid + " 1");
  if (complaint.empty()) complaint = write_file("/proc/self/gid_map", gid + " " + gid + " 1");
  return complaint;
}

Complaint set_limits(const SandboxPolicy& policy) {
  for (const SandboxRlimit& limit : policy.limits) {
    rlimit current{};
    const auto resource = static_cast<__rlimit_resource_t>(limit.resource);
    if (getrlimit(resource, &current) != 0) return failed("cannot read a resource limit");
    const rlim_t value = std::min<rlim_t>(limit.value, current.rlim_max);
    const rlimit wanted{value, value};
    if (setrlimit(resource, &wanted) != 0) return failed("cannot set a resource limit");
  }
  return {};
}

Complaint drop_capabilities() {
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return failed("cannot clear the ambient capabilities");
  // Ends at the first number that the kernel does not know. Without CAP_SETPCAP the bounding set stays; no-new-privileges
  // makes it meaningless.
  for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
  }
  return set_capabilities(false);
}

bool is_named_device(const struct stat& status, const SandboxPolicy& policy) {
  return std::any_of(policy.devices.begin(), policy.devices.end(), [&](const std::string& path) {
    struct stat named{};
    return stat(path.c_str(), &named) == 0 && named.st_rdev == status.st_rdev;
  });
}

// A terminal as standard stream does no harm: seccomp refuses pushing input into it.
Complaint check_fd(int fd, const SandboxPolicy& policy) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return {};
  const std::string name = "sandbox: descriptor " + std::to_string(fd);
  if (S_ISDIR(status.st_mode)) return name + " is an open folder";
  const int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_PATH) != 0) return name + " is an O_PATH descriptor";
  if (S_ISSOCK(status.st_mode)) {
    int domain = 0;
    socklen_t size = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX)
      return name + " is a network socket";
  }
  if (S_ISBLK(status.st_mode)) return name + " is a block device";
  if (S_ISCHR(status.st_mode) && fd > STDERR_FILENO && !is_named_device(status, policy))
    return name + " is a device";
  return {};
}

Complaint check_fds(const SandboxPolicy& policy) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return failed("cannot list the open descriptors");
  Complaint complaint;
  for (const dirent* entry = readdir(folder); entry != nullptr && complaint.empty();
       entry = readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != dirfd(folder)) complaint = check_fd(fd, policy);
  }
  closedir(folder);
  return complaint;
}

// A single thread that moves itself, which only version 1 can ask for ("tasks"), does not take the lock that
// every fork and exit of the machine shares; taking it means waiting for an RCU grace period, some 10 ms.
Complaint join_cgroups(const SandboxPolicy& policy) {
  for (const std::string& cgroup : policy.cgroups) {
    const bool by_thread = access((cgroup + "/tasks").c_str(), F_OK) == 0;
    const Complaint complaint = write_file(cgroup + (by_thread ? "/tasks" : "/cgroup.procs"), "0");
    if (!complaint.empty()) return complaint;
  }
  return {};
}

Complaint become_child_of_parent(const SandboxPolicy& policy, int sync_fd) {
  setsid();  // fails only for a session leader, which is what is wanted
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // First to go when the machine runs out of memory; a machine that forbids this runs no worse.
  (void)write_file("/proc/self/oom_score_adj", "1000").empty();
  Complaint complaint = join_cgroups(policy);
  if (complaint.empty() && policy.ids) complaint = become(*policy.ids);
  if (complaint.empty()) complaint = arm_parent_death();
  if (complaint.empty()) complaint = send_byte(sync_fd, kReady);
  return complaint.empty() ? await_byte(sync_fd, kGo) : complaint;
}

Complaint isolate(const SandboxPolicy& policy) {
  const int early = policy.namespaces & kNamespacesBeforeUser;
  if (early != 0 && unshare(early) != 0) return failed("cannot make the namespaces");
  constexpr std::string_view kHostName = "sandbox";
  if ((early & CLONE_NEWUTS) != 0 && sethostname(kHostName.data(), kHostName.size()) != 0)
    return failed("cannot set the host name");
  Complaint complaint;
  if ((policy.namespaces & CLONE_NEWPID) != 0 && getpid() != 1)
    return "the child is not process 1 of a pid namespace";
  if ((policy.namespaces & CLONE_NEWNS) != 0) complaint = build_root(policy);
  if (complaint.empty() && (policy.namespaces & CLONE_NEWUSER) != 0) complaint = make_user_namespace();
  if (complaint.empty() && chdir(policy.scratch->path.c_str()) != 0)
    complaint = failed("cannot enter the scratch folder");
  return complaint;
}

Complaint restrict(const SandboxPolicy& policy) {
  Complaint complaint = drop_capabilities();
  // Siblings cannot even name us in another pid namespace; without one, not being dumpable closes our /proc
  // files to them.
  const unsigned long dumpable = (policy.namespaces & CLONE_NEWPID) != 0 ? 1 : 0;
  if (complaint.empty() && prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0) != 0)
    complaint = failed("cannot set dumpable");
  int armed = 0;
  if (prctl(PR_GET_PDEATHSIG, &armed) != 0 || armed != SIGKILL) return "the parent-death signal is not armed";
  if (complaint.empty() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    complaint = failed("cannot give up new privileges");
  if (complaint.empty() && policy.landlock != 0) complaint = apply_landlock(policy);
  if (complaint.empty() && policy.seccomp != 0) complaint = apply_seccomp(policy.seccomp);
  // Last, so that what we need ourselves on the way is not counted against the program.
  return complaint.empty() ? set_limits(policy) : complaint;
}

Complaint enter(const char* text, int sync_fd) {
  SandboxPolicy policy;
  Complaint complaint = parse_policy(text, policy);
  if (complaint.empty()) complaint = check_fds(policy);
  if (complaint.empty()) complaint = become_child_of_parent(policy, sync_fd);
  if (complaint.empty()) complaint = isolate(policy);
  return complaint.empty() ? restrict(policy) : complaint;
}

Complaint before_fork(const char* text) {
  SandboxPolicy policy;
  Complaint complaint = parse_policy(text, policy);
  if (!complaint.empty()) return complaint;
  if ((policy.namespaces & CLONE_NEWPID) == 0) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return failed("cannot become the parent of orphans");
    return {};
  }
  if (unshare(CLONE_NEWPID) != 0) return failed("cannot make a pid namespace");
  return {};
}

// /proc/self/ns/pid is the namespace we live in, whatever our next children would live in.
Complaint take_back_pid_namespace() {
  const int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  if (own < 0) return failed("cannot open our own pid namespace");
  const bool back = setns(own, CLONE_NEWPID) == 0;
  const Complaint complaint = back ? Complaint() : failed("cannot go back to our own pid namespace");
  close(own);
  return complaint;
}

Complaint take_back(const char* text) {
  SandboxPolicy policy;
  const Complaint complaint = parse_policy(text, policy);
  if (!complaint.empty() || (policy.namespaces & CLONE_NEWPID) == 0) return complaint;
  return take_back_pid_namespace();
}

Complaint release(const char* text, int sync_fd) {
  SandboxPolicy policy;
  Complaint complaint = parse_policy(text, policy);
  if (complaint.empty()) complaint = await_byte(sync_fd, kReady);
  return complaint.empty() ? send_byte(sync_fd, kGo) : complaint;
}

int report(const Complaint& complaint, char* error, size_t size) {
  if (error != nullptr && size > 0) std::snprintf(error, size, "%s", complaint.c_str());
  return complaint.empty() ? 0 : -1;
}

// Nothing may be thrown into C or Python.
template <typename Function>
int guarded(Function function, char* error, size_t size) {
  try {
    return report(function(), error, size);
  } catch (...) {
    return report("sandbox: out of memory", error, size);
  }
}

}  // namespace
}  // namespace ka::os

int ka_sandbox_before_fork(const char* policy, char* error, size_t size) {
  return ka::os::guarded([&] { return ka::os::before_fork(policy); }, error, size);
}

int ka_sandbox_after_fork_parent(const char* policy, int child_pid, int sync_fd, char* error, size_t size) {
  const int back = ka::os::guarded([&] { return ka::os::take_back(policy); }, error, size);
  if (back != 0 || child_pid < 0) return back;
  return ka_sandbox_release_child(policy, sync_fd, error, size);
}

int ka_sandbox_release_child(const char* policy, int sync_fd, char* error, size_t size) {
  return ka::os::guarded([&] { return ka::os::release(policy, sync_fd); }, error, size);
}

int ka_sandbox_enter(const char* policy, int sync_fd, char* error, size_t size) {
  return ka::os::guarded([&] { return ka::os::enter(policy, sync_fd); }, error, size);
}

int ka_sandbox_close_fds(const int* keep, int count) {
  try {
    std::vector<int> kept(keep, keep + std::max(count, 0));
    std::sort(kept.begin(), kept.end());
    unsigned next = STDERR_FILENO + 1;
    for (const int fd : kept) {
      if (fd < static_cast<int>(next)) continue;
      const auto here = static_cast<unsigned>(fd);
      if (here > next && syscall(SYS_close_range, next, here - 1, 0) != 0) return -1;
      next = here + 1;
    }
    return syscall(SYS_close_range, next, ~0U, 0) == 0 ? 0 : -1;
  } catch (...) {
    return -1;
  }
}

int ka_sandbox_kill_strays(const int* live, int count) {
  try {
    return ka::os::kill_descendants(getpid(), std::vector<int>(live, live + std::max(count, 0)));
  } catch (...) {
    return -1;
  }
}

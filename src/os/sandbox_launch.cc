#include "os/sandbox_launch.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "os/sandbox_enter.h"
#include "os/sandbox_tree.h"

namespace ka::os {
namespace {

constexpr int kNotRun = 125;
constexpr std::size_t kErrorSize = 512;
using Clock = std::chrono::steady_clock;

struct Options {
  int policy_fd = -1;
  int report_fd = -1;
  long deadline_ms = 0;
  bool nest = false;
  char** program = nullptr;
};

bool parse_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--" && i + 1 < argc) {
      options.program = argv + i + 1;
      return options.nest || (options.policy_fd >= 0 && options.report_fd >= 0);
    }
    if (word == "--nest") {
      options.nest = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const long value = std::strtol(argv[++i], nullptr, 10);
    if (word == "--policy-fd") {
      options.policy_fd = static_cast<int>(value);
    } else if (word == "--report-fd") {
      options.report_fd = static_cast<int>(value);
    } else if (word == "--deadline-ms") {
      options.deadline_ms = value;
    } else {
      return false;
    }
  }
  return false;
}

void say(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) < 0) return;  // nobody listens any more
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  for (ssize_t n = read(fd, part, sizeof part); n > 0; n = read(fd, part, sizeof part)) {
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

Complaint write_own(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const Complaint complaint = written ? Complaint() : failed(std::string("cannot write ") + path);
  if (fd >= 0) close(fd);
  return complaint;
}

bool has_capability(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  return (sets[capability / 32].effective & (1U << (capability % 32))) != 0;
}

Complaint map_own_user(int more_namespaces) {
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER | more_namespaces) != 0) return failed("cannot make a user namespace");
  Complaint complaint = write_own("/proc/self/setgroups", "deny");
  if (complaint.empty()) complaint = write_own("/proc/self/uid_map", uid + " " + uid + " 1");
  if (complaint.empty()) complaint = write_own("/proc/self/gid_map", gid + " " + gid + " 1");
  return complaint;
}

// In the child of the launcher: never returns.
[[noreturn]] void become_program(const std::string& policy, const Options& options, int sync_fd) {
  char error[kErrorSize];
  const int keep[] = {sync_fd, options.report_fd};
  ka_sandbox_close_fds(keep, 2);
  fcntl(options.report_fd, F_SETFD, FD_CLOEXEC);
  fcntl(sync_fd, F_SETFD, FD_CLOEXEC);
  if (ka_sandbox_enter(policy.c_str(), sync_fd, error, sizeof error) != 0) {
    say(options.report_fd, std::string("failed ") + error + "\n");
    _exit(kNotRun);
  }
  execvp(options.program[0], options.program);
  say(options.report_fd, "failed " + failed(std::string("cannot run ") + options.program[0]) + "\n");
  _exit(kNotRun);
}

struct Child {
  int pid = -1;
  int pidfd = -1;
  bool has_pid_namespace = false;
};

// Starts the program; on failure the complaint says why and nothing is left running.
Complaint start(const std::string& policy, const Options& options, Child& child) {
  char error[kErrorSize] = "";
  SandboxPolicy parsed;
  Complaint complaint = parse_policy(policy, parsed);
  child.has_pid_namespace = (parsed.namespaces & CLONE_NEWPID) != 0;
  if (complaint.empty() && child.has_pid_namespace) complaint = prepare_to_fork();
  if (!complaint.empty()) return complaint;
  int sync[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) != 0)
    return failed("cannot make a socket pair");
  if (ka_sandbox_before_fork(policy.c_str(), error, sizeof error) != 0) return error;
  child.pid = fork();
  if (child.pid < 0) return failed("cannot fork");
  if (child.pid == 0) become_program(policy, options, sync[1]);
  close(sync[1]);
  child.pidfd = static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0));
  const bool released = ka_sandbox_release_child(policy.c_str(), sync[0], error, sizeof error) == 0;
  close(sync[0]);
  if (child.pidfd >= 0 && released) return {};
  kill(child.pid, SIGKILL);
  waitpid(child.pid, nullptr, 0);
  return released ? failed("cannot open a pidfd") : Complaint(error);
}

// Waits for the end, a signal to us, or the deadline; true when the program had to be killed at the deadline.
bool watch(const Child& child, int signal_fd, Clock::time_point deadline) {
  bool timed_out = false;
  bool killed = false;
  while (true) {
    pollfd waiting[2] = {{child.pidfd, POLLIN, 0}, {signal_fd, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int patience = killed ? -1 : static_cast<int>(std::max<long>(left + 1, 0));
    const int ready = poll(waiting, 2, patience);
    if (ready > 0 && waiting[0].revents != 0) return timed_out;
    if (killed || (ready < 0 && errno == EINTR)) continue;
    timed_out = ready == 0;
    killed = true;
    // Without a pid namespace the tree is stopped from the top before anything is orphaned.
    if (!child.has_pid_namespace) kill_tree(child.pid);
    syscall(SYS_pidfd_send_signal, child.pidfd, SIGKILL, nullptr, 0);
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// True when whoever started us died before the parent-death signal was armed.
bool is_abandoned(int report_fd) {
  pollfd reader{report_fd, 0, 0};
  return poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0;
}

int launch(const Options& options) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_abandoned(options.report_fd)) return kNotRun;
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ending, signal);
  sigprocmask(SIG_BLOCK, &ending, nullptr);
  const int signal_fd = signalfd(-1, &ending, SFD_CLOEXEC);
  const std::string policy = read_all(options.policy_fd);
  const auto begin = Clock::now();
  Child child;
  const Complaint complaint = start(policy, options, child);
  if (!complaint.empty()) {
    say(options.report_fd, "failed " + complaint + "\n");
    return kNotRun;
  }
  const auto deadline = options.deadline_ms > 0 ? begin + std::chrono::milliseconds(options.deadline_ms)
                                                : Clock::time_point::max();
  const bool timed_out = watch(child, signal_fd, deadline);
  int status = 0;
  rusage usage{};
  wait4(child.pid, &status, 0, &usage);
  if (!child.has_pid_namespace) kill_descendants(getpid(), {});
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  char line[200];
  std::snprintf(line, sizeof line, "ended %d %d %d %.6f %.6f %ld\n", code, signal, timed_out ? 1 : 0, wall,
                seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
  say(options.report_fd, line);
  return signal != 0 ? 128 + signal : code;
}

// A program that is executed keeps capabilities only as ambient ones, unless it is user 0.
Complaint keep_capabilities_over_exec() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return failed("cannot read the capabilities");
  for (const unsigned capability : {unsigned{CAP_SYS_ADMIN}, unsigned{CAP_SETPCAP}})
    sets[capability / 32].inheritable |= 1U << (capability % 32);
  if (syscall(SYS_capset, &header, sets) != 0) return failed("cannot set the capabilities");
  for (const unsigned long capability : {static_cast<unsigned long>(CAP_SYS_ADMIN), static_cast<unsigned long>(CAP_SETPCAP)}) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
      return failed("cannot keep a capability");
  }
  return {};
}

[[noreturn]] void become_nested(char** program) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Complaint complaint;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    complaint = failed("cannot make the mounts private");
  if (complaint.empty() && mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    complaint = failed("cannot mount a fresh /proc");
  }
  if (complaint.empty()) complaint = keep_capabilities_over_exec();
  if (complaint.empty()) {
    execvp(program[0], program);
    complaint = failed(std::string("cannot run ") + program[0]);
  }
  say(STDERR_FILENO, complaint + "\n");
  _exit(kNotRun);
}

int nest(char** program) {
  if (has_capability(CAP_SYS_ADMIN)) {
    execvp(program[0], program);
    say(STDERR_FILENO, failed(std::string("cannot run ") + program[0]) + "\n");
    return kNotRun;
  }
  const Complaint complaint = map_own_user(CLONE_NEWPID | CLONE_NEWNS);
  if (!complaint.empty()) {
    say(STDERR_FILENO, complaint + "\n");
    return kNotRun;
  }
  const int child = fork();
  if (child == 0) become_nested(program);
  // The program's descriptors are its own: whoever waits for their end must not wait for us.
  ka_sandbox_close_fds(nullptr, 0);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The process that try_policy forks.
[[noreturn]] void try_in_child(const std::string& policy, int report_fd) {
  Options options;
  options.report_fd = report_fd;
  char program[] = "/";
  char* argv[] = {program, nullptr};
  options.program = argv;
  Child child;
  const Complaint complaint = start(policy, options, child);
  if (!complaint.empty()) say(report_fd, "failed " + complaint + "\n");
  if (complaint.empty()) waitpid(child.pid, nullptr, 0);
  _exit(0);
}

}  // namespace

Complaint prepare_to_fork() {
  return has_capability(CAP_SYS_ADMIN) ? Complaint() : map_own_user(0);
}

Complaint try_policy(const std::string& policy) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return failed("cannot make a pipe");
  const int child = fork();
  if (child < 0) return failed("cannot fork");
  if (child == 0) try_in_child(policy, report[1]);
  close(report[1]);
  std::string text = read_all(report[0]);
  close(report[0]);
  waitpid(child, nullptr, 0);
  // "/" cannot be executed: arriving at that is arriving inside.
  if (text.find("cannot run /:") != std::string::npos) return {};
  if (text.empty()) return "the process that tried it was killed";
  constexpr std::size_t kWordSize = sizeof "failed " - 1;
  text = text.substr(std::min(kWordSize, text.size()));
  return text.substr(0, text.find('\n'));
}

int sandbox_launch_main(int argc, char** argv) {
  Options options;
  if (!parse_options(argc, argv, options)) {
    say(STDERR_FILENO,
        "usage: __launch (--nest | --policy-fd N --report-fd N [--deadline-ms N]) -- program args\n");
    return kNotRun;
  }
  return options.nest ? nest(options.program) : launch(options);
}

}  // namespace ka::os

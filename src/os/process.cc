#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "os/environment.h"
#include "os/files.h"

namespace ka::os {
namespace {

constexpr int kHighestTarget = 255;

// glibc 2.36 declares its own wrappers without C linkage, so that C++ programs cannot link them.
int open_pidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}
void signal_pidfd(int pidfd, int signal) {
  ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

bool has_zero_byte(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return text.find('\0') != std::string::npos; });
}

std::string path_of(const std::vector<std::string>& env) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& entry : env) {
    if (entry.starts_with(kName)) return entry.substr(kName.size());
  }
  return get_env("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
}

Result<std::string> program_path(const ProcessSpec& spec) {
  if (spec.argv.empty()) return internal_error("a process without a program");
  if (has_zero_byte(spec.argv) || has_zero_byte(spec.env) || has_zero_byte({spec.cwd})) {
    return invalid_input("an argument or environment variable of a process has a zero byte in it");
  }
  // A name with a slash is not looked at here: it may be relative to the folder the child starts in.
  if (spec.argv[0].find('/') != std::string::npos) return spec.argv[0];
  if (std::optional<std::string> found = find_program(spec.argv[0], path_of(spec.env))) return *found;
  return not_found(fmt::format("program \"{}\" was not found in the search path", spec.argv[0]));
}

// The descriptors of the child, as a list of steps for posix_spawn. Sources are first copied above all
// targets: steps run one after the other, and a target of one step may be the source of a later one.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  Status fill(const ProcessSpec& spec) {
    std::vector<std::pair<int, int>> wanted = {{spec.stdin_fd, 0}, {spec.stdout_fd, 1}, {spec.stderr_fd, 2}};
    for (const auto& [ours, theirs] : spec.pass_fds) {
      if (ours < 0 || theirs < 3 || theirs > kHighestTarget) {
        return internal_error(fmt::format("cannot pass descriptor {} as {}", ours, theirs));
      }
      wanted.emplace_back(ours, theirs);
    }
    int highest = 2;
    for (const auto& [ours, theirs] : wanted) highest = std::max(highest, theirs);
    std::vector<bool> used(static_cast<std::size_t>(highest) + 1, false);
    for (const auto& [ours, theirs] : wanted) {
      if (used[static_cast<std::size_t>(theirs)]) {
        return internal_error(fmt::format("two descriptors for {}", theirs));
      }
      used[static_cast<std::size_t>(theirs)] = true;
      KA_TRY(place(ours, theirs, highest + 1));
    }
    for (int fd = 3; fd <= highest; ++fd) {
      if (!used[static_cast<std::size_t>(fd)])
        KA_TRY(added(::posix_spawn_file_actions_addclose(&actions_, fd)));
    }
    KA_TRY(added(::posix_spawn_file_actions_addclosefrom_np(&actions_, highest + 1)));
    if (!spec.cwd.empty()) KA_TRY(added(::posix_spawn_file_actions_addchdir_np(&actions_, spec.cwd.c_str())));
    return ok();
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static Status added(int error) {
    return error == 0 ? ok() : Status(errno_error("cannot prepare a process", error));
  }

  Status place(int ours, int theirs, int above) {
    if (ours < 0) {
      const int flags = theirs == 0 ? O_RDONLY : O_WRONLY;
      return added(::posix_spawn_file_actions_addopen(&actions_, theirs, "/dev/null", flags, 0));
    }
    UniqueFd copy(::fcntl(ours, F_DUPFD_CLOEXEC, above));
    if (!copy.valid()) return errno_error(fmt::format("cannot pass descriptor {} to a process", ours), errno);
    const int error = ::posix_spawn_file_actions_adddup2(&actions_, copy.get(), theirs);
    copies_.push_back(std::move(copy));
    return added(error);
  }

  posix_spawn_file_actions_t actions_;
  std::vector<UniqueFd> copies_;
};

class SpawnAttributes {
 public:
  explicit SpawnAttributes(bool own_session) {
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    const int session = own_session ? POSIX_SPAWN_SETSID : 0;
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session));
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

Error start_error(const ProcessSpec& spec, int error) {
  // The kernel says the same ENOENT for a missing program, a missing folder and a script's missing
  // interpreter.
  if (!spec.cwd.empty() && !is_directory(spec.cwd)) {
    return not_found(fmt::format("cannot start {} in folder {}: it does not exist", spec.argv[0], spec.cwd));
  }
  const std::string message = fmt::format("cannot start {}: {}", spec.argv[0], std::strerror(error));
  return error == ENOENT ? not_found(message) : environment_error(message);
}

}  // namespace

std::string describe(const ExitStatus& status) {
  if (status.exited) return fmt::format("exit code {}", status.code);
  if (status.signal == 0) return "an unknown end";
  return fmt::format("killed by signal {} ({})", status.signal, ::strsignal(status.signal));
}

Process::Process(pid_t pid, UniqueFd pidfd, bool own_session)
    : pid_(pid), pidfd_(std::move(pidfd)), own_session_(own_session), reaped_(false) {}

Process::Process(Process&& other) noexcept
    : pid_(other.pid_),
      pidfd_(std::move(other.pidfd_)),
      own_session_(other.own_session_),
      reaped_(std::exchange(other.reaped_, true)),
      status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  finish();
  pid_ = other.pid_;
  pidfd_ = std::move(other.pidfd_);
  own_session_ = other.own_session_;
  reaped_ = std::exchange(other.reaped_, true);
  status_ = other.status_;
  return *this;
}

Process::~Process() {
  finish();
}

void Process::finish() {
  if (reaped_) return;
  kill();
  reap();
}

// Waits for the end without reaping first: as long as the child is a zombie, its number is that of its
// process group and of nothing else, so that the group can be killed without hitting a stranger.
void Process::reap() {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  if (own_session_) ::kill(-pid_, SIGKILL);
  int status = 0;
  rusage usage{};
  pid_t got = -1;
  do {
    got = ::wait4(pid_, &status, 0, &usage);
  } while (got < 0 && errno == EINTR);
  reaped_ = true;
  if (got != pid_) return;  // someone else reaped it: the end stays unknown
  status_.exited = WIFEXITED(status);
  status_.code = status_.exited ? WEXITSTATUS(status) : 0;
  status_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  status_.max_rss_kib = usage.ru_maxrss;
  status_.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<ExitStatus> Process::wait(Deadline deadline, const CancelToken& cancel) {
  if (reaped_) return status_;
  KA_ASSIGN(const Ready ready, wait_ready(pidfd_.get(), POLLIN, deadline, cancel));
  if (ready == Ready::timeout) return timeout_error("the process did not end within the time limit");
  if (ready == Ready::cancelled) return cancelled_error("cancelled");
  reap();
  return status_;
}

void Process::kill() {
  if (reaped_) return;
  if (own_session_) {
    ::kill(-pid_, SIGKILL);
  } else {
    send_signal(SIGKILL);
  }
}

void Process::send_signal(int signal) {
  if (!reaped_) signal_pidfd(pidfd_.get(), signal);
}

Result<Process> spawn(const ProcessSpec& spec) {
  KA_ASSIGN(const std::string program, program_path(spec));
  FileActions actions;
  KA_TRY(actions.fill(spec));
  const SpawnAttributes attributes(spec.own_session);
  const std::vector<char*> argv = pointers(spec.argv);
  const std::vector<char*> env = pointers(spec.env);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), argv.data(), env.data());
  if (error != 0) return start_error(spec, error);
  // No race: until we reap it the number stays the child's, even when it has ended already.
  UniqueFd pidfd(open_pidfd(pid));
  const int open_error = errno;
  const bool watched = pidfd.valid();
  Process process(pid, std::move(pidfd), spec.own_session);
  if (!watched) {
    ::kill(pid, SIGKILL);
    return errno_error("cannot watch a process", open_error);
  }
  return process;
}

}  // namespace ka::os

// Child processes. A Process is passive: nothing runs in the background, all waiting is done in one poll loop
// by the caller's thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/cancel.h"
#include "os/clock.h"
#include "os/unique_fd.h"

namespace ka::os {

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0] without a slash is searched in the PATH of `env`, else in ours
  std::vector<std::string> env;   // the whole environment, "A=b"
  std::string cwd;                // empty = ours
  int stdin_fd = -1;              // -1 = /dev/null, for all three
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::vector<std::pair<int, int>> pass_fds;  // (ours, theirs), theirs in 3..255; everything else is closed
  bool own_session = true;                    // a session, and so a process group, of its own
};

struct ExitStatus {
  bool exited = false;  // by itself, with `code`; else killed by `signal`
  int code = 0;
  int signal = 0;
  long max_rss_kib = 0;
  double cpu_s = 0;

  bool success() const { return exited && code == 0; }
};
// "exit code 3" or "killed by signal 9 (Killed)".
std::string describe(const ExitStatus& status);

// A running child. Signals start at their defaults, unblocked. When the child has ended, the rest of its
// process group is killed before it is reaped (with own_session), so what it left behind does not outlive it
// unless it made a session of its own. The destructor kills and reaps.
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t pid() const { return pid_; }
  // Readable when the child has ended.
  int pidfd() const { return pidfd_.get(); }
  bool reaped() const { return reaped_; }

  // Error kinds timeout and cancelled leave the child running. May be called again after the end.
  Result<ExitStatus> wait(Deadline deadline, const CancelToken& cancel);
  // SIGKILL to the group (or to the child alone without own_session). Nothing happens after the end.
  void kill();
  // Another signal, to the child alone.
  void send_signal(int signal);

 private:
  friend Result<Process> spawn(const ProcessSpec& spec);
  Process(pid_t pid, UniqueFd pidfd, bool own_session);
  void reap();
  void finish();

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  bool own_session_ = false;
  bool reaped_ = true;
  ExitStatus status_;
};

// not_found when the program does not exist, environment when it cannot be started.
Result<Process> spawn(const ProcessSpec& spec);

struct CommandResult {
  ExitStatus status;
  std::string out, err;    // over the limit: head and tail, see OutputBuffer
  bool timed_out = false;  // the deadline passed and the command was killed
};

inline constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

// Runs a command to its end and captures what it prints (a stream whose descriptor is given in the spec is
// not captured). Returns when the command itself has ended, even when a process it left behind holds its
// output open. A passed deadline is no error but timed_out; a cancellation kills the command and is an error.
Result<CommandResult> run_command(const ProcessSpec& spec, Deadline deadline, const CancelToken& cancel,
                                  std::size_t max_output = kMaxOutputBytes);

// Several commands at once in one poll loop. The destructor kills those that still run.
class ProcessSet {
 public:
  struct Finished {
    std::size_t id = 0;
    CommandResult result;
  };

  ProcessSet();
  ProcessSet(ProcessSet&&) noexcept;
  ProcessSet& operator=(ProcessSet&&) noexcept;
  ~ProcessSet();

  // Starts a command with its own deadline; ids count from 0.
  Result<std::size_t> add(const ProcessSpec& spec, Deadline deadline,
                          std::size_t max_output = kMaxOutputBytes);
  std::size_t running() const;
  // The next command that ends. With none running: an internal error. A cancellation kills them all; a passed
  // deadline (of this call) is a timeout error and leaves them running.
  Result<Finished> wait_next(Deadline deadline, const CancelToken& cancel);
  void kill_all();

 private:
  struct Command;
  std::vector<std::unique_ptr<Command>> commands_;
  std::size_t next_id_ = 0;
};

}  // namespace ka::os

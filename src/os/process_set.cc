// The poll loop behind run_command and ProcessSet. Each round polls the cancellation, every child and every
// open output pipe; output is read as it comes, so that a child never blocks on a full pipe.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "os/output_buffer.h"
#include "os/process.h"

namespace ka::os {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
// What may still lie in a pipe when its writer has ended; a bound, because another writer may be left that
// never stops.
constexpr int kLastReads = 17;

// One captured stream: the reading end of its pipe and what came through so far.
class Capture {
 public:
  explicit Capture(std::size_t max_bytes) : buffer_(max_bytes) {}

  // Returns the writing end, for the child.
  Result<UniqueFd> open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("cannot make a pipe", errno);
    reader_.reset(ends[0]);
    UniqueFd writer(ends[1]);
    // Only our end: the flag belongs to the open file, and the child expects an ordinary blocking one.
    if (::fcntl(reader_.get(), F_SETFL, O_NONBLOCK) != 0) return errno_error("cannot set up a pipe", errno);
    return writer;
  }

  int fd() const { return reader_.get(); }
  std::string text() const { return buffer_.text(); }

  // True when there may be more at once.
  bool read_some() {
    std::array<char, kReadBytes> bytes;
    ssize_t got = -1;
    do {
      got = ::read(reader_.get(), bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
      buffer_.append({bytes.data(), static_cast<std::size_t>(got)});
      return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) reader_.reset();
    return false;
  }

  void read_rest() {
    for (int i = 0; i < kLastReads && reader_.valid() && read_some(); ++i) {
    }
    reader_.reset();
  }

 private:
  UniqueFd reader_;
  OutputBuffer buffer_;
};

}  // namespace

struct ProcessSet::Command {
  Command(std::size_t id_, Deadline deadline_, std::size_t max_output)
      : id(id_), deadline(deadline_), out(max_output), err(max_output) {}

  std::size_t id;
  Deadline deadline;
  Capture out;
  Capture err;
  std::optional<Process> process;
  bool timed_out = false;

  Status start(ProcessSpec spec) {
    UniqueFd out_writer;
    UniqueFd err_writer;
    if (spec.stdout_fd < 0) {
      KA_ASSIGN(out_writer, out.open());
      spec.stdout_fd = out_writer.get();
    }
    if (spec.stderr_fd < 0) {
      KA_ASSIGN(err_writer, err.open());
      spec.stderr_fd = err_writer.get();
    }
    KA_ASSIGN(process, spawn(spec));
    return ok();
  }

  void kill_when_late() {
    if (timed_out || !deadline.passed()) return;
    timed_out = true;
    process->kill();
  }

  Result<CommandResult> finish() {
    KA_ASSIGN(const ExitStatus status, process->wait(Deadline::never(), CancelToken{}));
    out.read_rest();
    err.read_rest();
    // A command that ended by itself in the moment it was to be killed was in time.
    return CommandResult{status, out.text(), err.text(), timed_out && !status.exited};
  }
};

ProcessSet::ProcessSet() = default;
ProcessSet::ProcessSet(ProcessSet&&) noexcept = default;
ProcessSet& ProcessSet::operator=(ProcessSet&&) noexcept = default;
ProcessSet::~ProcessSet() {
  kill_all();
}

Result<std::size_t> ProcessSet::add(const ProcessSpec& spec, Deadline deadline, std::size_t max_output) {
  auto command = std::make_unique<Command>(next_id_, deadline, max_output);
  KA_TRY(command->start(spec));
  commands_.push_back(std::move(command));
  return next_id_++;
}

std::size_t ProcessSet::running() const {
  return commands_.size();
}

void ProcessSet::kill_all() {
  // All first, then wait for each: the destructors of the commands do the waiting.
  for (const auto& command : commands_) command->process->kill();
  commands_.clear();
}

Result<ProcessSet::Finished> ProcessSet::wait_next(Deadline deadline, const CancelToken& cancel) {
  if (commands_.empty()) return internal_error("waiting for a command while none is running");
  while (true) {
    if (cancel.cancelled()) {
      kill_all();
      return cancelled_error("cancelled");
    }
    Deadline next = deadline;
    std::vector<pollfd> polled = {{cancel.fd(), POLLIN, 0}};
    for (const auto& command : commands_) {
      command->kill_when_late();
      if (!command->timed_out) next = Deadline::earlier(next, command->deadline);
      for (const int fd : {command->process->pidfd(), command->out.fd(), command->err.fd()}) {
        polled.push_back({fd, POLLIN, 0});
      }
    }
    if (::poll(polled.data(), polled.size(), next.remaining_ms()) < 0) {
      if (errno != EINTR) return errno_error("cannot poll", errno);
      continue;
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      Command& command = *commands_[i];
      const pollfd* const events = &polled[1 + 3 * i];
      if (events[1].revents != 0) command.out.read_some();
      if (events[2].revents != 0) command.err.read_some();
      if (events[0].revents == 0) continue;
      Result<CommandResult> result = command.finish();
      const std::size_t id = command.id;
      commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(i));
      if (!result) return result.error();
      return Finished{id, std::move(result).value()};
    }
    if (deadline.passed()) return timeout_error("no command ended within the time limit");
  }
}

Result<CommandResult> run_command(const ProcessSpec& spec, Deadline deadline, const CancelToken& cancel,
                                  std::size_t max_output) {
  ProcessSet commands;
  KA_TRY(commands.add(spec, deadline, max_output));
  KA_ASSIGN(ProcessSet::Finished finished, commands.wait_next(Deadline::never(), cancel));
  return std::move(finished.result);
}

}  // namespace ka::os

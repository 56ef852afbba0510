#include "app/capi/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "os/clock.h"

namespace ka::capi {

struct Pipe {
  os::UniqueFd ours, theirs;
  std::string bytes;
  bool open = true;
};

struct JobPipes {
  Pipe out, err, events;
  std::array<Pipe*, 3> all() { return {&out, &err, &events}; }
};

namespace {

constexpr std::size_t kMaxOut = std::size_t{256} << 20, kMaxErr = std::size_t{1} << 16, kMaxEvents = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kPatience{1500};  // from being asked to end until it is killed
constexpr int kEventsFd = 3;

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("cannot make a pipe", errno);
  Pipe out{os::UniqueFd(ends[0]), os::UniqueFd(ends[1]), "", true};
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return errno_error("cannot make a pipe", errno);
  return out;
}

// All that is there now.
void drain(Pipe& pipe) {
  std::array<char, 65536> block;
  while (pipe.open) {
    const ssize_t count = ::read(pipe.ours.get(), block.data(), block.size());
    if (count > 0) pipe.bytes.append(block.data(), static_cast<std::size_t>(count));
    else if (count < 0 && errno == EINTR) continue;
    else if (count < 0 && errno == EAGAIN) return;
    else pipe.open = false;
  }
}

void keep_tail(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  const std::size_t line = text.find('\n', text.size() - most);
  text.erase(0, line == std::string::npos ? text.size() - most : line + 1);
}

// The last complaint of the program, without its name.
std::string last_complaint(const std::string& err) {
  constexpr std::string_view kName = "kernelagent: ";
  std::string out;
  for (const std::string& line : split(err, '\n')) {
    if (line.starts_with(kName)) out = line.substr(kName.size());
  }
  return out;
}

std::string result_text(const os::ExitStatus& status, bool cancelled, double seconds, const std::string& out, const std::string& err) {
  Json output = Json::parse(out, nullptr, false);
  if (output.is_discarded()) output = Json();
  const Json result = {{"exit_code", status.exited ? status.code : 128 + status.signal},
                       {"cancelled", cancelled},
                       {"seconds", seconds},
                       {"output", output},
                       {"text", output.is_null() ? out : ""},
                       {"message", last_complaint(err)},
                       {"stderr", err}};
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::shared_ptr<Job>> Job::start(const std::string& program, JobRequest request) {
  std::shared_ptr<Job> job(new Job(std::move(request)));
  std::promise<Status> started;
  std::future<Status> outcome = started.get_future();
  job->thread_ = std::thread([raw = job.get(), program, &started] { raw->run(program, started); });
  const Status status = outcome.get();
  if (!status) return status.error();
  return job;
}

Job::~Job() {
  stop_.cancel();
  if (thread_.joinable()) thread_.join();
}

Result<os::Process> Job::spawn(const std::string& program, JobPipes& pipes) {
  os::ProcessSpec spec;
  spec.argv = {program};
  spec.argv.insert(spec.argv.end(), request_.words.begin(), request_.words.end());
  spec.env = request_.environment;
  std::erase_if(spec.env, [](const std::string& entry) { return entry.starts_with("KERNELAGENT_PARENT=") || entry.starts_with("KERNELAGENT_EVENTS_FD="); });
  spec.env.push_back(fmt::format("KERNELAGENT_PARENT={}", ::getpid()));
  spec.env.push_back(fmt::format("KERNELAGENT_EVENTS_FD={}", kEventsFd));
  spec.cwd = request_.folder;
  for (Pipe* pipe : pipes.all()) {
    KA_ASSIGN(*pipe, make_pipe());
  }
  spec.stdout_fd = pipes.out.theirs.get();
  spec.stderr_fd = pipes.err.theirs.get();
  spec.pass_fds = {{pipes.events.theirs.get(), kEventsFd}};
  Result<os::Process> process = os::spawn(spec);
  for (Pipe* pipe : pipes.all()) pipe->theirs.reset();
  return process;
}

void Job::run(const std::string& program, std::promise<Status>& started) {
  // The process that loaded this library decides which of its threads gets a signal; not this one.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const os::TimePoint begin = std::chrono::steady_clock::now();
  JobPipes pipes;
  Result<os::Process> process = spawn(program, pipes);
  started.set_value(process ? ok() : Status(process.error()));
  if (!process) return;
  watch(*process, pipes);
  const Result<os::ExitStatus> status = process->wait(os::Deadline::in(std::chrono::seconds(10)), {});
  for (Pipe* pipe : pipes.all()) drain(*pipe);
  err_ += pipes.err.bytes;
  keep_tail(err_, kMaxErr);
  pipes.events.bytes += "\n";
  keep_event_lines(pipes.events.bytes);
  const std::string text = result_text(status ? *status : os::ExitStatus{}, stop_.token().cancelled(), os::seconds_since(begin), out_ + pipes.out.bytes, err_);
  const std::lock_guard lock(mutex_);
  result_ = text;
  done_ = true;
  ended_.notify_all();
}

void Job::watch(os::Process& process, JobPipes& pipes) {
  bool asked = false, killed = false;
  os::Deadline patience = os::Deadline::in(std::chrono::hours(1));
  while (true) {
    std::array<pollfd, 5> polled = {pollfd{process.pidfd(), POLLIN, 0}, pollfd{asked ? -1 : stop_.token().fd(), POLLIN, 0}, {}, {}, {}};
    for (std::size_t i = 0; i < 3; ++i) polled[2 + i] = pollfd{pipes.all()[i]->open ? pipes.all()[i]->ours.get() : -1, POLLIN, 0};
    if (::poll(polled.data(), polled.size(), asked ? patience.remaining_ms() : -1) < 0 && errno != EINTR) process.kill();
    for (Pipe* pipe : pipes.all()) drain(*pipe);
    out_ += std::exchange(pipes.out.bytes, {});
    err_ += std::exchange(pipes.err.bytes, {});
    keep_tail(err_, kMaxErr);
    keep_event_lines(pipes.events.bytes);
    if (polled[0].revents != 0) return;
    if (!asked && (stop_.token().cancelled() || out_.size() > kMaxOut)) {
      process.send_signal(SIGTERM);
      asked = true;
      patience = os::Deadline::in(kPatience);
    } else if (asked && !killed && patience.passed()) {
      process.kill();
      killed = true;
      patience = os::Deadline::in(std::chrono::hours(1));
    }
  }
}

void Job::keep_event_lines(std::string& bytes) {
  const std::size_t end = bytes.rfind('\n');
  if (end == std::string::npos) return;
  const std::lock_guard lock(mutex_);
  if (end > 0) events_.append(bytes, 0, end + 1);
  bytes.erase(0, end + 1);
  keep_tail(events_, kMaxEvents);
}

bool Job::wait(std::int64_t milliseconds) {
  std::unique_lock lock(mutex_);
  const auto is_done = [this] { return done_; };
  if (milliseconds >= 0) return ended_.wait_for(lock, std::chrono::milliseconds(std::min<std::int64_t>(milliseconds, 86'400'000)), is_done);
  ended_.wait(lock, is_done);
  return true;
}

std::string Job::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::string Job::result() {
  const std::lock_guard lock(mutex_);
  return done_ ? result_ : "";
}

}  // namespace ka::capi

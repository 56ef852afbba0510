#include "bridge/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "bridge/interpreter_state.h"
#include "os/files.h"
#include "os/memory_file.h"
#include "os/packet_socket.h"

namespace ka::bridge {
namespace {

constexpr std::size_t kTailBytes = 8 * 1024;
constexpr std::chrono::milliseconds kReapLimit{5000};
constexpr std::size_t kSpillBytes = 16 * 1024 * 1024;

// A message that does not fit a packet travels in a memory file, the last descriptor beside {"spilled": bytes}.
Status send_message(int socket, const Json& message, std::span<const int> fds, os::Deadline deadline,
                    const os::CancelToken& cancel) {
  const std::string text = to_json_text(message);
  if (text.size() <= os::kMaxPacketBytes) return os::send_packet(socket, text, fds, deadline, cancel);
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_packet"));
  KA_TRY(file.write(text));
  std::vector<int> all(fds.begin(), fds.end());
  all.push_back(file.fd());
  return os::send_packet(socket, to_json_text(Json{{"spilled", text.size()}}), all, deadline, cancel);
}

// The text of a packet, or of the file it points to; nothing when it is no JSON object of bounded size.
std::optional<std::string> message_text(os::Packet packet) {
  Result<Json> json = parse_json(packet.text, "child");
  if (!json || !json->is_object()) return std::nullopt;
  if (!json->contains("spilled")) return std::move(packet.text);
  if (packet.fds.empty()) return std::nullopt;
  Result<os::MemoryFile> file = os::MemoryFile::adopt(std::move(packet.fds.back()));
  if (!file) return std::nullopt;
  Result<std::string> text = file->read_all(kSpillBytes);
  if (!text) return std::nullopt;
  return std::move(*text);
}

// Descendants of `pid`, itself included, each counted with its threads.
int count_tasks(int pid) {
  const std::string root = "/proc/" + std::to_string(pid) + "/task";
  Result<std::vector<std::string>> tasks = os::list_dir(root);
  if (!tasks) return 0;
  int count = 0;
  for (const std::string& task : *tasks) {
    ++count;
    Result<std::string> children = os::read_file(root + "/" + task + "/children");
    if (!children) continue;
    std::size_t begin = 0;
    while (begin < children->size()) {
      const std::size_t end = std::min(children->find(' ', begin), children->size());
      if (end > begin) count += count_tasks(std::atoi(children->c_str() + begin));
      begin = end + 1;
    }
  }
  return count;
}

}  // namespace

Child::Child(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Child::Child(Child&&) noexcept = default;
Child& Child::operator=(Child&&) noexcept = default;
Child::~Child() = default;

Child::Impl::~Impl() {
  if (!state) return;  // it was never asked for
  if (!exit) kill();
  state->abandon(id, std::move(cgroup), std::move(scratch));
}

void Child::Impl::kill() {
  syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

void Child::Impl::drain_output() {
  std::array<char, 64 * 1024> buffer;
  while (output.valid()) {
    const ssize_t n = read(output.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      output.reset();
      return;
    }
    tail.append(buffer.data(), static_cast<std::size_t>(n));
    if (tail.size() > kTailBytes) tail.erase(0, tail.size() - kTailBytes);
    if (static_cast<std::size_t>(n) < buffer.size()) return;
  }
}

Answer Child::Impl::ended(ChildEnd end) {
  Result<os::ExitStatus> status = state->wait_exit(id, os::Deadline::in(kReapLimit));
  if (status) exit = *status;
  drain_output();
  Answer answer;
  answer.end = end;
  if (exit) answer.status = *exit;
  if (end == ChildEnd::exited && exit && !exit->exited) {
    answer.end = cgroup && cgroup->oom_kills() > 0 ? ChildEnd::memory : ChildEnd::signalled;
  }
  return answer;
}

Result<Answer> Child::ask(const Json& message, std::span<const int> fds, os::Deadline deadline,
                          const os::CancelToken& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  Impl& child = *impl_;
  const auto timed = [&](Answer answer) {
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
  };
  Status sent = send_message(child.conversation.get(), message, fds, deadline, cancel);
  if (!sent && sent.error().kind != ErrorKind::io) return sent.error();
  if (!sent) return timed(child.ended(ChildEnd::exited));

  while (true) {
    std::array<pollfd, 3> polled = {pollfd{child.conversation.get(), POLLIN, 0}, pollfd{cancel.fd(), POLLIN, 0},
                                    pollfd{child.output.get(), POLLIN, 0}};
    const int ready = poll(polled.data(), polled.size(), deadline.remaining_ms());
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return errno_error("cannot wait for a child process", errno);
    if (cancel.cancelled()) return cancelled_error("interrupted");
    if (polled[2].revents != 0) child.drain_output();
    if (polled[0].revents != 0) break;
    if (deadline.passed()) {
      child.kill();
      return timed(child.ended(ChildEnd::timed_out));
    }
  }
  Result<os::Packet> packet = os::receive_packet(child.conversation.get(), os::Deadline::in(std::chrono::seconds(1)), cancel);
  if (!packet) {
    if (packet.error().kind == ErrorKind::cancelled) return packet.error();
    return timed(child.ended(ChildEnd::exited));
  }
  Answer answer;
  std::optional<std::string> text = message_text(std::move(*packet));
  if (!text) {
    child.kill();
    return timed(child.ended(ChildEnd::garbled));
  }
  answer.text = std::move(*text);
  return timed(std::move(answer));
}

int Child::pid() const { return impl_->pid; }

std::string Child::output_tail() const {
  impl_->drain_output();
  return impl_->tail;
}

int Child::live_tasks() const { return count_tasks(impl_->pid); }

}  // namespace ka::bridge

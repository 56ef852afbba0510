#include "os/cancel.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "os/unique_fd.h"

namespace ka::os {

namespace detail {
struct CancelState {
  std::atomic<bool> cancelled{false};
  UniqueFd event;
};
}  // namespace detail

namespace {

// What the signal handler may touch: lock-free, never freed (watch_signals keeps each state it has
// published).
std::atomic<detail::CancelState*> watched{nullptr};
std::atomic<int> interrupts{0};
static_assert(std::atomic<detail::CancelState*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

constexpr int kInterruptedExit = 130;

// Only calls that are safe in a signal handler. The flag is set before the descriptor wakes the waiters.
void cancel_state(detail::CancelState& state) {
  state.cancelled.store(true);
  const std::uint64_t one = 1;
  if (state.event.valid()) {
    [[maybe_unused]] const ssize_t written = ::write(state.event.get(), &one, sizeof one);
  }
}

void on_signal(int signal) {
  const int saved = errno;
  if (signal == SIGINT && interrupts.fetch_add(1) > 0) ::_exit(kInterruptedExit);
  if (detail::CancelState* state = watched.load()) cancel_state(*state);
  errno = saved;
}

}  // namespace

bool CancelToken::cancelled() const {
  return state_ != nullptr && state_->cancelled.load();
}

int CancelToken::fd() const {
  return state_ == nullptr ? -1 : state_->event.get();
}

CancelSource::CancelSource() : state_(std::make_shared<detail::CancelState>()) {
  state_->event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void CancelSource::cancel() {
  cancel_state(*state_);
}

Status watch_signals(CancelSource& source) {
  // Deliberately never freed: a handler may be about to use the state at any time until the program ends.
  static auto* const kept = new std::vector<std::shared_ptr<detail::CancelState>>();
  kept->push_back(source.state_);
  watched.store(source.state_.get());
  interrupts.store(0);

  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  if (::sigaction(SIGINT, &action, nullptr) != 0 || ::sigaction(SIGTERM, &action, nullptr) != 0 ||
      ::sigaction(SIGPIPE, &ignore, nullptr) != 0) {
    return errno_error("cannot install signal handlers", errno);
  }
  return ok();
}

Result<Ready> wait_ready(int fd, short events, Deadline deadline, const CancelToken& cancel) {
  while (true) {
    if (cancel.cancelled()) return Ready::cancelled;
    std::array<pollfd, 2> polled = {pollfd{fd, events, 0}, pollfd{cancel.fd(), POLLIN, 0}};
    const int count = ::poll(polled.data(), polled.size(), deadline.remaining_ms());
    if (count < 0 && errno != EINTR) return errno_error("cannot poll", errno);
    if (cancel.cancelled()) return Ready::cancelled;
    if (count > 0 && polled[0].revents != 0) {
      if ((polled[0].revents & POLLNVAL) != 0) return internal_error("waiting for a closed descriptor");
      return Ready::ready;
    }
    if (deadline.passed()) return Ready::timeout;
  }
}

}  // namespace ka::os

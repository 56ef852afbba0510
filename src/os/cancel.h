// Cancellation: one source, any number of cheap tokens. Every wait polls the token's descriptor beside its
// own, so that a cancellation reaches a sleeping thread at once.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/clock.h"

namespace ka::os {

namespace detail {
struct CancelState;
}

// A default token is never cancelled. All functions may be called from any thread.
class CancelToken {
 public:
  CancelToken() = default;
  bool cancelled() const;
  // Readable once cancelled; -1 for a default token (poll(2) ignores it).
  int fd() const;

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<const detail::CancelState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::CancelState> state_;
};

class CancelSource {
 public:
  // When no descriptor is left the source still works, but sleeping waits notice only at their deadline.
  CancelSource();
  void cancel();
  CancelToken token() const { return CancelToken(state_); }

 private:
  friend Status watch_signals(CancelSource& source);
  std::shared_ptr<detail::CancelState> state_;
};

// From now on SIGINT and SIGTERM cancel the source; a second SIGINT ends the program at once with 130.
// SIGPIPE is ignored. Only the source of the last call is watched.
Status watch_signals(CancelSource& source);

enum class Ready { ready, timeout, cancelled };
// Waits until `fd` is ready for `events` (POLLIN, POLLOUT; hang-up and error count as ready).
Result<Ready> wait_ready(int fd, short events, Deadline deadline, const CancelToken& cancel);

}  // namespace ka::os

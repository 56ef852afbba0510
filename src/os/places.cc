#include "os/places.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace ka::os {

Places::Places(std::size_t count) : count_(count), free_(eventfd(static_cast<unsigned>(count), EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK)) {}

Places::Place::~Place() {
  if (places_ == nullptr) return;
  const std::uint64_t one = 1;
  (void)!write(places_->free_.get(), &one, sizeof one);
}

Result<Places::Place> Places::take(const CancelToken& cancel) const {
  if (!free_.valid()) return environment_error("no descriptor is left to count the work that is done at the same time");
  while (true) {
    if (cancel.cancelled()) return cancelled_error("interrupted while waiting for others to finish");
    std::uint64_t one = 0;
    if (read(free_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one)) return Place(*this);
    if (errno != EAGAIN && errno != EINTR) return errno_error("cannot wait for others to finish", errno);
    KA_TRY(wait_ready(free_.get(), POLLIN, Deadline::never(), cancel));
  }
}

}  // namespace ka::os

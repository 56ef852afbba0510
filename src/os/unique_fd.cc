#include "os/unique_fd.h"

#include <unistd.h>

#include <cerrno>

namespace ka::os {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0 && fd_ != fd) {
    const int saved = errno;
    ::close(fd_);  // never retried: on Linux the number is free again even after EINTR
    errno = saved;
  }
  fd_ = fd;
}

}  // namespace ka::os

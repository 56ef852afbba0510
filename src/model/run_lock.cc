#include "model/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "base/strings.h"
#include "os/files.h"

namespace ka::model {

namespace {

std::string holder(const std::string& path) {
  constexpr std::size_t kLongestNumber = 32;
  Result<std::string> text = os::read_file(path, kLongestNumber);
  const std::string number = text ? trim(*text) : "";
  return number.empty() ? "another process" : "process " + number;
}

// For people only; that it may be missing or stale does not matter.
void sign(int fd) {
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) == 0) static_cast<void>(::pwrite(fd, number.data(), number.size(), 0) == 0);
}

// Somebody who only looks holds a shared lock for some microseconds.
bool lock_soon(int fd) {
  constexpr int kTries = 5;
  constexpr std::chrono::milliseconds kPause{2};
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
  }
  errno = EWOULDBLOCK;
  return false;
}

}  // namespace

bool RunLock::is_held(const std::string& path) {
  // O_NONBLOCK: what stands there may be a pipe.
  const os::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<RunLock> RunLock::acquire(const std::string& path) {
  // O_CLOEXEC: a child program must not keep the lock alive after its parent has ended.
  os::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd.valid()) return errno_error("cannot open " + path, errno);
  if (!lock_soon(fd.get())) {
    if (errno != EWOULDBLOCK) return errno_error("cannot lock " + path, errno);
    return environment_error("the run is in use by " + holder(path) + " (lock: " + path + ")");
  }
  sign(fd.get());
  return RunLock(std::move(fd));
}

}  // namespace ka::model

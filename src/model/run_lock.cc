#include "model/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

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

}  // namespace

Result<RunLock> RunLock::acquire(const std::string& path) {
  // O_CLOEXEC: a child program must not keep the lock alive after its parent has ended.
  os::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd.valid()) return errno_error("cannot open " + path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error("cannot lock " + path, errno);
    return environment_error("the run is in use by " + holder(path) + " (lock: " + path + ")");
  }
  sign(fd.get());
  return RunLock(std::move(fd));
}

}  // namespace ka::model

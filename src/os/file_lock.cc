#include "os/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/strings.h"
#include "os/files.h"

namespace ka::os {
namespace {

// flock(2) has no descriptor that one could poll beside the cancellation, so a waiting holder looks again now and then.
constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::size_t kMaxSignature = 200;

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

Result<UniqueFd> open_plain(const std::string& path, struct stat& status) {
  // O_CLOEXEC: a child program must not keep the lock alive after its parent has ended. O_NONBLOCK: a FIFO must not make us wait.
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!fd.valid()) {
    const int error = errno;
    if (error == ELOOP || error == EISDIR || error == ENXIO) return invalid_input(path + " is no plain file; a lock needs one");
    return errno_error("cannot open " + path, error);
  }
  if (::fstat(fd.get(), &status) != 0) return errno_error("cannot read " + path, errno);
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) return invalid_input(path + " is a link or no plain file; a lock needs one");
  return fd;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_acquire(const std::string& path) {
  while (true) {
    struct stat opened{}, named{};
    KA_ASSIGN(UniqueFd fd, open_plain(path, opened));
    int taken = 0;
    do {
      taken = ::flock(fd.get(), LOCK_EX | LOCK_NB);
    } while (taken != 0 && errno == EINTR);
    if (taken != 0 && errno == EWOULDBLOCK) return std::optional<FileLock>();
    if (taken != 0) return errno_error("cannot lock " + path, errno);
    // Somebody may have removed the file between opening and locking: then others lock a new one of that name.
    if (::lstat(path.c_str(), &named) == 0 && same_file(opened, named)) return std::optional<FileLock>(FileLock(std::move(fd)));
  }
}

Result<FileLock> FileLock::acquire(const std::string& path, Deadline deadline, const CancelToken& cancel) {
  while (true) {
    KA_ASSIGN(std::optional<FileLock> lock, try_acquire(path));
    if (lock) return std::move(*lock);
    const std::string holder = holder_of(path);
    const std::string who = holder.empty() ? "another process" : holder;
    if (deadline.passed()) return timeout_error(fmt::format("{} is still in use by {}", path, who));
    KA_ASSIGN(Ready ready, wait_ready(-1, 0, Deadline::earlier(deadline, Deadline::in(kLookEvery)), cancel));
    if (ready == Ready::cancelled) return cancelled_error(fmt::format("interrupted while {} was in use by {}", path, who));
  }
}

void FileLock::sign(const std::string& text) {
  const std::string line = text.substr(0, kMaxSignature) + "\n";
  if (::ftruncate(fd_.get(), 0) == 0) static_cast<void>(::pwrite(fd_.get(), line.data(), line.size(), 0) == 0);
}

bool is_held(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // A shared lock: two who ask do not see each other.
  return fd.valid() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::string holder_of(const std::string& path) {
  Result<std::string> text = read_file(path, kMaxSignature + 1);
  if (!text) return "";
  std::string line = trim(*text);
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return line;
}

}  // namespace ka::os

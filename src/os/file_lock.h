// One holder at a time, by flock(2) on a file. The lock goes with the open file, so the kernel frees it when the holder ends in
// whatever way, kill -9 included; a lock file that lies around means nothing. It works between processes and between two objects
// of one process. The file itself stays: to remove it would let two holders hold two files of one name.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/cancel.h"
#include "os/clock.h"
#include "os/unique_fd.h"

namespace ka::os {

class FileLock {
 public:
  // Never waits; nothing when somebody else holds it. Makes the file when there is none. A link, or anything else that
  // is no plain file, is refused as invalid_input.
  static Result<std::optional<FileLock>> try_acquire(const std::string& path);
  // Waits for whoever holds it. `timeout` and `cancelled` are errors that name the file and, where known, the holder.
  static Result<FileLock> acquire(const std::string& path, Deadline deadline, const CancelToken& cancel);

  // Writes into the file who holds it, for people only: holder_of() reads it. That it may be missing does not matter.
  void sign(const std::string& text);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

// Does somebody hold it? Makes nothing; false also when there is no such file. For an instant of the question itself, try_acquire()
// of others finds it held.
bool is_held(const std::string& path);

// What the last holder wrote with sign(): one line without control characters, at most 200 bytes; empty when it wrote nothing.
// It is only true while the lock is held.
std::string holder_of(const std::string& path);

}  // namespace ka::os

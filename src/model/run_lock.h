// One writer per run directory. The lock goes with the open file (flock), so the kernel frees it when the holder ends
// in whatever way; a lock file that lies around means nothing.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace ka::model {

class RunLock {
 public:
  // Held by somebody else: an `environment` error that names the file and, where known, the process. Waits for nothing but
  // a look of is_held(), which is over in a moment.
  static Result<RunLock> acquire(const std::string& path);
  // Whether a process writes there now. Changes nothing; no file, or one that is no lock, is held by nobody.
  static bool is_held(const std::string& path);

 private:
  explicit RunLock(os::UniqueFd fd) : fd_(std::move(fd)) {}
  os::UniqueFd fd_;
};

}  // namespace ka::model

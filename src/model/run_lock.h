// One writer per run directory. The lock goes with the open file (flock), so the kernel frees it when the holder ends
// in whatever way; a lock file that lies around means nothing.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace ka::model {

class RunLock {
 public:
  // Never waits. Held by somebody else: an `environment` error that names the file and, where known, the process.
  static Result<RunLock> acquire(const std::string& path);

 private:
  explicit RunLock(os::UniqueFd fd) : fd_(std::move(fd)) {}
  os::UniqueFd fd_;
};

}  // namespace ka::model

// One user of a GPU at a time: an exclusive lease, which is a lock on a file per GPU. Measurements need it (two programs on one GPU
// spoil each other's times), and parallel work spreads over the GPUs of a machine by it. The kernel frees the lease of a holder that
// ends in whatever way, kill -9 included. It binds those who ask for it: other programs, and other users, may use the GPU all the same.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "os/file_lock.h"

namespace ka::os {

// "kernelagent-gpu-<uid>" in $XDG_RUNTIME_DIR, or in /tmp where that is not set or no folder of ours. All programs of a user that are to
// see each other must agree about it.
std::string gpu_lease_folder();

class GpuLease {
 public:
  // Never waits; nothing when the GPU is leased to somebody else. `purpose` tells others what it is used for: "kernelagent bench".
  // The folder is made when there is none. One that is a link, belongs to somebody else or may be written by others is an
  // `environment` error: whoever controls it could hold us up, or make us write elsewhere.
  static Result<std::optional<GpuLease>> try_acquire(int gpu, const std::string& purpose, const std::string& folder = gpu_lease_folder());

  // The first of these GPUs that is free; waits until one is. A cancellation ends the wait at once (`cancelled`), a passed deadline is
  // `timeout`; both say who holds which.
  static Result<GpuLease> acquire_any(std::span<const int> gpus, const std::string& purpose, Deadline deadline, const CancelToken& cancel,
                                      const std::string& folder = gpu_lease_folder());

  int gpu() const { return gpu_; }

 private:
  GpuLease(int gpu, FileLock lock) : gpu_(gpu), lock_(std::move(lock)) {}
  int gpu_;
  FileLock lock_;
};

// Who has leased it: "process 1234 (kernelagent bench)"; empty when nobody has. Takes nothing and makes nothing.
std::string gpu_holder(int gpu, const std::string& folder = gpu_lease_folder());

}  // namespace ka::os

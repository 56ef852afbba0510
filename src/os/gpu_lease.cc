#include "os/gpu_lease.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/strings.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::os {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};

std::string lease_path(int gpu, const std::string& folder) { return fmt::format("{}/gpu{}.lock", folder, gpu); }

bool is_own_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

// In /tmp anybody may have made the folder before us. Once it is known to be ours and closed to others, nobody else can replace it there.
Status check_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno_error("cannot make the folder for GPU leases, " + folder, errno);
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0) return errno_error("cannot read " + folder, errno);
  const char* wrong = !S_ISDIR(status.st_mode)                          ? "is no folder"
                      : status.st_uid != ::geteuid()                    ? "belongs to another user"
                      : (status.st_mode & (S_IWGRP | S_IWOTH)) != 0     ? "may be written by others"
                                                                        : nullptr;
  if (wrong != nullptr)
    return environment_error(fmt::format("{} {}, so GPU leases in it mean nothing; remove it, or let XDG_RUNTIME_DIR name a folder of your own", folder, wrong));
  return ok();
}

// A folder, a link or a pipe in place of the lock file is not the user's input but a state of this machine.
Result<std::optional<FileLock>> try_lock(int gpu, const std::string& folder) {
  Result<std::optional<FileLock>> lock = FileLock::try_acquire(lease_path(gpu, folder));
  if (!lock && lock.error().kind == ErrorKind::invalid_input) return environment_error(fmt::format("lease of GPU {}: {}", gpu, lock.error().message));
  return lock;
}

std::string holders(std::span<const int> gpus, const std::string& folder) {
  std::vector<std::string> parts;
  for (const int gpu : gpus) {
    const std::string holder = holder_of(lease_path(gpu, folder));
    parts.push_back(fmt::format("GPU {} by {}", gpu, holder.empty() ? "another process" : holder));
  }
  return join(parts, ", ");
}

}  // namespace

std::string gpu_lease_folder() {
  const std::string runtime = get_env("XDG_RUNTIME_DIR").value_or("");
  const std::string base = runtime.starts_with('/') && is_own_folder(runtime) ? runtime : "/tmp";
  return fmt::format("{}/kernelagent-gpu-{}", base, ::geteuid());
}

Result<std::optional<GpuLease>> GpuLease::try_acquire(int gpu, const std::string& purpose, const std::string& folder) {
  if (gpu < 0) return invalid_input(fmt::format("there is no GPU {}", gpu));
  KA_TRY(check_folder(folder));
  KA_ASSIGN(std::optional<FileLock> lock, try_lock(gpu, folder));
  if (!lock) return std::optional<GpuLease>();
  lock->sign(fmt::format("process {} ({})", ::getpid(), purpose));
  return std::optional<GpuLease>(GpuLease(gpu, std::move(*lock)));
}

Result<GpuLease> GpuLease::acquire_any(std::span<const int> gpus, const std::string& purpose, Deadline deadline, const CancelToken& cancel,
                                       const std::string& folder) {
  if (gpus.empty()) return environment_error("there is no GPU to lease");
  while (true) {
    for (const int gpu : gpus) {
      KA_ASSIGN(std::optional<GpuLease> lease, try_acquire(gpu, purpose, folder));
      if (lease) return std::move(*lease);
    }
    if (deadline.passed()) return timeout_error("no GPU became free: in use are " + holders(gpus, folder));
    KA_ASSIGN(Ready ready, wait_ready(-1, 0, Deadline::earlier(deadline, Deadline::in(kLookEvery)), cancel));
    if (ready == Ready::cancelled) return cancelled_error("interrupted while waiting for a GPU: in use are " + holders(gpus, folder));
  }
}

std::string gpu_holder(int gpu, const std::string& folder) {
  const std::string path = lease_path(gpu, folder);
  if (!is_held(path)) return "";
  const std::string holder = holder_of(path);
  return holder.empty() ? "another process" : holder;
}

}  // namespace ka::os

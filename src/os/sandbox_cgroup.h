// The cgroup of one sandbox: caps memory and processes of a whole tree, and counts the times the cap was hit.
// Version 2 where its memory and pids controllers can be had, else the version-1 controllers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/sandbox.h"

namespace ka::os {

// Folders in which this process may make cgroups with a memory and a pids controller: one (version 2), two
// (version 1), or none, and then `reason` says why. Never outside the cgroup that the caller lives in, whose
// own cap so keeps holding. Removes folders that a killed predecessor left there.
std::vector<std::string> find_cgroup_parents(std::string& reason);

class Cgroup {
 public:
  // Makes the folders and sets the caps. Costs well below 1 ms; one object may serve many runs, one after the
  // other.
  static Result<Cgroup> create(const SandboxSupport& support, const SandboxLimits& limits);

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  // Kills what still lives in it and removes the folders.
  ~Cgroup();

  const std::vector<std::string>& dirs() const { return dirs_; }
  Status set_caps(const SandboxLimits& limits);
  // How many processes the kernel has killed here because the memory cap was reached, since creation.
  std::uint64_t oom_kills() const;

 private:
  explicit Cgroup(std::vector<std::string> dirs) : dirs_(std::move(dirs)) {}
  void remove() noexcept;

  std::vector<std::string> dirs_;
};

}  // namespace ka::os

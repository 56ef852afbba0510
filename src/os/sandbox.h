// The sandbox for foreign code: which protection this machine can give (probe_sandbox), and the policy text
// for one run (sandbox_policy). A run enters it either through run_launcher (sandbox_launch.h, a fresh
// process) or through a fork of a warm interpreter (sandbox_enter.h). docs/sandbox.md says what each level
// promises and what it does not.
//
//   const SandboxSupport& support = probe_sandbox();
//   SandboxRequest request;
//   request.readable = {"/opt/python"};
//   KA_ASSIGN(Cgroup cgroup, Cgroup::create(support, request.limits));     // where support.level is full
//   request.cgroup_dirs = cgroup.dirs();
//   std::string policy = sandbox_policy(request, support);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ka::os {

// Each level includes the ones before it.
enum class SandboxLevel {
  none,      // no protection; foreign code must not run
  process,   // Landlock, seccomp, rlimits, an unprivileged user; the tree is killed by scanning
  isolated,  // namespaces: own root, own process table, no network; the kernel kills the tree
  full,      // a cgroup caps memory and processes of the whole tree
};

const char* to_string(SandboxLevel level);
std::optional<SandboxLevel> sandbox_level(std::string_view name);

struct SandboxLimits {
  std::uint64_t memory_bytes = 8ULL << 30;  // of the tree where the level is full, else of each process
  std::uint64_t processes = 256;            // processes and threads together
  std::uint64_t file_bytes = 4ULL << 30;    // of one file, a memfd included
  std::uint64_t scratch_bytes = 256ULL << 20;
  std::uint64_t cpu_seconds = 600;  // of one process
  std::uint64_t open_files = 1024;
};

struct SandboxRequest {
  SandboxLimits limits;
  std::vector<std::string> readable;  // besides the system's own folders: an interpreter's prefixes
  bool gpu = false;                   // make the NVIDIA device nodes of this machine usable
  std::optional<int> only_gpu = {};   // the one that CUDA shows to its programs, as nvidia-smi counts; nothing: those that it shows to us
  SandboxLevel at_most = SandboxLevel::full;
  std::string scratch_dir;  // an existing folder; only used without namespaces (default /tmp inside)
  std::vector<std::string> cgroup_dirs;  // of a Cgroup; without them the level is at most isolated
};

struct SandboxSupport {
  SandboxLevel level = SandboxLevel::none;
  struct Missing {
    std::string part;    // "cgroup"
    std::string reason;  // "the memory controller is not delegated to this process"
    std::string remedy;  // what a person can do, or empty
  };
  std::vector<Missing> missing;

  int landlock_abi = 0;
  bool user_namespace = false;
  // The user that foreign code runs as; for root another one than the caller.
  uid_t uid = 0;
  gid_t gid = 0;
  // True: only a process that was started through `__launch --nest` (sandbox_launch.h) can fork into
  // namespaces.
  bool needs_nest = false;
  std::vector<std::string> cgroup_parents;  // folders in which Cgroup makes its own
};

// What this machine offers, found by trying every feature in a child process. The first call takes some 20
// ms, the answer is kept. KERNELAGENT_SANDBOX_AT_MOST=none|process|isolated lowers it; `missing` then says
// so.
const SandboxSupport& probe_sandbox();

// Folders that must be readable to run the compilers which a PATH value finds (gcc, cc, clang, ptxas), where
// they lie outside the system folders: for SandboxRequest::readable.
std::vector<std::string> compiler_folders(std::string_view path_variable);

// The level that a policy made from these two will have.
SandboxLevel effective_level(const SandboxRequest& request, const SandboxSupport& support);

// The policy text (sandbox_policy.h). Deterministic, apart from which system folders and GPU nodes exist.
std::string sandbox_policy(const SandboxRequest& request, const SandboxSupport& support);

}  // namespace ka::os

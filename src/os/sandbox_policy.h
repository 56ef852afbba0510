// The policy of one sandbox: a text of one record per line, written by sandbox_policy() (sandbox.h), read
// here by the code that enters the sandbox. Text, so that it can be printed, compared with a golden file,
// logged with a verdict and handed through a pipe. No record is optional to obey: entering fails as a whole
// when one line cannot be made true.
//
//   level full                       the name that is reported; says nothing to the kernel
//   uid 65534 65534                  become this user and group (of the caller's user namespace)
//   namespaces user mount pid net ipc uts cgroup
//   ro /usr                          readable and executable; everything not named does not exist inside
//   proc writable                    files of /proc may be written: CUDA insists on naming its threads
//   dev /dev/null                    a device node that may be opened for reading and writing
//   scratch 268435456 /tmp           the one writable folder: a memory file system of so many bytes.
//                                    0 bytes: an existing folder, used as it is (only without a mount
//                                    namespace)
//   shm 67108864 /dev/shm            the same, for POSIX shared memory
//   limit nproc 256                  an rlimit, soft and hard: core cpu data fsize nofile nproc
//   cgroup /sys/fs/cgroup/x          the child moves here before anything else happens
//   landlock 6                       Landlock with everything that this version of its interface can refuse
//   seccomp base attributes          sets of refused system calls, see sandbox_seccomp.h
//
// This file and the others named sandbox_{policy,mounts,landlock,seccomp,tree,enter} are compiled twice: into
// the program and into libka_sandbox.so, which a Python process loads. So they use nothing but the C++
// library and system calls.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ka::os {

// What went wrong, as a sentence; empty when nothing did.
using Complaint = std::string;

// "what: text of errno"
Complaint failed(const std::string& what);

struct SandboxIds {
  uid_t uid = 0;
  gid_t gid = 0;
};

struct SandboxFolder {
  std::string path;
  std::uint64_t bytes = 0;
};

struct SandboxRlimit {
  int resource = 0;
  std::uint64_t value = 0;
};

struct SandboxPolicy {
  std::string level;
  std::optional<SandboxIds> ids;
  int namespaces = 0;  // CLONE_NEW* flags
  std::vector<std::string> readable;
  std::vector<std::string> devices;
  bool proc_writable = false;
  std::optional<SandboxFolder> scratch;
  std::optional<SandboxFolder> shm;
  std::vector<SandboxRlimit> limits;
  std::vector<std::string> cgroups;
  int landlock = 0;      // 0: none
  unsigned seccomp = 0;  // SeccompSet flags; 0: none
};

// Reads a policy text. An unknown record, a bad number, a relative path or "ro /" is refused.
Complaint parse_policy(std::string_view text, SandboxPolicy& policy);

}  // namespace ka::os

// The system-call filter: everything is allowed but what the chosen sets refuse. A list of refusals and not
// of permissions, because a GPU driver and a compiler must run inside; the namespaces and Landlock stand
// before it.
#pragma once

#include "os/sandbox_policy.h"

namespace ka::os {

enum SeccompSet : unsigned {
  // Always: other processes' memory, namespaces and mounts, kernel modules, clocks, keys, bpf, io_uring,
  // every socket
  // that is not AF_UNIX, disarming the parent-death signal, foreign instruction sets.
  kSeccompBase = 1,
  // Without namespaces: changing mode, owner, times or extended attributes of any file, and limits, priority
  // or
  // processors of any other process. Landlock does not see those.
  kSeccompAttributes = 2,
  // Without a mount namespace: connecting, and sockets that can send without it, since the path of, say, a
  // container
  // daemon's socket is within reach and Landlock does not see it. Connected pairs and listening stay: CUDA
  // listens.
  kSeccompSockets = 4,
  // Without a memory cgroup: memory that RLIMIT_DATA does not count (memfd, System V, shared anonymous
  // mappings).
  kSeccompShared = 8,
};

// Installs the filter for the calling thread, for good. PR_SET_NO_NEW_PRIVS must be set.
Complaint apply_seccomp(unsigned sets);

}  // namespace ka::os

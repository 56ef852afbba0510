// The file tree of a sandbox, built from nothing: a root of its own in which only the policy's paths exist.
#pragma once

#include "os/sandbox_policy.h"

namespace ka::os {

// In a fresh mount namespace of a single-threaded process that may mount and is in its final pid namespace:
// replaces the root by an empty one and puts back, read-only and without set-user-id, what the policy names
// at the same paths.
Complaint build_root(const SandboxPolicy& policy);

}  // namespace ka::os

// Landlock: an allow-list of files for reading and for writing that holds without any namespace and stands
// behind the mount namespace where there is one. Also no TCP, no signals to and no abstract sockets of
// processes outside.
#pragma once

#include "os/sandbox_policy.h"

namespace ka::os {

// Version of the kernel's Landlock interface; 0 or less: not there (errno says why).
int landlock_abi();

// Restricts the calling thread to the files of the policy. PR_SET_NO_NEW_PRIVS must be set.
Complaint apply_landlock(const SandboxPolicy& policy);

}  // namespace ka::os

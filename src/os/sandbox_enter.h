// Entering a sandbox, as a plain C interface: the same code serves our own launcher and, as libka_sandbox.so,
// a Python process that forks a child per request. The order of calls around one fork, with a
// socketpair(AF_UNIX, SOCK_STREAM) made for it (s[0] parent, s[1] child):
//
//   parent   ka_sandbox_before_fork(policy)
//            pid = fork()
//   child      close s[0];  ka_sandbox_close_fds(keep)
//              ka_sandbox_enter(policy, s[1])          0: every line of the policy holds;  -1: _exit at once
//   parent   ka_sandbox_after_fork_parent(policy, pid, s[0])        -1: kill the child
//            close both ends
//
// With a pid namespace the child is its process 1: when it ends, the kernel kills everything it left behind.
// It cannot be ended by a signal that it does not handle, except SIGKILL and SIGSTOP from outside; abort() in
// it ends as SIGSEGV. The child is killed when the THREAD that forked it ends.
//
// Every function returns 0, or -1 with a sentence in error[0..size). The policy is text, see
// sandbox_policy.h. The environment of the parent and its open descriptors are the caller's business: both
// must hold no secret.
#pragma once

#include <stddef.h>

#define KA_SANDBOX_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

// Before the fork: asks for a pid namespace for the next child, or (without one) makes this process the one
// that inherits orphaned descendants, so that ka_sandbox_kill_strays can find them.
KA_SANDBOX_API int ka_sandbox_before_fork(const char* policy, char* error, size_t size);

// After the fork, in the parent: takes back what before_fork asked for and lets the child go on. child_pid <
// 0 (the fork failed): only takes back. Waits at most 5 s for the child.
KA_SANDBOX_API int ka_sandbox_after_fork_parent(const char* policy, int child_pid, int sync_fd, char* error,
                                                size_t size);

// The second half of that alone, for a parent that forks only once.
KA_SANDBOX_API int ka_sandbox_release_child(const char* policy, int sync_fd, char* error, size_t size);

// After the fork, in the child, which must have one thread: makes the policy true, for good. Refuses when a
// descriptor is open that would lead outside: a folder, an O_PATH descriptor, a socket that is not AF_UNIX, a
// device that the policy does not name. The working folder is then the scratch folder.
KA_SANDBOX_API int ka_sandbox_enter(const char* policy, int sync_fd, char* error, size_t size);

// Closes every descriptor above 2 that is not in keep[0..count).
KA_SANDBOX_API int ka_sandbox_close_fds(const int* keep, int count);

// Without a pid namespace: kills and reaps every descendant of this process that is neither in live[0..count)
// nor below one of those. Returns how many were killed, or -1 when some still lived after 5 s.
KA_SANDBOX_API int ka_sandbox_kill_strays(const int* live, int count);

#ifdef __cplusplus
}
#endif

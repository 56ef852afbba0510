# Memory and descriptors of other processes.
PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE = 0, 16, 0x4206
buffer = ctypes.create_string_buffer(64)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 64)
attempt("traceme", lambda: call(101, PTRACE_TRACEME, 0, 0, 0))
for pid in other_pids() + [os.getppid()]:
    attempt(f"attach {pid}", lambda: call(101, PTRACE_ATTACH, pid, 0, 0))
    attempt(f"seize {pid}", lambda: call(101, PTRACE_SEIZE, pid, 0, 0))
    attempt(f"process_vm_readv {pid}", lambda: call(310, pid, vector, 1, vector, 1, 0))
    attempt(f"process_vm_writev {pid}", lambda: call(311, pid, vector, 1, vector, 1, 0))
attempt("pidfd_getfd", lambda: call(438, os.pidfd_open(os.getpid()), 0, 0))
attempt("process_madvise", lambda: call(440, os.pidfd_open(os.getpid()), vector, 1, 4, 0))
for pid in WORLD["pids"]:
    attempt(f"limits of {pid}", lambda: call(302, pid, 7, 0, buffer))
    attempt(f"priority of {pid}", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt(f"affinity of {pid}", lambda: os.sched_setaffinity(pid, {0}))
finish()

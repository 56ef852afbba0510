# New namespaces would bring new capabilities; old ones would lead outside.
FLAGS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000, "uts": 0x4000000,
         "cgroup": 0x2000000, "time": 0x80}
for name, flag in FLAGS.items():
    attempt(f"unshare {name}", lambda: call(272, flag))
    if name != "time":  # there the bit means something else
        attempt(f"clone {name}", lambda: call(56, flag | signal.SIGCHLD, 0, 0, 0, 0))
CLONE_PARENT = 0x8000
attempt("clone parent", lambda: call(56, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0))
arguments = (ctypes.c_uint64 * 11)(FLAGS["user"], 0, 0, 0, signal.SIGCHLD)
attempt("clone3", lambda: call(435, arguments, 88))
for name in ("user", "mnt", "pid", "net"):
    attempt(f"setns {name}", lambda: call(308, os.open(f"/proc/self/ns/{name}", os.O_RDONLY), 0))
finish()

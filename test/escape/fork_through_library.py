"""Loads the sandbox library from a memory file, as the warm interpreter does, and forks three children through it.

usage: fork_through_library.py LIBRARY POLICY
"""
import ctypes
import os
import socket
import sys


def load(path: str) -> ctypes.CDLL:
    fd = os.memfd_create("ka_sandbox", os.MFD_CLOEXEC)
    with open(path, "rb") as library:
        os.write(fd, library.read())
    return ctypes.CDLL(f"/proc/self/fd/{fd}")


def child(lib: ctypes.CDLL, policy: bytes, sync: int, error: ctypes.Array) -> None:
    keep = (ctypes.c_int * 1)(sync)
    lib.ka_sandbox_close_fds(keep, 1)
    if lib.ka_sandbox_enter(policy, sync, error, len(error)) != 0:
        print("refused:", error.value.decode(), flush=True)
        os._exit(1)
    home = "open" if os.path.exists("/root") or os.path.exists("/home") else "closed"
    print(f"pid {os.getpid()} uid {os.getuid()} home {home} scratch {os.getcwd()}", flush=True)
    os._exit(0)


def main() -> None:
    lib = load(sys.argv[1])
    policy = sys.argv[2].encode()
    error = ctypes.create_string_buffer(512)
    for _ in range(3):
        ours, theirs = socket.socketpair()
        if lib.ka_sandbox_before_fork(policy, error, len(error)) != 0:
            sys.exit(f"before the fork: {error.value.decode()}")
        pid = os.fork()
        if pid == 0:
            ours.close()
            child(lib, policy, theirs.fileno(), error)
        theirs.close()
        if lib.ka_sandbox_after_fork_parent(policy, pid, ours.fileno(), error, len(error)) != 0:
            sys.exit(f"after the fork: {error.value.decode()}")
        ours.close()
        os.waitpid(pid, 0)


main()

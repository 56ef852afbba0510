"""The warm interpreter: imports torch and triton once, then forks a child per request.

It never executes foreign code and never touches CUDA. A child enters the sandbox first and only then hands over to
the module that the request names. One JSON object per packet on the control socket; see docs/bridge.md.
"""

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import site
import socket
import sys
import sysconfig
import time
from typing import Any

from ka_bridge.conn import Conn
from ka_bridge.preload import PRELOAD, preload

MESSAGE_BYTES = 512
REQUIRED = ("numpy", "torch", "triton")
SERVED = ("ka_bridge.reference", "ka_bridge.policy", "ka_bridge.candidate", "ka_bridge.compile_check", "ka_bridge.interp",
          "ka_bridge.script_test")


class Sandbox:
    """The native sandbox code, loaded from the memory file that the program handed over."""

    def __init__(self, library_fd: int):
        library = ctypes.PyDLL(f"/proc/self/fd/{library_fd}")
        self._before = library.ka_sandbox_before_fork
        self._parent = library.ka_sandbox_after_fork_parent
        self._enter = library.ka_sandbox_enter
        self._close_fds = library.ka_sandbox_close_fds
        self._kill_strays = library.ka_sandbox_kill_strays
        self._message = ctypes.create_string_buffer(MESSAGE_BYTES)

    def _check(self, status: int) -> None:
        if status != 0:
            raise OSError(self._message.value.decode("utf-8", "replace") or "the sandbox could not be entered")

    def before_fork(self, policy: bytes) -> None:
        self._check(self._before(policy, self._message, ctypes.c_size_t(MESSAGE_BYTES)))

    def after_fork_parent(self, policy: bytes, pid: int, sync_fd: int) -> None:
        self._check(self._parent(policy, pid, sync_fd, self._message, ctypes.c_size_t(MESSAGE_BYTES)))

    def close_fds(self, keep: list[int]) -> None:
        self._close_fds((ctypes.c_int * len(keep))(*keep), len(keep))

    def kill_strays(self, live: list[int]) -> None:
        self._kill_strays((ctypes.c_int * len(live))(*live), len(live))

    def enter(self, policy: bytes, sync_fd: int) -> None:
        self._check(self._enter(policy, sync_fd, self._message, ctypes.c_size_t(MESSAGE_BYTES)))


class Server:
    def __init__(self, control: socket.socket, sandbox: Sandbox):
        self.control = control
        self.sandbox = sandbox
        self.children: dict[int, tuple[int, int]] = {}  # pidfd -> (pid, request id)
        self.strays = False  # whether a child could leave processes behind: no pid namespace to end them

    def send(self, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
        socket.send_fds(self.control, [json.dumps(message).encode()], list(fds))

    def run(self) -> None:
        while True:
            ready, _, _ = select.select([self.control, *self.children], [], [])
            for source in ready:
                if source is not self.control:
                    self.reap(source)
            if self.control in ready and not self.serve_request():
                return

    def serve_request(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self.control, 256 * 1024, 4)
        if not data:
            return False
        request = json.loads(data)
        try:
            self.spawn(request, fds)
        except (OSError, ImportError) as error:
            self.send({"event": "failed", "id": request["id"], "message": str(error)})
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def spawn(self, request: dict[str, Any], fds: list[int]) -> None:
        importlib.import_module(f"ka_bridge.{request['module']}")  # imported once, here, not in every child
        policy = request["policy"].encode()
        ours, theirs = socket.socketpair()
        try:
            self.sandbox.before_fork(policy)
            try:
                pid = os.fork()
            except OSError:
                self.sandbox.after_fork_parent(policy, -1, -1)
                raise
            if pid == 0:
                self.child(request, policy, fds, theirs)  # does not return
            theirs.close()
            pidfd = os.pidfd_open(pid)
            self.children[pidfd] = (pid, request["id"])
            self.strays = self.strays or b" pid " not in policy.replace(b"\n", b" ")
            try:
                self.sandbox.after_fork_parent(policy, pid, ours.fileno())
            except OSError:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                raise
            self.send({"event": "started", "id": request["id"], "pid": pid}, (pidfd,))
        finally:
            ours.close()

    def child(self, request, policy, fds, theirs) -> None:
        status = 70
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            conversation, output = fds[:2]
            null = os.open("/dev/null", os.O_RDONLY)
            os.dup2(null, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            self.sandbox.close_fds([conversation, theirs.fileno()])
            os.environ.clear()
            os.environ.update(request["env"])
            self.sandbox.enter(policy, theirs.fileno())
            theirs.close()
            os.chdir(request["env"].get("TMPDIR", "/"))
            module = importlib.import_module(f"ka_bridge.{request['module']}")
            module.main(Conn(conversation))
            status = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace")[:4096])
        finally:
            os._exit(status)

    def reap(self, pidfd: int) -> None:
        pid, request_id = self.children.pop(pidfd)
        os.close(pidfd)
        _, status, usage = os.wait4(pid, 0)
        if self.strays:
            self.sandbox.kill_strays([other for other, _ in self.children.values()])
        self.send(
            {
                "event": "exit",
                "id": request_id,
                "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
                "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                "max_rss_kib": usage.ru_maxrss,
                "cpu_s": usage.ru_utime + usage.ru_stime,
            }
        )

    def kill_all(self) -> None:
        for pidfd in self.children:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def readable_prefixes() -> list[str]:
    paths = {sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), os.path.dirname(os.path.realpath(sys.executable))}
    paths.update(site.getsitepackages())
    for name in ("torch", "triton", "numpy"):
        paths.update(os.path.dirname(os.path.realpath(path)) for path in sys.modules[name].__path__)
    return sorted(path for path in paths if path and os.path.isdir(path))


def serve(control_fd: int, library_fd: int) -> None:
    begin = time.monotonic()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=control_fd)
    os.set_inheritable(control_fd, False)
    gc.disable()  # what is imported stays: looking for garbage among it takes a fifth of the time
    preload(PRELOAD)
    for name in REQUIRED + SERVED:
        try:
            importlib.import_module(name)
        except Exception as error:
            control.send(json.dumps({"event": "unusable", "message": f"cannot import {name}: {error}"}).encode())
            return
    importlib.import_module("ka_bridge.interp").prepare()
    numpy, torch, triton = (sys.modules[name] for name in REQUIRED)
    server = Server(control, Sandbox(library_fd))
    os.close(library_fd)
    importlib.import_module("ka_bridge.warm_up").run()
    gc.freeze()  # without a collection before, which takes a tenth of the start: what the imports left is little
    gc.enable()
    try:
        server.send(
            {
                "event": "ready",
                "python": sys.version.split()[0],
                "torch": torch.__version__,
                "triton": triton.__version__,
                "numpy": numpy.__version__,
                "seconds": time.monotonic() - begin,
                "threads": len(os.listdir("/proc/self/task")),
                "prefixes": readable_prefixes(),
            }
        )
        server.run()
    except ConnectionError:
        pass  # the program has ended; nobody is left to be told
    finally:
        server.kill_all()

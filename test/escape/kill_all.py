# Signal everybody: all at once, the parent, and a process of the same user outside.
def kill_all() -> None:
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        os.kill(-1, signal.SIGKILL)  # may rightly reach our own child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


try:
    kill_all()
except OSError as error:
    print("kill -1:", error.strerror)
for pid in other_pids():
    for number in (0, signal.SIGTERM, signal.SIGSTOP):
        attempt(f"signal {int(number)} to {pid}", lambda: os.kill(pid, number))
    if pid != 1:  # that would be the call above
        attempt(f"group {pid}", lambda: os.killpg(pid, signal.SIGTERM))
finish()

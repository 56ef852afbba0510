# A key in the environment of the program outside: ours, our parent's, anyone's.
needle = WORLD["needle"].encode()


def peek(path: str) -> bytes:
    content = read(path)
    if not content:  # a kernel thread: nothing to see
        raise OSError(61, "empty")
    return content


def peek_names(path: str) -> list[str]:
    names = os.listdir(path)
    if not names:
        raise OSError(61, "empty")
    return names


if any(needle in value.encode() for value in os.environ.values()):
    escapes.append("the key is in our environment")
if needle in read("/proc/self/environ"):
    escapes.append("the key is in /proc/self/environ")
for pid in other_pids():
    for name in ("environ", "maps", "auxv", "stack", "io"):
        attempt(f"/proc/{pid}/{name}", lambda: peek(f"/proc/{pid}/{name}"))
    attempt(f"/proc/{pid}/map_files", lambda: peek_names(f"/proc/{pid}/map_files"))
    for name in ("mem", "root", "cwd/.", "fd/0"):
        attempt(f"/proc/{pid}/{name}", lambda: os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
finish()

# 64 GiB that is no private memory: memory files, shared anonymous mappings, System V segments. Fails or is killed.
import mmap

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
block = bytes(16 << 20)
total = 0


def by_memory_files() -> None:
    global total
    fd = os.memfd_create("x")
    for _ in range(16):
        total += os.write(fd, block)


def by_mapping() -> None:
    global total
    held.append(mmap.mmap(-1, 256 << 20))
    for offset in range(0, 256 << 20, 4096):
        held[-1][offset] = 1
    total += 256 << 20


def by_segments() -> None:
    call(29, 0, 1 << 20, 0o1600)  # shmget
    raise OSError(28, "a segment was made; not filled")


held: list[mmap.mmap] = []
for way in (by_memory_files, by_mapping, by_segments):
    try:
        while total < WORLD["memory_bytes"] * 4:
            way()
    except (OSError, MemoryError) as error:
        print(way.__name__, total, error)
if total >= WORLD["memory_bytes"]:
    escapes.append(f"{total} bytes of shared memory")
finish()

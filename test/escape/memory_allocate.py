# 64 GiB of private memory, touched. Ends in MemoryError or is killed.
held = []
try:
    for _ in range(1024):
        held.append(bytearray(b"\1") * (64 << 20))
except MemoryError:
    print("MemoryError after", len(held) * 64, "MiB")
    held.clear()
    finish()
escapes.append("64 GiB of memory")
finish()

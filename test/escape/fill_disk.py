# Fill every place that can be written to.
def fill(folder: str) -> int:
    total = 0
    block = bytes(1 << 20)
    for number in range(64):
        try:
            with open(f"{folder}/fill{number}", "wb", buffering=0) as file:
                while total < 2 * WORLD["disk_bytes"]:
                    total += file.write(block)
        except OSError as error:
            print(folder, number, total, error.strerror)
        if total >= 2 * WORLD["disk_bytes"]:
            break
    return total


signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for place in (os.getcwd(), "/dev/shm", "/var/tmp", "/run"):
    if fill(place) > WORLD["disk_bytes"]:
        escapes.append(f"{place} takes more than {WORLD['disk_bytes']} bytes")
many = 0
try:
    while many <= WORLD["disk_files"]:
        os.close(os.open(f"empty{many}", os.O_CREAT | os.O_WRONLY))
        many += 1
except OSError as error:
    print("files", many, error.strerror)
if 0 <= WORLD["disk_files"] < many:
    escapes.append(f"{many} files")
finish()

# Writing anywhere but in the scratch folder.
name = WORLD["needle"]
places = ["/", "/etc", "/usr", "/usr/local/bin", "/root", "/home", "/var", "/var/tmp", "/run", "/dev", "/proc", "/sys", "/opt", "/mnt"]
for place in places + WORLD["folders"]:
    attempt(place, lambda: write(f"{place}/{name}"))
    attempt(f"mkdir {place}", lambda: os.mkdir(f"{place}/{name}"))
for path in ("/etc/passwd", "/usr/bin/env", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/sys/power/state", WORLD["own_file"]):
    attempt(path, lambda: write(path))
    attempt(f"unlink {path}", lambda: os.unlink(path))
    attempt(f"truncate {path}", lambda: os.truncate(path, 0))
write("scratch_is_writable")
with open("/dev/null", "wb") as null:
    null.write(b"x")
finish()

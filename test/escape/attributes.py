# Mode, owner, times and extended attributes of a file outside that belongs to the sandbox's own user.
path = WORLD["own_file"]
attempt("chmod", lambda: os.chmod(path, 0o777))
attempt("chown", lambda: os.chown(path, -1, os.getgid()))
attempt("utime", lambda: os.utime(path, (1, 1)))
attempt("setxattr", lambda: os.setxattr(path, "user.x", b"1"))
attempt("truncate", lambda: os.truncate(path, 0))
attempt("fchmod", lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o777))
for place in ("/usr/bin", "/etc/passwd", "/sys/kernel", "/proc/self/comm"):
    attempt(f"chmod {place}", lambda: os.chmod(place, 0o777))
finish()

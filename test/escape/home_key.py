# A key file in the home folder, in a project folder, and the machine's password file, by every way to name them.
for path in WORLD["keys"] + ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/environment", "/etc/ssh"]:
    ways = [path, f"/proc/self/root{path}", f"/proc/self/cwd/../../../..{path}"]
    ways += [f"/proc/{pid}/root{path}" for pid in [1, os.getppid()] + WORLD["pids"]]
    for way in ways:
        attempt(way, lambda: os.open(way, os.O_RDONLY))
    attempt(f"list the folder of {path}", lambda: os.listdir(os.path.dirname(path)) if path in WORLD["keys"] else read(path))
for folder in ("/", "/root", "/home", "/run", "/var/tmp", "/mnt", "/srv", "/boot", "/var/lib", "/var/log"):
    attempt(f"list {folder}", lambda: os.listdir(folder))
finish()

# Raw disks, memory, the kernel log, a terminal; and making one's own node for them.
for name in ("vda", "sda", "nvme0n1", "loop0", "mem", "kmsg", "tty", "ptmx", "fuse", "kvm", "net/tun", "userfaultfd", "vsock"):
    attempt(f"/dev/{name}", lambda: os.open(f"/dev/{name}", os.O_RDONLY))
attempt("mknod disk", lambda: os.mknod("disk", 0o60600, os.makedev(254, 0)))
attempt("mknod memory", lambda: os.mknod("memory", 0o20600, os.makedev(1, 1)))
finish()

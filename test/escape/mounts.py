# Changing the tree: new mounts, writable remounts, other roots.
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 32, 4096, 16384, 1 << 18, 2
attempt("mount tmpfs", lambda: call(165, b"tmpfs", b"/tmp", b"tmpfs", 0, 0))
attempt("bind", lambda: call(165, b"/usr", b"/tmp", 0, MS_BIND, 0))
for place in (b"/", b"/usr", b"/proc", b"/sys"):
    attempt(f"remount {place!r}", lambda: call(165, b"none", place, 0, MS_REMOUNT | MS_BIND, 0))
    attempt(f"umount {place!r}", lambda: call(166, place, MNT_DETACH))
attempt("mount private", lambda: call(165, 0, b"/", 0, MS_REC | MS_PRIVATE, 0))
attempt("pivot_root", lambda: call(155, b".", b"."))
attempt("chroot", lambda: call(161, b"."))
attempt("open_tree", lambda: call(428, -100, b"/", 1))
attempt("move_mount", lambda: call(429, -100, b"/tmp", -100, b"/usr", 0))
attempt("fsopen", lambda: call(430, b"tmpfs", 0))
attempt("fspick", lambda: call(433, -100, b"/", 0))
attempt("mount_setattr", lambda: call(442, -100, b"/", 0, ctypes.create_string_buffer(32), 32))
attempt("open_tree_attr", lambda: call(467, -100, b"/", 1, 0, 0))
finish()

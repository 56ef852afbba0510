# System calls that have been a way into the kernel, or that act on the whole machine.
buffer = ctypes.create_string_buffer(4096)
CALLS = {
    "io_uring_setup": (425, 8, buffer), "bpf": (321, 0, buffer, 120), "perf_event_open": (298, buffer, 0, -1, -1, 0),
    "userfaultfd": (323, 0), "keyctl": (250, 0, -3, 0), "add_key": (248, b"user", b"a", b"b", 1, -3),
    "open_by_handle_at": (304, -100, buffer, 0), "name_to_handle_at": (303, -100, b"/usr", buffer, buffer, 0),
    "memfd_secret": (447, 0), "kexec_load": (246, 0, 0, 0, 0), "init_module": (175, buffer, 16, b""), "reboot": (169, 0, 0, 0, 0),
    "swapon": (167, b"/x", 0), "acct": (163, b"/tmp/x"), "syslog": (103, 3, buffer, 100), "iopl": (172, 3), "ioperm": (173, 0, 1, 1),
    "settimeofday": (164, buffer, 0), "clock_settime": (227, 0, buffer), "adjtimex": (159, buffer), "sethostname": (170, b"x", 1),
    "fanotify_init": (300, 0, 0), "quotactl": (179, 0, b"/", 0, buffer), "personality by x32": (0x40000000 + 135, 0),
    "getpid by x32": (0x40000000 + 39,), "kcmp": (312, 1, 1, 0, 0, 0), "modify_ldt": (154, 0, buffer, 16), "vhangup": (153,),
}
for name, arguments in CALLS.items():
    attempt(name, lambda: call(*arguments))
finish()

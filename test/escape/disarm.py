# Making oneself survive the parent, raising limits, gaining privileges.
import resource

PR_SET_PDEATHSIG = 1
attempt("prctl pdeathsig", lambda: call(157, PR_SET_PDEATHSIG, 0, 0, 0, 0))
for name in ("NPROC", "DATA", "FSIZE", "CPU", "NOFILE", "CORE"):
    which = getattr(resource, f"RLIMIT_{name}")

    def raise_limit() -> str:
        try:
            resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (ValueError, PermissionError) as error:
            raise OSError(1, str(error)) from None
        return name

    attempt(f"raise {name}", raise_limit)
attempt("setuid 0", lambda: os.setuid(0))
attempt("setgid 0", lambda: os.setgid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("nice -5", lambda: os.nice(-5))
attempt("oom score", lambda: write("/proc/self/oom_score_adj"))
if "NoNewPrivs:\t1" not in read("/proc/self/status").decode():
    escapes.append("new privileges are possible")
finish()

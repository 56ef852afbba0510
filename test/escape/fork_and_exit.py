# Always another process: each one forks its successor and exits. The first one stays until the deadline.
if os.fork() == 0:
    while True:
        try:
            if os.fork() != 0:
                os._exit(0)
        except OSError:
            time.sleep(0.001)
        os.setsid()
while True:
    time.sleep(1)

# A daemon: double fork, new session, all signals ignored, the first process ends well.
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.close(1)
        os.close(2)
        time.sleep(1000)
    os._exit(0)
os.wait()
print("contained")
sys.stdout.flush()
os._exit(0)

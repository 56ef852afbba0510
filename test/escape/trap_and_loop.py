# Ignores every signal and computes for ever. Must end at the deadline.
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signal.signal(number, signal.SIG_IGN)
print("looping")
sys.stdout.flush()
while True:
    pass

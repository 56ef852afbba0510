# Fifty sleeping children, and as many threads.
import threading

started = 0
for _ in range(50):
    try:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
        started += 1
    except OSError as error:
        print("fork:", error.strerror)
        break
if started >= WORLD["processes"]:
    escapes.append(f"{started} processes")
try:
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        started += 1
except RuntimeError as error:
    print("thread:", error)
if started >= WORLD["processes"]:
    escapes.append(f"{started} processes and threads")
finish()

# The 32-bit system calls of the same processor, which a filter for the 64-bit ones does not see. Must end by SIGSYS.
import mmap

code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # eax = getpid; int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print("calling")
sys.stdout.flush()
escapes.append(f"getpid by int 0x80 gave {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
finish()

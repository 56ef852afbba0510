# As many descriptors as one can get, in as many processes as one can get.
opened = 0
try:
    while opened < 100000:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError as error:
    print(opened, error.strerror)
if opened >= WORLD["open_files"]:
    escapes.append(f"{opened} descriptors")
finish()

# First code that the warm interpreter runs, given to it as text (`python -c`): it reads the other scripts from a
# memory file and makes them importable as the package ka_bridge, so that nothing has to be installed or unpacked.
import importlib.abc
import importlib.util
import json
import linecache
import os
import sys


class BridgeImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "ka_bridge":
            return importlib.util.spec_from_loader(fullname, self, is_package=True)
        if fullname.startswith("ka_bridge.") and fullname[len("ka_bridge.") :] in self.sources:
            return importlib.util.spec_from_loader(fullname, self)
        return None

    def exec_module(self, module):
        source = self.sources.get(module.__name__.partition(".")[2] or "__init__", "")
        filename = f"<{module.__name__}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        exec(compile(source, filename, "exec"), module.__dict__)


def start():
    control_fd, sources_fd, library_fd = (int(text) for text in sys.argv[1:4])
    size = os.fstat(sources_fd).st_size
    sources = json.loads(os.pread(sources_fd, size, 0))
    os.close(sources_fd)
    sys.path[:] = [entry for entry in sys.path if entry]
    sys.argv[:] = ["kernelagent"]
    sys.meta_path.insert(0, BridgeImporter(sources))
    from ka_bridge import server

    server.serve(control_fd, library_fd)


start()

"""A headless Chromium, driven by its debugging protocol over two pipes: no driver program, no port, no package but the browser.

Everything that the page asks the network for and everything that it complains about is kept.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import program

LIMIT_S = 60
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--remote-debugging-pipe", "--window-size=1280,900", "about:blank")


def why_missing() -> str:
    """Empty when there is a browser; else the reason for which the tests that need one are skipped."""
    if shutil.which("chromium"):
        return ""
    note = program.ROOT / "build" / "test_packages.txt"
    return f"there is no chromium: {note.read_text().strip() if note.exists() else './run_tests installs it, as root on Debian'}"


class Browser:
    """`with Browser() as browser: browser.open(path)`."""

    def __enter__(self) -> Browser:
        self._profile = tempfile.TemporaryDirectory(prefix="kernelagent_browser_", ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def connect() -> None:  # the browser reads from 3 and writes to 4
            high = [os.dup(to_browser), os.dup(from_browser)]
            for number, fd in ((3, high[0]), (4, high[1])):
                os.dup2(fd, number, inheritable=True)

        self._process = subprocess.Popen(["chromium", *FLAGS, f"--user-data-dir={self._profile.name}"], preexec_fn=connect, close_fds=False,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._next, self._session = b"", 0, ""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path: Path) -> None:
        """Loads the page and waits until nothing more happens."""
        self.requests, self.complaints, self._loaded = [], [], False
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._receive()
        time.sleep(0.3)  # what a script or a picture would ask for comes after the load
        self.evaluate("1")

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": text} if text and kind == "keyDown" else {}))

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + LIMIT_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self._read, 1 << 16) if ready else b""
            if not piece:
                raise RuntimeError(f"the browser does not answer (its exit code: {self._process.poll()})")
            self._buffer += piece
        line, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(line)
        self._keep(message.get("method", ""), message.get("params", {}))
        return message

    def _keep(self, method: str, what: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Log.entryAdded":
            self.complaints.append(f"{what['entry']['level']}: {what['entry']['text']}")
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.complaints.append(json.dumps(what)[:400])
        elif method == "Page.loadEventFired":
            self._loaded = True

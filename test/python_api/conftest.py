"""Tests of the Python package: no GPU, no network; a fake stands for language models. Each runs in a folder of its own, with the package of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "system")]
os.environ["PYTHONPATH"] = str(ROOT / "python")
os.environ.setdefault("KERNELAGENT_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
# Nothing of the user's may decide a test.
for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_MODEL", "NUM_KERNEL_SEEDS", "MAX_REFINEMENT_ROUNDS", "LOG_LEVEL"):
    os.environ.pop(name, None)

# A program whose loading takes longer than any test waits.
SLOW = "import time\nimport torch\n\ntime.sleep(300)\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
PROBLEM = ROOT / "test" / "problems" / "relu.py"
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def start_python(text: str) -> subprocess.Popen[str]:
    """Another interpreter, with the package, in the current folder. Ctrl-C reaches it also where a shell has started the tests in the background and so ignores it."""
    listens = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    return subprocess.Popen([sys.executable, "-u", "-c", listens + text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

"""The wheel in a virtual environment of its own: nothing of the checkout is needed any more, and the console script is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROBLEM, ROOT

PYTHON = os.environ["KERNELAGENT_PYTHON"]  # the one that has torch
SCRIPT = """
import importlib.metadata, kernelagent, Fuser.auto_agent, triton_kernel_agent
print(importlib.metadata.version("kernelagent"), kernelagent.__file__, kernelagent.program())
print(kernelagent.auto({problem!r}, no_verify=True)["success"])
"""


def call(*words: str | Path, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("KERNELAGENT_", "PYTHON", "PIP_"))}
    done = subprocess.run([str(word) for word in words], env={**clean, **environment}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def site_packages(python: str | Path) -> str:
    return call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    call(PYTHON, "-m", "venv", "--without-pip", tmp_path / "venv")
    return tmp_path / "venv"


def test_wheel_in_a_fresh_environment(tmp_path: Path, venv: Path) -> None:
    wheel = call(sys.executable, ROOT / "tools" / "python_package.py", "build", tmp_path / "dist", KERNELAGENT_PRESET=os.environ.get("KERNELAGENT_PRESET", "release")).strip()
    # One build gives the same bytes each time.
    again = call(sys.executable, ROOT / "tools" / "python_package.py", "build", tmp_path / "again", KERNELAGENT_PRESET=os.environ.get("KERNELAGENT_PRESET", "release")).strip()
    assert Path(wheel).read_bytes() == Path(again).read_bytes()
    python = venv / "bin" / "python"
    call(PYTHON, "-m", "pip", "--disable-pip-version-check", "--python", python, "install", "--no-index", "--no-deps", wheel)
    Path(site_packages(python), "torch_of_another.pth").write_text(site_packages(PYTHON) + "\n")
    out = call(python, "-c", SCRIPT.format(problem=str(PROBLEM))).splitlines()
    version, package, program = out[0].split()
    assert str(venv) in package and str(venv) in program
    assert out[1] == "True"
    assert call(venv / "bin" / "kernelagent", "--version") == f"kernelagent {version}\n"


def test_link_of_a_checkout(venv: Path) -> None:
    link = (sys.executable, ROOT / "tools" / "python_package.py", "link")
    for _ in range(2):
        call(*link, venv / "bin" / "python")
    out = call(venv / "bin" / "python", "-c", "import kernelagent; print(kernelagent.__file__)")
    assert out.strip() == str(ROOT / "python" / "kernelagent" / "__init__.py")
    assert call(venv / "bin" / "kernelagent", "--version").startswith("kernelagent ")
    refused = subprocess.run([*map(str, link), "/usr/bin/python3"], capture_output=True, text=True)
    assert refused.returncode == 1 and "virtual environment" in refused.stderr

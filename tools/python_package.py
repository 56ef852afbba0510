#!/usr/bin/env python3
"""Builds and installs the Python package. A build backend for pip (`pip install .`, `pip install -e .`, `pip wheel .`), and two commands:

tools/python_package.py build [FOLDER]   a wheel with the library and the program of build/$KERNELAGENT_PRESET (default: release; `portable` travels)
tools/python_package.py link PYTHON      lets that interpreter find the package of this checkout; does nothing when it does already

Standard library only, so that it works on a machine without a registry.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRESET = os.environ.get("KERNELAGENT_PRESET", "release")
PACKAGES = ("kernelagent", "triton_kernel_agent", "Fuser")
NATIVE = ("kernelagent", "libkernelagent.so")
TARGETS = ("kernelagent", "kernelagent_so")
# Where an interpreter is, and where its packages and programs go.
ASK = "import sys, sysconfig; print(sys.prefix, sys.base_prefix, sysconfig.get_path('purelib'), sysconfig.get_path('scripts'), sep='\\n')"
SCRIPT = """#!{python}
import sys

from kernelagent.__main__ import main

sys.exit(main())
"""


def version() -> str:
    found = re.search(r"project\(kernelagent VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        raise SystemExit("CMakeLists.txt does not say the version")
    return found.group(1)


def metadata() -> str:
    needs = re.search(r"^dependencies = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    lines = ["Metadata-Version: 2.1", "Name: kernelagent", f"Version: {version()}", "Summary: Turns PyTorch programs into verified Triton kernels",
             "License: Apache-2.0", "Requires-Python: >=3.10", *(f"Requires-Dist: {need}" for need in re.findall(r'"([^"]+)"', needs.group(1) if needs else ""))]
    return "\n".join(lines) + "\n"


def dist_info() -> str:
    return f"kernelagent-{version()}.dist-info"


def described(tag: str) -> dict[str, bytes]:
    """The files that say what the wheel is."""
    pure = "true" if tag.endswith("any") else "false"
    return {
        f"{dist_info()}/METADATA": metadata().encode(),
        f"{dist_info()}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kernelagent\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode(),
        f"{dist_info()}/entry_points.txt": b"[console_scripts]\nkernelagent = kernelagent.__main__:main\n",
        f"{dist_info()}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def sources() -> dict[str, bytes]:
    files = (path for package in PACKAGES for path in sorted((ROOT / "python" / package).rglob("*")))
    return {str(path.relative_to(ROOT / "python")): path.read_bytes() for path in files if path.is_file() and path.suffix != ".pyc" and "_native" not in path.parts}


def native() -> dict[str, bytes]:
    folder = ROOT / "build" / PRESET
    if not (folder / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", PRESET], cwd=ROOT, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", "--preset", PRESET, "--target", *TARGETS], cwd=ROOT, check=True, stdout=sys.stderr)
    return {f"kernelagent/_native/{name}": (folder / "src" / "app" / name).read_bytes() for name in NATIVE}


def hash_of(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def record(files: dict[str, bytes]) -> bytes:
    lines = [f"{name},{hash_of(content)},{len(content)}" for name, content in files.items()]
    return ("\n".join([*lines, f"{dist_info()}/RECORD,,"]) + "\n").encode()


def write_wheel(folder: str | Path, files: dict[str, bytes], tag: str) -> str:
    """The same bytes for the same files: no times are kept."""
    name = f"kernelagent-{version()}-{tag}.whl"
    Path(folder).mkdir(parents=True, exist_ok=True)
    all_files = {**files, **described(tag)}
    all_files[f"{dist_info()}/RECORD"] = record(all_files)
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in all_files.items():
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/_native/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


# What pip asks a build backend for.


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return write_wheel(wheel_directory, {**sources(), **native()}, f"py3-none-{platform}")


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    native()
    return write_wheel(wheel_directory, {"kernelagent.pth": f"{ROOT / 'python'}\n".encode()}, "py3-none-any")


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    name = f"kernelagent-{version()}"
    subprocess.run(["git", "archive", "--format=tar.gz", f"--prefix={name}/", "-o", str(Path(sdist_directory).resolve() / f"{name}.tar.gz"), "HEAD"], cwd=ROOT, check=True)
    return f"{name}.tar.gz"


def link(python: str) -> None:
    """What `pip install -e .` would do, in a few milliseconds. A package that pip has installed is left alone."""
    asked = subprocess.run([python, "-I", "-c", ASK], capture_output=True, text=True, check=True)
    prefix, base, *folders = map(Path, asked.stdout.splitlines())
    site, scripts = folders
    if prefix == base or prefix not in site.parents or prefix not in scripts.parents:
        raise SystemExit(f"{python} is not the interpreter of a virtual environment; nothing is written outside one")
    if (site / "kernelagent" / "__init__.py").exists():
        return
    script = SCRIPT.format(python=python).encode()
    files = {"kernelagent.pth": f"{ROOT / 'python'}\n".encode(), os.path.relpath(scripts / "kernelagent", site): script, f"{dist_info()}/INSTALLER": b"kernelagent\n"}
    files |= {name: content for name, content in described("py3-none-any").items() if not name.endswith("LICENSE")}
    files[f"{dist_info()}/RECORD"] = record(files)
    for name, content in files.items():
        path = site / name
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (scripts / "kernelagent").chmod(0o755)


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"] and len(sys.argv) <= 3:
        target = Path(sys.argv[2] if len(sys.argv) == 3 else ROOT / "build")
        print(target / build_wheel(str(target)))
    elif sys.argv[1:2] == ["link"] and len(sys.argv) == 3:
        link(sys.argv[2])
    else:
        raise SystemExit(__doc__)

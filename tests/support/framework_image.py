"""framework_image - a store whose image has what frameworks expect of `python:3.11-slim`: `python`, shells, Debian's small programs."""

import shutil
import subprocess
from pathlib import Path

from support.host_python import PYTHON, needed_by
from support.small_image import ID, make_store

NAME = "python"
IMAGE = f"{NAME}:3.11-slim"
PACKAGES = ("coreutils", "dash", "bash", "procps", "findutils", "grep", "sed", "tar")  # of procps AutoGen wants pkill


def make_framework_store(folder: Path, owner: int, *more: str) -> Path:
    """Make a store that has the image under its name and some more, and return its path."""
    store = make_store(folder, owner, NAME, shared=True)
    rootfs = store / f"trees/{ID}/rootfs"
    programs = _programs()
    for path in (*programs, *needed_by(*(p for p in programs if p.read_bytes()[:4] == b"\x7fELF"))):
        _copy(path, rootfs)
    (rootfs / "usr/bin/python").symlink_to(PYTHON.name)
    for name in (IMAGE, *more):
        (store / f"tags/{name}").symlink_to(f"../trees/{ID}")
    return store


def give_packages(store: Path, environment: Path) -> None:
    """Copy what pip has installed into an environment, with its programs, into the image's Python."""
    rootfs = store / f"trees/{ID}/rootfs"
    (site,) = environment.resolve().glob("lib/python3*/site-packages")
    shutil.copytree(site, rootfs / f"usr/local/lib/{PYTHON.name}/dist-packages", dirs_exist_ok=True, ignore=shutil.ignore_patterns("setuptools", "setuptools-*", "__pycache__"))
    for path in needed_by(*site.rglob("*.so")):
        if not path.is_relative_to(site):
            _copy(path, rootfs)
    for program in (environment / "bin").iterdir():
        text = program.read_bytes()
        if text.startswith(b"#!") and b"/bin/python" in text.split(b"\n", 1)[0]:
            place = rootfs / "usr/local/bin" / program.name
            place.write_bytes(b"#!/usr/bin/python3\n" + text.split(b"\n", 1)[1])
            place.chmod(0o755)


def _programs() -> list[Path]:
    said = subprocess.run(["dpkg", "-L", *PACKAGES], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [path for path in map(Path, said.splitlines()) if path.parent.name == "bin" and path.is_file()]


def _copy(path: Path, rootfs: Path) -> None:
    real = path.parent.resolve() / path.name
    place = rootfs / str(real)[1:]
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(real, place)

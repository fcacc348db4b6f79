"""small_image - a store with one image: the host's Python, with pip on request, and a /usr like a distribution's."""

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from support.host_python import PYTHON, make_python

NAME = "small"
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
ID = "5" * 64
FOLDERS = "etc home tmp opt run proc sys dev data code output workspace usr/local/bin var/lib".split()
PASSWD = "root:x:0:0:root:/root:/bin/sh\n"
PIP = Path("/usr/lib/python3/dist-packages/pip")
MARK = "[externally-managed]\nError=this Python belongs to the system\n"


def make_store(folder: Path, owner: int, name: str = NAME, *, shared: bool = False) -> Path:
    """Make the store, owned by that user, and return its path. It is vouched for: cells may use it.

    Only the owner reaches the image, as after a build, unless it is shared (rootfs/store/tree_mode.h).
    """
    store, root = folder / "images", folder / f"images/trees/{ID}/rootfs"
    root.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        make_python(Path(place) / "python.tar")
        with tarfile.open(Path(place) / "python.tar") as tar:
            tar.extractall(root)
    for path in FOLDERS:
        (root / path).mkdir(parents=True, exist_ok=True)
    (root / "etc/passwd").write_text(PASSWD)
    (root / f"usr/lib/{PYTHON.name}/EXTERNALLY-MANAGED").write_text(MARK)
    (root / f"usr/local/lib/{PYTHON.name}/dist-packages").mkdir(parents=True)
    config = {"Env": [], "Cmd": ["python3"], "Entrypoint": [], "User": "", "WorkingDir": ""}
    document = {"id": f"sha256:{ID}", "created": "2026-01-01T00:00:00Z", "arch": ARCH}
    document |= {"recipe": "test", "preload": [], "config": config}
    (store / f"trees/{ID}/image.json").write_text(json.dumps(document))
    (store / f"trees/{ID}/manifest").write_text("")
    (store / "tags").mkdir()
    (store / f"tags/{name}:latest").symlink_to(f"../trees/{ID}")
    (store / "trees").chmod(0o711)
    (store / f"trees/{ID}").chmod(0o755 if shared else 0o700)
    _give(store, owner)
    return store


def skip_without_pip() -> None:
    """Skip the test, or the class, where the host has no pip that an image could have."""
    if not PIP.exists():
        raise unittest.SkipTest(f"cannot: there is no {PIP}")


def why_not_again() -> str:
    """Return why a directory of the image cannot be removed and made again, or nothing."""
    version = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
    return "cannot: before Linux 6.6 a tmpfs has no user attributes" if version < (6, 6) else ""


def give_pip(store: Path) -> None:
    """Copy the host's pip into the image: as many files again as it has, so only where they are needed."""
    skip_without_pip()
    place = store / f"trees/{ID}/rootfs" / str(PIP)[1:]
    if not place.exists():
        shutil.copytree(PIP, place, ignore=shutil.ignore_patterns("__pycache__"))
        _give(place, store.stat().st_uid)
        for above in (place.parent, place.parent.parent):
            os.chown(above, store.stat().st_uid, store.stat().st_uid)


def _give(top: Path, owner: int) -> None:
    for path in (top, *top.rglob("*")):
        os.chown(path, owner, owner, follow_symlinks=False)


def fingerprint(store: Path) -> str:
    """Return a digest of all that a program could change in the image: names, modes, owners, times, bytes."""
    digest = hashlib.sha256()
    for path in sorted((store / f"trees/{ID}/rootfs").rglob("*")):
        st = path.lstat()
        what = (str(path), st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_mtime_ns, st.st_size)
        digest.update(repr(what).encode())
        if path.is_file() and not path.is_symlink():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def make_wheel(folder: Path) -> Path:
    """Write a wheel with a module, a program and a file of data; `python3 -m tablet` prints a line."""
    path, info = folder / "tablet-1.0-py3-none-any.whl", "tablet-1.0.dist-info"
    files = {
        "tablet/__init__.py": "def main():\n    print('a table')\n",
        "tablet/__main__.py": "from . import main\nmain()\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tablet\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ntablet = tablet:main\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path

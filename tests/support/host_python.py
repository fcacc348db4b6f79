"""host_python - the host's Python as an archive, of which an image can be made."""

import re
import subprocess
import tarfile
from pathlib import Path

PYTHON = Path("/usr/bin/python3").resolve()
OMITTED = {"test", "idlelib", "tkinter", "lib2to3", "turtledemo", "ensurepip", "pydoc_data"}


def needed_by(*programs: Path) -> set[Path]:
    """Return the libraries that they are linked with, and their loader."""
    said = subprocess.run(["ldd", *programs], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {Path(path) for path in re.findall(r"(/\S+) \(0x", said)}


def make_python(archive: Path) -> None:
    """Write an archive with the host's Python, what it needs, and nothing else."""
    library = Path(f"/usr/lib/{PYTHON.name}")
    modules = sorted((library / "lib-dynload").glob("*.so"))
    files = needed_by(PYTHON, *modules) | {PYTHON, *modules}
    files |= {p for p in library.rglob("*.py") if not OMITTED & set(p.parts)}
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        for name in ("bin", "lib", "lib64"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
            tar.addfile(link)
        for path in sorted(files):
            real = path.parent.resolve() / path.name
            row = tarfile.TarInfo(str(real)[1:])
            row.size, row.mode = path.stat().st_size, 0o755
            with path.open("rb") as file:
                tar.addfile(row, file)
        for name, target in (("usr/bin/python3", PYTHON.name), ("usr/share/grün", "share")):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)

"""kernel - Debian's generic kernel, unpacked for QEMU and never installed.

One directory per suite, build/vm/SUITE, made once (about 20 s) and then reused:

    vmlinux      the kernel without its compressed shell
    initramfs    busybox and the modules that reach the shared root (cpio, not compressed)
    lib/modules  what the guest may load later: sockets, file systems, crypto; few drivers

apt works on sources, lists and caches of its own, so the host's configuration stays as
it is, any suite of the host's mirror can be had, and no privilege is needed.
"""

import fcntl
import lzma
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEFAULT_MIRROR = "http://deb.debian.org/debian/"

# What init loads before it can see the shared root; dependencies are looked up.
BOOT_MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay")

# Hardware the guest does not have: nine tenths of the package.
UNUSED = ("kernel/sound/*", "kernel/drivers/[!bcnv]*", "kernel/drivers/net/*/*")


class KernelError(Exception):
    """Why there is no kernel to boot, in one line."""


@dataclass(frozen=True)
class Kernel:
    """A kernel ready to boot; the files stay owned by the cache."""

    image: Path
    initramfs: Path
    modules: Path  # lib/modules/VERSION


def cached(suite: str, cache: Path, note: Callable[[str], None]) -> Kernel:
    """Return the kernel of a suite, building it first if this checkout has none.

    A lock makes concurrent first runs wait for one build. A build happens beside the
    cache and is renamed when complete; what a killed one left is removed by the next.
    """
    cache.mkdir(parents=True, exist_ok=True)
    final, half_made = cache / suite, cache / f"{suite}.new"
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_fresh(final):
            note(f"fetching and unpacking the kernel of Debian {suite} (once, about 100 MB)")
            shutil.rmtree(half_made, ignore_errors=True)
            shutil.rmtree(final, ignore_errors=True)
            try:
                _build(suite, half_made)
                half_made.rename(final)
            except (OSError, lzma.LZMAError, subprocess.CalledProcessError) as error:
                raise KernelError(f"no kernel of Debian {suite}: {_reason(error)}") from error
            finally:
                shutil.rmtree(half_made, ignore_errors=True)
    modules = _only(final, "lib/modules/*")
    return Kernel(final / "vmlinux", final / "initramfs", modules)


def cpio(name: str, data: bytes, mode: int) -> bytes:
    """Return one member of an initramfs: cpio's "newc" format, padded to 4 bytes.

    The kernel unpacks members until the data ends and needs no trailer, so archives
    can be joined. See Documentation/driver-api/early-userspace/buffer-format.rst.
    """
    # inode, mode, uid, gid, links, mtime, size, dev (2), rdev (2), name size, checksum
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    header = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return _padded(header) + _padded(data)


def _is_fresh(final: Path) -> bool:
    """Tell whether a cache exists and is not older than the recipe, this file."""
    return final.is_dir() and final.stat().st_mtime >= Path(__file__).stat().st_mtime


def _build(suite: str, target: Path) -> None:
    target.mkdir()
    for package in _download(suite, target / "apt"):
        _unpack(package, target / "package")
    # bookworm's kernel has its modules in /lib, trixie's in /usr/lib; since 6.17 it is beside them
    modules = _only(target / "package", "**/lib/modules/*")
    image = _first(modules / "vmlinuz", *target.glob("package/boot/vmlinuz-*"))
    (target / "vmlinux").write_bytes(_uncompressed(image.read_bytes()))
    (target / "initramfs").write_bytes(b"".join(_initramfs(modules)))
    kept = target / "lib/modules" / modules.name
    kept.parent.mkdir(parents=True)
    modules.rename(kept)
    _run("busybox", "depmod", "-b", target, modules.name)
    shutil.rmtree(target / "apt")
    shutil.rmtree(target / "package")


# -- the package --------------------------------------------------------------------


def _download(suite: str, apt: Path) -> list[Path]:
    """Fetch the kernel that linux-image-amd64 names: from Linux 6.17 on two packages; return them.

    apt checks the suite's signature with the keys of Debian's archive, and the packages by it.
    """
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True)
    (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {suite} main\n")
    private = [
        *("-o", f"Dir::Etc::SourceList={apt}/sources.list"),
        *("-o", "Dir::Etc::SourceParts=/dev/null"),
        *("-o", f"Dir::State::Lists={apt}/lists"),
        *("-o", f"Dir::Cache={apt}/cache"),
        # as root, apt would download as user _apt, who cannot write here
        *("-o", "APT::Sandbox::User=root"),
    ]
    # a list that cannot be had would only be a warning
    _run("apt-get", *private, "-qq", "-o", "APT::Update::Error-Mode=any", "update")
    named = _depends(private, "linux-image-amd64", "image")
    if not named:
        raise KernelError(f"linux-image-amd64 of Debian {suite} names no kernel package")
    named = _depends(private, named[0], "base|binary|modules") or named
    _run("apt-get", *private, "-qq", "download", *named, cwd=apt)
    return [*apt.glob("*.deb")]


def _depends(private: list[str], package: str, kinds: str) -> list[str]:
    """Return the packages of the kernel's of these kinds that a package needs."""
    said = _run("apt-cache", *private, "depends", package)
    return re.findall(rf"Depends: (linux-(?:{kinds})-\S+)", said)


def _mirror() -> str:
    """Return the Debian mirror that the host's apt is configured with."""
    wanted = ("--format", "$(REPO_URI)", "Identifier: Packages")
    uris = _run("apt-get", "indextargets", *wanted).split()
    return next((uri for uri in uris if uri.rstrip("/").endswith("/debian")), DEFAULT_MIRROR)


def _unpack(package: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as deb:
        excluded = [f"--exclude={pattern}" for pattern in UNUSED]
        subprocess.run(["tar", "-x", "-C", target, *excluded], stdin=deb.stdout, check=True)
    if deb.returncode:
        raise KernelError(f"dpkg-deb cannot unpack {package.name}")


# -- the files that QEMU is given ---------------------------------------------------


def _uncompressed(bzimage: bytes) -> bytes:
    """Return the ELF kernel inside a bzImage, or the bzImage if its packing is unknown.

    QEMU enters an ELF kernel through its PVH note; to unpack it here instead of in the
    guest saves more than half of the boot time. The offsets are those of the setup
    header, see Documentation/arch/x86/boot.rst.
    """
    setup_sectors = bzimage[0x1F1] or 4
    start = (setup_sectors + 1) * 512 + int.from_bytes(bzimage[0x248:0x24C], "little")
    length = int.from_bytes(bzimage[0x24C:0x250], "little")
    packed = bzimage[start : start + length - 4]  # the build appends the unpacked size
    if packed.startswith(b"\xfd7zXZ"):
        return lzma.decompress(packed)
    if packed.startswith(b"\x28\xb5\x2f\xfd"):
        unpack = subprocess.run(["zstd", "-dcq"], input=packed, capture_output=True, check=True)
        return unpack.stdout
    return bzimage


def _initramfs(modules: Path) -> Iterator[bytes]:
    """Yield the members: busybox, the modules, and `order`, in which they load."""
    yield cpio("bin", b"", 0o040755)
    yield cpio("bin/busybox", Path("/bin/busybox").read_bytes(), 0o100755)
    for applet in _run("/bin/busybox", "--list").split():
        if applet != "busybox":
            yield cpio(f"bin/{applet}", b"busybox", 0o120777)
    yield cpio("modules", b"", 0o040755)
    order: dict[str, bytes] = {}
    for name in BOOT_MODULES:
        _load(name, modules, order)
    for name, data in order.items():
        yield cpio(f"modules/{name}", data, 0o100644)
    yield cpio("modules/order", "".join(f"{name}\n" for name in order).encode(), 0o100644)


def _load(name: str, modules: Path, order: dict[str, bytes]) -> None:
    """Add a module to `order` after everything it depends on; built-in ones have no file."""
    if name in order:
        return
    pattern = re.sub("[-_]", "[-_]", name)  # depends= says virtio_pci, the file may say virtio-pci
    file = next(modules.glob(f"kernel/**/{pattern}.ko*"), None)
    if file is None:
        if name in BOOT_MODULES and not _is_builtin(name, modules):
            raise KernelError(f"the kernel package has no module {name}")
        return
    data = file.read_bytes()
    if file.suffix == ".xz":
        data = lzma.decompress(data)
    depends = re.search(rb"\0depends=([^\0]*)", data)
    for needed in depends[1].decode().split(",") if depends else ():
        if needed:
            _load(needed, modules, order)
    order[name] = data


def _is_builtin(name: str, modules: Path) -> bool:
    return f"/{name}.ko" in (modules / "modules.builtin").read_text()


def _only(directory: Path, pattern: str) -> Path:
    """Return the one path below a directory that matches a pattern."""
    found = list(directory.glob(pattern))
    if len(found) != 1:
        raise KernelError(f"{len(found)} files instead of one are {directory}/{pattern}")
    return found[0]


def _first(*paths: Path) -> Path:
    """Return the first of these files that exists."""
    for path in paths:
        if path.is_file():
            return path
    raise KernelError(f"the kernel package has no {paths[0].name}")


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


# -- running programs ---------------------------------------------------------------


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a program and return what it printed; CalledProcessError if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


def _reason(error: Exception) -> str:
    """Say in one line why a step failed: the program's own last words if it left any."""
    said = (getattr(error, "stderr", None) or "").strip().splitlines()
    return said[-1] if said else str(error)

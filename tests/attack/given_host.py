"""given_host - things of the host that an attack would like to reach, and volumes."""

import contextlib
import ctypes
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from given import SECRET, Given

LIBC = ctypes.CDLL(None, use_errno=True)


def has_landlock() -> bool:
    """Ask the kernel for its version of Landlock (the number is the same on every machine)."""
    LANDLOCK_CREATE_RULESET, VERSION = 444, 1
    return LIBC.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), VERSION) > 0


def hand_over(path: Path) -> None:
    """As root: a writable volume needs an ordinary owner where tmpfs has no id-mapped mounts."""
    if os.geteuid() == 0:
        os.chown(path, 1000, 1000)


@contextlib.contextmanager
def sentinel_process() -> Iterator[tuple[int, Callable[[], str]]]:
    """A process in a group of its own: its pid, and what asks it for the signals it got."""
    command = [sys.executable, str(Path(__file__).with_name("sentinel.py"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, process_group=0, text=True, **pipes) as process:
        assert process.stdout.readline() == "READY\n"
        ended: list[str] = []

        def evidence() -> str:
            if not ended:
                ended.append(process.communicate()[0])
            return ended[0]

        yield process.pid, evidence
        evidence()


def sentinel(_folder: Path, _control: bool) -> Iterator[Given]:
    """A process of the same user; its pid is the argument."""
    with sentinel_process() as (pid, evidence):
        yield Given(args=(str(pid),), evidence=evidence)


def secret_path(folder: Path, _control: bool) -> Iterator[Given]:
    """There is a file on the host; its path is the argument."""
    (folder / SECRET).write_text("x")
    yield Given(args=(str(folder / SECRET),))


def tcp_service(_folder: Path, _control: bool) -> Iterator[Given]:
    """The host has a service on its loopback; its port is the argument."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        with _served(server):
            yield Given(args=(str(server.getsockname()[1]),))


def abstract_service(_folder: Path, _control: bool) -> Iterator[Given]:
    """The host has a service on an abstract unix socket; its name is the argument."""
    name = f"glovebox-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        with _served(server):
            yield Given(args=(name,))


@contextlib.contextmanager
def _served(server: socket.socket) -> Iterator[None]:
    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                with server.accept()[0] as client:
                    client.sendall(SECRET.encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield
    server.shutdown(socket.SHUT_RDWR)
    thread.join()


def shared_memory(_folder: Path, _control: bool) -> Iterator[Given]:
    """The host has a System V segment; its key is the argument."""
    key = secrets.randbelow(1 << 30) + 1
    segment = LIBC.shmget(key, ctypes.c_size_t(4096), 0o1666)
    try:
        yield Given(args=(str(key),))
    finally:
        LIBC.shmctl(segment, 0, None)


def message_queue(_folder: Path, _control: bool) -> Iterator[Given]:
    """The host has a POSIX message queue; its name is the argument."""
    name = f"glovebox-{secrets.token_hex(8)}"
    queue = LIBC.mq_open(f"/{name}".encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    LIBC.fchmod(queue, 0o666)
    try:
        yield Given(args=(name,))
    finally:
        os.close(queue)
        LIBC.mq_unlink(f"/{name}".encode())


def volume(folder: Path, control: bool) -> Iterator[Given]:
    """A volume at /data with a file that everybody may write; read-only but for the control."""
    data = folder / "data"
    data.mkdir()
    data.chmod(0o777)
    (data / "victim").write_text("as it was")
    (data / "victim").chmod(0o666)
    hand_over(data)
    hand_over(data / "victim")
    flags = ("-v", f"{data}:/data" if control else f"{data}:/data:ro")

    def evidence() -> str:
        names = os.listdir(data)
        intact = names == ["victim"] and (data / "victim").read_text() == "as it was"
        return "" if intact else f"the volume holds {names}"

    yield Given(flags=flags, evidence=evidence)


def output_volume(folder: Path, _control: bool) -> Iterator[Given]:
    """A writable volume at /output."""
    output = folder / "output"
    output.mkdir()
    hand_over(output)

    def evidence() -> str:
        bits = stat.S_ISUID | stat.S_ISGID
        return " ".join(path.name for path in output.iterdir() if path.lstat().st_mode & bits)

    yield Given(flags=("-v", f"{output}:/output"), evidence=evidence)


def plain_tmp(folder: Path, control: bool) -> Iterator[Given]:
    """For the control: a plain directory of the host at /tmp, without any limit."""
    scratch = folder / "tmp"
    scratch.mkdir()
    scratch.chmod(0o777)
    hand_over(scratch)
    yield Given(flags=("-v", f"{scratch}:/tmp") if control else ())


def script_file(folder: Path, control: bool) -> Iterator[Given]:
    """The reference case: a script at /code/script.py, read-only but for the control."""
    script = folder / "script.py"
    script.write_text("print('reviewed')\n")
    script.chmod(0o666)
    hand_over(script)
    yield Given(flags=("-v", f"{script}:/code/script.py" + ("" if control else ":ro")))


def code_file(folder: Path, _control: bool) -> Iterator[Given]:
    """A script given by --code."""
    script = folder / "script.py"
    script.write_text("print('reviewed')\n")
    yield Given(flags=("--code", str(script), "--entrypoint", ""))


def special_files(folder: Path, _control: bool) -> Iterator[Given]:
    """A volume with a device and a set-uid program, on a file system that allows both. Root."""
    data = folder / "data"
    data.mkdir()

    def mount() -> None:
        CLONE_NEWNS, MS_PRIVATE_REC = 0x20000, 0x44000
        done = LIBC.unshare(CLONE_NEWNS) == 0
        done = done and LIBC.mount(None, b"/", None, MS_PRIVATE_REC, None) == 0
        done = done and LIBC.mount(b"tmpfs", os.fsencode(data), b"tmpfs", 0, b"mode=755") == 0
        if not done:
            raise OSError(ctypes.get_errno(), "a mount of one's own")
        os.umask(0)
        os.mknod(data / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        shutil.copy("/usr/bin/id", data / "id")
        os.chmod(data / "id", 0o6755)

    yield Given(flags=("-v", f"{data}:/data:ro"), popen={"preexec_fn": mount})


THINGS: dict[str, Callable[[Path, bool], Iterator[Given]]] = {
    "sentinel": sentinel,
    "secret_path": secret_path,
    "tcp_service": tcp_service,
    "abstract_service": abstract_service,
    "shared_memory": shared_memory,
    "message_queue": message_queue,
    "volume": volume,
    "output_volume": output_volume,
    "plain_tmp": plain_tmp,
    "script_file": script_file,
    "code_file": code_file,
    "special_files": special_files,
}

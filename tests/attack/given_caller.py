"""given_caller - odd callers of glovebox: what they have open, their terminal, signals, limits."""

import ctypes
import os
import pty
import resource
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from given import SECRET, Given
from given_host import sentinel_process

LIBC = ctypes.CDLL(None, use_errno=True)


def open_file(folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a file open."""
    (folder / "secret").write_text(SECRET)
    with open(folder / "secret", "rb") as file:
        yield Given(popen={"pass_fds": (file.fileno(),)})


def open_directory(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a directory open that everybody may walk through."""
    fd = os.open("/usr", os.O_RDONLY)
    try:
        yield Given(popen={"pass_fds": (fd,)})
    finally:
        os.close(fd)


def open_socket(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a connected socket."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.send(SECRET.encode())
        yield Given(popen={"pass_fds": (theirs.fileno(),)})


def environment(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a password in its environment; the word is split for the attacker."""
    word = secrets.token_hex(8)
    env = dict(os.environ, AWS_SECRET_ACCESS_KEY=word, PYTHONSTARTUP=word)
    yield Given(args=(word[:8], word[8:]), popen={"env": env})


def standard_input(folder: Path, _control: bool) -> Iterator[Given]:
    """There is something to read on the caller's standard input."""
    (folder / "stdin").write_text(SECRET)
    with open(folder / "stdin", "rb") as file:
        yield Given(popen={"stdin": file})


def output_file(folder: Path, _control: bool) -> Iterator[Given]:
    """The caller's standard output is a file that it can also read."""
    path = folder / "stdout"
    with open(path, "w+b") as file:
        yield Given(popen={"stdout": file}, output=path)


def terminal(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a controlling terminal, which is its standard input."""
    master, slave = pty.openpty()

    def take() -> None:
        os.setsid()
        TIOCSCTTY = 0x540E
        LIBC.ioctl(slave, TIOCSCTTY, 0)

    try:
        yield Given(popen={"stdin": slave, "preexec_fn": take})
    finally:
        os.close(master)
        os.close(slave)


def process_group(_folder: Path, _control: bool) -> Iterator[Given]:
    """A process in the caller's own process group."""
    with sentinel_process() as (pid, evidence):
        yield Given(popen={"process_group": pid}, evidence=evidence)


def working_directory(folder: Path, _control: bool) -> Iterator[Given]:
    """The caller stands in a directory with a file."""
    (folder / SECRET).write_text("x")
    yield Given(args=(SECRET,), popen={"cwd": folder})


def ignored_signals(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller ignores and blocks signals, as below nohup."""

    def before() -> None:
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGRTMIN])

    yield Given(popen={"preexec_fn": before})


def _before(work: Callable[[], object]) -> Callable[[Path, bool], Iterator[Given]]:
    """Return the preparation that does `work` in glovebox's process before it starts."""

    def prepared(_folder: Path, _control: bool) -> Iterator[Given]:
        yield Given(popen={"preexec_fn": work})

    return prepared


def _own_mounts() -> None:
    CLONE_NEWNS, MS_PRIVATE_REC = 0x20000, 0x44000
    if os.geteuid() == 0:
        LIBC.unshare(CLONE_NEWNS)
        LIBC.mount(None, b"/", None, MS_PRIVATE_REC, None)


def _unrandomised() -> None:
    ADDR_NO_RANDOMIZE = 0x0040000
    LIBC.personality(ADDR_NO_RANDOMIZE)


def odd_limit(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has an odd limit on open files."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (77, hard))  # noqa: E731
    yield Given(args=("77",), popen={"preexec_fn": limit})


def keyring(_folder: Path, _control: bool) -> Iterator[Given]:
    """The caller has a key in a session keyring of its own."""
    name = f"glovebox-{secrets.token_hex(4)}"

    def join() -> None:
        add_key, keyctl = (217, 219) if os.uname().machine == "aarch64" else (248, 250)
        LIBC.syscall(keyctl, 1, None)
        if LIBC.syscall(add_key, b"user", name.encode(), b"secret", 6, -3) < 0:
            raise OSError(ctypes.get_errno(), "add_key")

    yield Given(args=(name,), popen={"preexec_fn": join})


CALLERS: dict[str, Callable[[Path, bool], Iterator[Given]]] = {
    "open_file": open_file,
    "open_directory": open_directory,
    "open_socket": open_socket,
    "environment": environment,
    "standard_input": standard_input,
    "output_file": output_file,
    "terminal": terminal,
    "process_group": process_group,
    "working_directory": working_directory,
    "ignored_signals": ignored_signals,
    "nice": _before(lambda: os.nice(-5)),
    "umask": _before(lambda: os.umask(0)),
    "own_mounts": _before(_own_mounts),
    "personality": _before(_unrandomised),
    "groups": _before(lambda: os.setgroups([4, 6])),
    "odd_limit": odd_limit,
    "keyring": keyring,
}

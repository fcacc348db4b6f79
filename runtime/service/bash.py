"""bash - runs one command line in a session, beside its interpreter (service/notebook_call.c).

It runs as a child: its output goes straight to the session's streams, its standard input is empty,
and it begins in /workspace. SystemExit carries its exit status. What it has left running when it
ends stays; an interrupt ends it and everything that it has started.

The text is executed with `command`, bytes, in a namespace of its own. Nothing is imported that a
file in /workspace could stand in for.
"""

import os
import signal
import sys

INTERRUPT = {signal.SIGINT}
SHELLS = (b"bash", b"sh")
NOT_STARTED = 126
ROUNDS = 100  # of looking for what must be killed


def start():
    """Start the shell in /workspace, in a session of its own; return its pid."""
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir("/workspace")
        return spawn()
    finally:
        os.fchdir(here)
        os.close(here)


def spawn():
    """Start bash or, without it, sh."""
    for shell in SHELLS:
        try:
            return os.posix_spawnp(
                shell,
                [shell, b"-c", command],
                os.environ,
                file_actions=[(os.POSIX_SPAWN_OPEN, 0, b"/dev/null", os.O_RDONLY, 0)],
                setsid=True,
                setsigmask=(),
                setsigdef=(signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD),
            )
        except FileNotFoundError:
            if shell is SHELLS[-1]:
                raise


def processes():
    """Return the parent and the session of every process that lives."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, parent, _, session = file.read().rpartition(b")")[2].split()[:4]
            except OSError:
                continue
            if state not in b"ZX":
                found[int(name)] = (int(parent), int(session))
    return found


def descendants(root):
    """Return what belongs to the shell: its session, and all that came from it."""
    alive = processes()
    ours = {pid for pid, (_, session) in alive.items() if session == root or pid == root}
    while True:
        more = {pid for pid, (parent, _) in alive.items() if parent in ours} - ours
        if not more:
            return ours
        ours |= more


def kill(root):
    """Kill the shell and all that came from it, the shell last: it is how the others are found."""
    send(root, signal.SIGSTOP)  # so that it starts no more
    for _ in range(ROUNDS):
        others = descendants(root) - {root}
        if not others:
            break
        for pid in others:
            send(pid, signal.SIGKILL)
    send(root, signal.SIGKILL)


def send(pid, number):
    """Send a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait(pid):
    """Wait for the shell; return its status as a shell would."""
    try:
        status = os.waitpid(pid, 0)[1]
    except ChildProcessError:  # foreign code waits for all children
        return 0
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def run():
    """Run the command line; return its status."""
    pid = 0
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPT)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pid = start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPT)
        return wait(pid)
    except KeyboardInterrupt:
        if pid:
            kill(pid)
            wait(pid)
        raise
    except OSError as error:
        os.write(2, f"glovebox: no shell can be started: {error.strerror}\n".encode())
        return NOT_STARTED
    finally:
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPT)


sys.exit(run())

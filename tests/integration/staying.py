"""staying - a test with sandboxes that stay (run -d), whose records lie in the test's own folder."""

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

from support.case import Case
from support.processes import links
from support.run import GLOVEBOX, Result, command, execute, unique
from support.times import DEADLINE, wait_until

WAITS = "trap 'exit 0' TERM; while :; do sleep 1000 & wait; done"  # pid 1 is ours: other signals end it, too


class Staying(Case):
    """`self.env` says where the records are; whatever stays is removed at the end of the test."""

    env: dict[str, str]
    program: str | Path = GLOVEBOX
    ulimit = ""  # what a shell does before each command

    def setUp(self) -> None:
        """Choose the place of the records."""
        super().setUp()
        self.env = {"XDG_STATE_HOME": f"{self.folder}/state"}
        self.addCleanup(self.remove_all)

    @property
    def records(self) -> list[Path]:
        """Return the directories of the records."""
        place = self.folder / "state/glovebox/sandboxes"
        return sorted(place.iterdir()) if place.exists() else []

    def remove_all(self) -> None:
        """End and remove what stays."""
        if ids := [record.name for record in self.records]:
            execute([GLOVEBOX, "rm", "-f", *ids], env=self.env)

    def ours(self, *args: str | Path, **options: Any) -> Result:
        """Run a command of glovebox's, under the name of this test."""
        line = ["/bin/sh", "-c", f'{self.ulimit} && exec "$0" "$@"', self.program, *map(str, args)] if self.ulimit else [self.program, *map(str, args)]
        return execute(line, env=self.env, **options)

    def detached(self, *flags: str | Path, **what: Any) -> Result:
        """Run a program with -d; see support.run.command()."""
        return self.ours(*command("-d", *flags, **what)[1:])

    def stay(self, *flags: str | Path, **what: Any) -> str:
        """Leave a sandbox behind, by default one that waits; return its name."""
        name = unique("staying")
        result = self.assert_status(self.detached("--name", name, *flags, **(what or {"sh": WAITS})))
        self.assertRegex(result.out, r"\A[0-9a-f]{64}\n\Z")
        self.assertEqual(result.err, "")
        return name

    def inside(self, name: str, script: str, *flags: str, **options: Any) -> Result:
        """Start a shell script in a sandbox that stays."""
        return self.ours("exec", *flags, name, "/bin/sh", "-c", script, **options)

    def state(self, name: str) -> dict[str, Any]:
        """Return what inspect says of the state of a sandbox."""
        return self.described(name)["State"]

    def described(self, name: str) -> dict[str, Any]:
        """Return what inspect says of a sandbox."""
        [one] = json.loads(self.assert_status(self.ours("inspect", name)).out)
        return one

    def field(self, name: str, field: str) -> str:
        """Return one field of what inspect says."""
        return self.assert_status(self.ours("inspect", "--format", f"{{{{.{field}}}}}", name)).out.strip()

    def end_of(self, name: str) -> str:
        """Wait for the end of a sandbox and return what wait prints."""
        result = self.assert_status(self.ours("wait", name))
        self.assertEqual(result.err, "")
        return result.out.strip()

    def await_client(self, process: subprocess.Popen[Any]) -> None:
        """Wait until a process is connected to a monitor."""

        def connected() -> bool:
            own = {link[len("socket:[") : -1] for link in links(Path(f"/proc/{process.pid}/fd")) if link.startswith("socket:[")}
            sockets = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
            return any(state == "03" and inode in own for _, _, _, _, _, state, inode, *_ in sockets)  # SS_CONNECTED

        self.assertTrue(wait_until(connected))

    def ask(self, name: str, sends: tuple[int, ...] = (), **request: Any) -> tuple[dict[str, Any], list[int]]:
        """Send the monitor of a sandbox a request as a client does, with descriptors; return its answer, and what came along."""
        place = os.open(self.folder / "state/glovebox/sandboxes" / self.field(name, "Id"), os.O_RDONLY)
        self.addCleanup(os.close, place)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(DEADLINE)
            client.connect(f"/proc/self/fd/{place}/socket")
            socket.send_fds(client, [json.dumps(request).encode()], sends)
            answer, fds, _, _ = socket.recv_fds(client, 1 << 16, 4)
        for fd in fds:
            self.addCleanup(os.close, fd)
        return json.loads(answer), fds

    def await_follower(self, process: subprocess.Popen[Any]) -> None:
        """Wait until a process waits for what changes in a directory."""
        files = Path(f"/proc/{process.pid}/fd")
        wait_until(lambda: "anon_inode:inotify" in {*links(files)})

    def assert_fails(self, result: Result, status: int, *wanted: str) -> None:
        """Assert that a command failed with one line, which names these things, and printed nothing."""
        self.assert_status(result, status)
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.err.splitlines()), 1, result.err)
        for text in wanted:
            self.assertIn(text, result.err)

"""Ids of the cells of an ordinary user: each has one of its own where the user has a range of them."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import rootless
from support.ordinary_user import OrdinaryUser
from support.run import Result
from support.times import DEADLINE, wait_until

HOLD = "print('READY', flush=True); input()"
HOG = """
import fcntl, os, resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
kept = []
try:
    while len(kept) < 4096:
        kept.append(os.pipe())
        if fcntl.fcntl(kept[-1][0], 1032) < 65536:  # F_GETPIPE_SZ
            break
except OSError:
    pass
"""
ONE_PIPE = "import fcntl, os; print(fcntl.fcntl(os.pipe()[0], 1032))"


class Ids(OrdinaryUser):
    """A supervisor of a user of which this class says whether it has a range."""

    has_range = False

    @classmethod
    def setUpClass(cls) -> None:
        """Give the user a range of ids, or none."""
        super().setUpClass()
        if not cls.has_range:
            return
        folder = Path(tempfile.mkdtemp(prefix="glovebox-ids-"))
        folder.chmod(0o755)
        enter = rootless.given_ids(folder, cls.owner)
        if not enter:
            raise unittest.SkipTest("cannot: there is no newuidmap")
        cls.join.append(enter)

    def setUp(self) -> None:
        """Start it."""
        super().setUp()
        self.assert_status(self.warm("start", "--image", "host"))

    def run_cell(self, code: str, *flags: str) -> Result:
        """Run a program in a cell."""
        return self.glovebox("run", "--warm=require", *flags, "host", "python3", "-c", code)

    def begin(self, code: str) -> subprocess.Popen[str]:
        """Start a program in a cell, which says READY and then waits for its input."""
        command = [self.program, "run", "-i", "--warm=require", "host", "python3", "-c", code]
        env = self.env() | {"HOME": str(self.folder)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = subprocess.Popen(command, env=env, text=True, preexec_fn=self.become, cwd="/", **pipes)
        self.addCleanup(process.communicate, timeout=DEADLINE)
        assert process.stdout
        self.assertEqual(process.stdout.readline(), "READY\n")
        return process

    def host_ids(self, mark: str) -> set[int]:
        """Return the ids on the host of programs whose command line has this."""

        def found() -> set[int]:
            ids = set()
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    if words[:2] == [b"python3", b"-c"] and mark.encode() in words[2]:
                        ids.add(folder.stat().st_uid)
                except OSError:
                    continue
            return ids

        return wait_until(found)


class Shared(Ids):
    """Without a range cells have the user's id."""

    def test_one_id(self) -> None:
        self.assertTrue(self.status()["shared_ids"])
        mark = f"# {self.folder.name}"
        self.begin(f"{HOLD} {mark}")
        self.assertEqual(self.host_ids(mark), {self.owner})

    def test_pipe_buffers(self) -> None:
        """One takes from the others what the kernel counts by id."""
        self.begin(HOG + HOLD)
        self.assertNotEqual(self.run_cell(ONE_PIPE).out, "65536\n")


class Own(Ids):
    """With a range each has one of its own; fs.epoll.max_user_watches, which no test can use up, is counted by these."""

    has_range = True

    def test_different_ids(self) -> None:
        self.assertFalse(self.status()["shared_ids"])
        mark = f"# {self.folder.name}"
        for _ in range(2):
            self.begin(f"{HOLD} {mark}")
        ids = self.host_ids(mark)
        self.assertEqual(len(ids), 2)
        self.assertTrue(all(rootless.SUBIDS <= one < rootless.SUBIDS + 65536 for one in ids), ids)

    def test_pipe_buffers(self) -> None:
        """What one takes, the user and the other cells have still."""
        self.begin(HOG + HOLD)
        self.assertEqual(self.run_cell(ONE_PIPE).out, "65536\n")
        self.assertEqual(self.client("python3", "-c", ONE_PIPE).out, "65536\n")

    def test_streams_can_be_opened_again(self) -> None:
        self.assertEqual(self.run_cell("open('/dev/stdout', 'w').write('again')").out, "again")

    def test_volumes_are_the_users(self) -> None:
        """A private file is read and written, and what is made there belongs to the user."""
        folder = self.subfolder("private")
        folder.chmod(0o700)
        (folder / "given").write_text("given")
        os.chown(folder / "given", self.owner, self.owner)
        (folder / "given").chmod(0o600)
        for _ in range(2):  # made for it, and parked
            result = self.run_cell("print(open('/d/given').read()); open('/d/made', 'w').write('made')", "-v", f"{folder}:/d")
            self.assertEqual(self.assert_status(result).out, "given\n")
        self.assertEqual((folder / "made").stat().st_uid, self.owner)

    def explained_id(self, *flags: str) -> int:
        """Return the id on the host that `run --explain` names."""
        said = self.assert_status(self.glovebox("run", "--warm=require", "--explain", *flags, "host", "python3"))
        (found,) = re.findall(r"([0-9]+):[0-9]+ on the host", said.out + said.err)
        return int(found)

    def test_explain_names_the_id_of_the_kind(self) -> None:
        """A cell with the user's id is the oldest of the pool."""
        volume = ("-v", f"{self.subfolder('volume')}:/d")
        self.assert_status(self.run_cell("1", *volume))
        for _ in range(2 * self.status()["pool"]):
            self.assert_status(self.run_cell("1"))
            self.assertGreaterEqual(self.explained_id(), rootless.SUBIDS)
            self.assertEqual(self.explained_id(*volume), self.owner)

    def test_outputs_come_back(self) -> None:
        """Files that a program has closed to others, too."""
        out = self.subfolder("out")
        code = "import os; os.mkdir('/output/d', 0o700); os.close(os.open('/output/d/f', os.O_CREAT, 0o600))"
        self.assert_status(self.run_cell(code, "--output", str(out)))
        self.assertEqual((out / "d/f").stat().st_uid, self.owner)

    def test_sessions_files(self) -> None:
        """They are read and written, and a frozen session goes on."""
        name = self.assert_status(self.glovebox("session", "new", "host")).out.strip()
        code = "import os; os.chmod('.', 0o700); os.umask(0o77); open('made', 'w').write('made'); None"
        self.assert_status(self.glovebox("session", "exec", name, code))
        self.assertEqual(self.assert_status(self.glovebox("session", "get", name, "made", "-")).out, "made")
        given = self.subfolder("files") / "given"
        given.write_text("given")
        self.assert_status(self.glovebox("session", "put", name, given, "given"))
        self.assert_status(self.glovebox("session", "freeze", name))
        said = self.assert_status(self.glovebox("session", "exec", name, "print(open('given').read())")).out
        self.assertEqual(said, "given\n")
        self.assert_status(self.glovebox("session", "rm", name))

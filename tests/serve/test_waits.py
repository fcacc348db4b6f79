"""What one request waits for, a supervisor or the kernel, keeps no other request waiting."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

from support.messages import sentence
from support.processes import groups, marked
from support.run import IS_ROOT, glovebox
from support.serve import Reply, ServeCase, UsersCase
from support.serve_sessions import SessionCase
from support.stuck import stuck_process
from support.times import DEADLINE, wait_until
from support.warm import silent

AT_ONCE = 2.0  # seconds; what the server waits for takes longer


class Kernel(SessionCase):
    """Processes that do not stop, and groups that do not go."""

    kernel = True

    def answers(self) -> float:
        """Ask for what has nothing to do with sessions; return how long that took."""
        began = time.monotonic()
        self.assertEqual(self.server.get("/v1/files").status, 200)
        return time.monotonic() - began

    def is_freezing(self) -> bool:
        """Say whether a group is to stand still, and does not yet."""
        for folder in map(Path, groups(self.server.warm()["pid"])):
            with contextlib.suppress(OSError):
                if (folder / "freezer.state").exists():
                    if (folder / "freezer.state").read_text() == "FREEZING\n":
                        return True
                elif (folder / "cgroup.freeze").read_text() == "1\n":
                    return "frozen 1" not in (folder / "cgroup.events").read_text()
        return False

    def groups_of(self, marker: str) -> list[Path]:
        """Return the directories of the control group of a program that is or will be there."""
        self.assertTrue(wait_until(lambda: marked(marker)))
        (pid,) = map(str, marked(marker))
        folders = map(Path, groups(self.server.warm()["pid"]))
        return [folder for folder in folders if pid in (folder / "cgroup.procs").read_text().split()]

    def test_one_that_does_not_stand_still(self) -> None:
        session = self.begin()
        self.python(session, "import subprocess; child = subprocess.Popen(['sleep', '930001.25'])")
        with stuck_process(self.subfolder("stuck")) as pid:
            for folder in self.groups_of("930001.25"):
                (folder / "cgroup.procs").write_text(str(pid))
            replies: list[Reply] = []
            freezing = threading.Thread(target=lambda: replies.append(self.server.post(session + "/freeze", {})))
            freezing.start()
            self.assertTrue(wait_until(self.is_freezing))
            self.assertEqual(self.server.get("/v1/files").status, 200)
            self.assertTrue(self.is_freezing(), "that was answered first")
            freezing.join()
        self.assertEqual(replies[0].status, 500, replies)
        self.assertEqual(self.python(session, "print(6 * 7)")["stdout"], "42\n", "it goes on")

    def test_a_group_that_does_not_go(self) -> None:
        """It has a group below it, as nothing of ours makes: it is looked at again and again."""
        if not IS_ROOT:
            self.skipTest("cannot: only root may make groups there")
        code = "import subprocess; subprocess.run(['sleep', '930002.25'])"
        run = threading.Thread(target=self.execute, args=(code,), kwargs={"timeout_ms": 4000})
        run.start()
        folders = self.groups_of("930002.25")
        for folder in folders:
            (folder / "held").mkdir()
        run.join()
        self.assertLess(self.answers(), AT_ONCE)
        self.assertTrue(all(folder.exists() for folder in folders), "they have not gone")
        for folder in folders:
            (folder / "held").rmdir()
        self.assertTrue(wait_until(lambda: not any(folder.exists() for folder in folders)))


class Users(UsersCase):
    """The supervisor that the user has already."""

    def has_its_own(self) -> bool:
        """Say whether the server has started one of its own."""
        return bool(list(self.server.temporary.glob("glovebox-agent-*")))

    def test_one_that_is_stopped(self) -> None:
        """It takes seconds to see that it does not answer; then another takes its place."""
        slowest = 0.0
        supervisor = glovebox("warm", "status", "--json", env=self.env).json["pid"]
        os.kill(supervisor, signal.SIGSTOP)
        try:
            while not self.has_its_own():
                began = time.monotonic()
                self.assertEqual(self.server.get("/v1/files").status, 200)
                slowest = max(slowest, time.monotonic() - began)
                time.sleep(0.05)
        finally:
            os.kill(supervisor, signal.SIGCONT)
        self.assertLess(slowest, AT_ONCE)
        self.server.wait_ready()


class Own(ServeCase):
    """A supervisor of the server's own, which ends while the user's is there."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start no server: each test has its own."""
        super(ServeCase, cls).setUpClass()

    def setUp(self) -> None:
        """Start it; it finds no supervisor of the user's."""
        super().setUp()
        self.server = self.start_server().wait_ready()  # type: ignore[misc]
        self.place = self.server.folder / "run"

    def own(self) -> list[Path]:
        """Return the directories of supervisors of the server's own."""
        return list(self.server.temporary.glob("glovebox-agent-*"))

    def kill_supervisor(self) -> None:
        """Kill it, and wait until nothing of it is left."""
        (place,) = self.own()
        os.kill(self.server.warm()["pid"], signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not place.exists()))

    def test_the_users_does_not_answer(self) -> None:
        """Others are served while it is asked; then there is one of the server's own again."""
        with silent(self.place) as clients:
            self.kill_supervisor()
            with clients.get(timeout=DEADLINE):
                self.assertEqual(self.server.get("/v1/files").status, 200)
                reply = self.server.get("/ready")
                self.assertEqual((reply.status, reply.json["message"]), (503, sentence("health_own_problem#warm")))
                self.assertEqual(self.own(), [], "they were answered first")
            self.server.wait_ready()
            self.assertEqual(len(self.own()), 1)
        self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")

    def test_the_users_takes_over(self) -> None:
        env = {"XDG_RUNTIME_DIR": str(self.place)}
        self.assertEqual(glovebox("warm", "start", "--image", "host", env=env).status, 0)
        self.addCleanup(glovebox, "warm", "stop", env=env)
        self.kill_supervisor()
        self.server.wait_ready()
        self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
        self.assertEqual(self.own(), [])

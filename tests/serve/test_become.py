"""Root's server becomes an ordinary user: what parses requests has nothing that is worth taking over."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from rootless import CGROUPS, delegated
from support.messages import message
from support.run import GLOVEBOX, execute, glovebox
from support.serve import ServeCase, Server
from support.small_image import NAME, make_store

UID = 4322
SECRET = "only-root-knows"
CODE = "import os\nprint(os.getuid(), open('in').read())\nopen('out', 'w').write('made'); None"
# Root's own build may be where nobody else can read it.
ENTER = '{ echo 0 > "$JOIN"; } 2> /dev/null; shift; exec FOLDER/bin/glovebox "$@"'


@unittest.skipIf(os.geteuid(), "cannot: only root becomes somebody else")
class Become(ServeCase):
    """A server of root's that is user 4322's."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start it as root."""
        super(ServeCase, cls).setUpClass()
        cls.enterClassContext(delegated(UID))
        folder = Path(tempfile.mkdtemp(prefix="serve-", dir="/tmp"))  # nobody else enters TMPDIR
        for name in ("", "tmp", "run"):
            (folder / name).mkdir(mode=0o700, exist_ok=True)
            os.chown(folder / name, UID, UID)
        built = Path(GLOVEBOX).resolve().parent
        for name in ("bin", "guest"):
            shutil.copytree(built.parent / name, folder / name, symlinks=True)
        join = CGROUPS / f"glovebox-{UID}" / "main" / "cgroup.procs"
        below = cls.below = ("env", f"JOIN={join}", "sh", "-c", ENTER.replace("FOLDER", str(folder)), "sh")
        (folder / "roots").write_text(SECRET)
        (folder / "roots").chmod(0o600)
        with (folder / "roots").open() as roots:
            cls.server = Server("--as", str(UID), folder=folder, below=below, pass_fds=[roots.fileno()],
                                env={"ROOTS_TOKEN": SECRET, "XDG_STATE_HOME": "/root/state", "LC_ALL": "C.UTF-8"})
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()

    def status(self, pid: int) -> dict[str, list[str]]:
        """Return what the kernel says of a process."""
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}

    def test_it_says_that_cells_share_its_id(self) -> None:
        """A user without a range of ids hears why, and what to do, once, at the start."""
        said = [line for line in self.server.said if re.search(message("supply_say_ids"), line)]
        self.assertEqual(len(said), 1, self.server.said)
        self.assertRegex(said[0], f"setup user {UID}")

    def test_it_and_all_that_it_starts_are_that_users(self) -> None:
        """No process of its family is root's, has a group of root's or a capability."""
        family = self.server.family()
        self.assertGreater(len(family), 2)
        for pid in family:
            status = self.status(pid)
            self.assertEqual(set(status["Uid"] + status["Gid"]), {str(UID)}, status)
            self.assertLessEqual(set(status["Groups"]), {str(UID)}, status)
        self.assertEqual(self.status(self.server.process.pid)["CapPrm"], ["0" * 16])

    def test_nothing_of_roots_comes_along(self) -> None:
        """Neither a file that root had open nor a variable of root's is there; those that are needed are."""
        for pid in self.server.family():
            for fd in Path(f"/proc/{pid}/fd").iterdir():
                self.assertNotIn("roots", os.readlink(fd), pid)
            self.assertNotIn(SECRET.encode(), Path(f"/proc/{pid}/environ").read_bytes(), pid)
        told = Path(f"/proc/{self.server.process.pid}/environ").read_bytes().split(b"\0")
        self.assertIn(b"LC_ALL=C.UTF-8", told)
        self.assertNotIn(b"XDG_STATE_HOME=/root/state", told)

    def test_no_other_process_of_that_user_looks_into_it(self) -> None:
        """It is not dumpable: ptrace(2), pidfd_getfd(2) and /proc are closed."""
        drop = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--inh-caps=-all"]
        for name in ("environ", "maps", "mem", "fd/0"):
            with self.subTest(name=name):
                path = f"/proc/{self.server.process.pid}/{name}"
                done = subprocess.run([*drop, "head", "-c1", path], capture_output=True, text=True, check=False)
                self.assertIn("Permission denied", done.stderr)

    def test_a_run_with_files(self) -> None:
        """Files go in and come out, and are its own on the disk."""
        id_ = self.uploaded("in", b"given")
        said = self.execute(CODE, files=[{"path": "in", "file_id": id_}])
        self.assertEqual((said["exit_code"], said["stdout"].split()[1:]), (0, ["given"]), said)
        (made,) = [file for file in said["files"] if file["path"] == "out"]
        self.assertEqual(self.server.get(f"/v1/files/{made['file_id']}").body, b"made")
        self.assertEqual(self.server.files.lstat().st_uid, UID)
        for path in self.server.files.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # of what the run had, some is being removed
                self.assertEqual(path.lstat().st_uid, UID, path)

    def test_a_session(self) -> None:
        """A session keeps its state, its files and its checkpoints."""
        made = self.server.post("/v1/sessions", {})
        self.assertEqual(made.status, 201, made)
        path = f"/v1/sessions/{made.json['session_id']}"
        self.server.post(f"{path}/python", {"code": "x = 6"})
        self.assertEqual(self.server.post(f"{path}/python", {"code": "x * 7"}).json["value"]["text/plain"], "42")
        put = self.server.ask("PUT", f"{path}/files/given", b"put")
        self.assertEqual(put.status // 100, 2, put)
        self.assertEqual(self.server.get(f"{path}/files/given").body, b"put")
        self.assertIn(b"given", self.server.get(f"{path}/files.tar").body)
        self.assertEqual(self.server.post(f"{path}/checkpoint", {"name": "six"}).status, 200)
        self.server.post(f"{path}/python", {"code": "x = 1"})
        self.assertEqual(self.server.post(f"{path}/rollback", {"name": "six"}).status, 200)
        self.assertEqual(self.server.post(f"{path}/python", {"code": "x"}).json["value"]["text/plain"], "6")
        self.assertEqual(self.server.delete(path).status, 204)

    def test_an_image_that_root_has_not_shared(self) -> None:
        """Root's images are none of that user's: the line says who shares one."""
        store = make_store(self.folder, 0)
        for folder in (self.folder, *self.folder.parents):
            if not folder.stat().st_mode & 0o001:
                folder.chmod(0o711)
        flags = ("--as", str(UID), "--image", NAME, "--files", str(self.server.folder / "other"))
        command = (*self.below, GLOVEBOX, "serve", *flags, "--listen", f"unix:{self.server.folder}/other.sock")
        env = {"GLOVEBOX_IMAGES": str(store), "XDG_RUNTIME_DIR": str(self.server.folder / "run")}
        said = self.assert_status(execute(command, env=env), 125)
        self.assertRegex(said.err, message("image_closed", f"{NAME}:latest", "root's", f"{NAME}:latest", "root"))


class Refused(ServeCase):
    """What is refused before anything is opened."""

    as_user = True

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(ServeCase, cls).setUpClass()

    def refused(self, *flags: str | Path) -> str:
        """Return what is said in the one line."""
        result = glovebox("serve", "--image", "host", "--files", self.folder / "files", *flags, timeout=30)
        self.assertEqual((result.status, len(result.err.splitlines())), (125, 1), result)
        return result.err

    def test_nobody(self) -> None:
        """A user who is not there."""
        self.assertRegex(self.refused("--as", "no-such-user"), message("become_look_up", "--as", '"no-such-user"'))

    @unittest.skipUnless(os.geteuid(), "cannot: root becomes anybody")
    def test_somebody_else(self) -> None:
        """An ordinary user stays who he is."""
        self.assertRegex(self.refused("--as", "root"), message("become_user#only"))

    @unittest.skipIf(os.geteuid(), "cannot: this is not root")
    def test_root_who_names_nobody(self) -> None:
        """What strangers send is not parsed as root, wherever they are, if root does not say so."""
        for listen in ("127.0.0.1:0", f"unix:{self.folder}/socket", "0.0.0.0:0"):
            said = self.refused("--listen", listen)
            self.assertRegex(said, message("main_may_run", "--as"))
        self.assertFalse((self.folder / "files").exists())

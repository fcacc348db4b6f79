"""docker-py's own integration tests against the Engine's socket, by docker-py 7.1 and 7.2 (make check-clients).

What docker_py_left_out.txt names must fail, for the reason there, and all else must pass.
"""

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from support.engine import EngineCase
from support.run import IS_ROOT, ROOT

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
TESTS, BUSYBOX = CLIENTS / "docker-py-tests", CLIENTS / "busybox/bin/busybox"
HERE = Path(__file__).parent

FOLDERS = "bin dev etc home proc root run sys tmp usr var var/opt var/tmp".split()
PASSWD = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
WHOLE_RUN = 110  # seconds: tests/run gives a test 120


def make_root() -> bytes:
    """Return the archive of a root that has Debian's busybox, under all of its names."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path in FOLDERS:
            folder = tarfile.TarInfo(path)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if path.endswith("tmp") else 0o755
            tar.addfile(folder)
        for path, data, mode in (("bin/busybox", BUSYBOX.read_bytes(), 0o755), ("etc/passwd", PASSWD, 0o644)):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
        names = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split()
        for name in {*names} - {"busybox"}:
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
    return out.getvalue()


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
class Suite(EngineCase):
    """All of its files but those that ask no Engine."""

    def setUp(self) -> None:
        """Have the images that it names; no registry is asked."""
        if not (TESTS / "tests").exists() or not BUSYBOX.exists():
            self.skipTest("cannot: docker-py's tests are missing (make check-clients)")
        self.given = {"GLOVEBOX_IMAGES": self.enterContext(tempfile.TemporaryDirectory())}
        super().setUp()
        path = "/images/create?fromSrc=-&repo=alpine&tag=3.10&changes=CMD%20%5B%22sh%22%5D"
        self.assert_answer(self.engine.request("POST", path, make_root(), {"Content-Type": "application/x-tar"}))
        for name in ("alpine", "busybox"):
            self.assert_answer(self.engine.post("/images/alpine:3.10/tag", repo=name, tag="latest"), 201)

    def perform(self, place: Path, version: str, part: str, least: int) -> None:
        """Perform a part of them by the docker-py of an environment; so many pass at least."""
        python = place / "bin/python3"
        if not python.exists():
            self.skipTest(f"cannot: docker-py {version} is missing (make check-clients)")
        env = {"DOCKER_HOST": self.engine.host, "PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(HERE)}
        env |= {"LEFT_OUT": str(HERE / "docker_py_left_out.txt"), "LATE": "30", "PART": part, "PYTHONDONTWRITEBYTECODE": "1"}
        words = [python, "-m", "pytest", "-p", "docker_py_plugin", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-q", "--tb=short", "-rfE"]
        words += ["tests/integration", "--ignore=tests/integration/credentials", "--ignore=tests/integration/context_api_test.py"]
        asked = [python, "-c", "import docker; print(docker.__version__)"]
        found = subprocess.run(asked, env=env, capture_output=True, text=True, check=True).stdout.strip()
        self.assertTrue(found.startswith(version), found)
        done = subprocess.run(words, cwd=TESTS, env=env, capture_output=True, text=True, timeout=WHOLE_RUN, check=False)
        last = done.stdout.rstrip().rpartition("\n")[2]
        print(f"docker-py {found}: {last}", file=sys.stderr)
        self.assertEqual(done.returncode, 0, f"{done.stdout[-8000:]}\n{done.stderr[-1000:]}")
        self.assertGreater(int(re.findall(r"(\d+) passed", last)[0]), least, last)

    def test_containers_by_7_1(self) -> None:
        """That of what stands on it."""
        self.perform(CLIENTS, "7.1.", "first", 40)

    def test_the_rest_by_7_1(self) -> None:
        """Execs, images, builds, volumes, and what its models make of them."""
        self.perform(CLIENTS, "7.1.", "rest", 90)

    def test_containers_by_7_2(self) -> None:
        """The newest."""
        self.perform(CLIENTS / "docker-py", "7.2.", "first", 40)

    def test_the_rest_by_7_2(self) -> None:
        """As before."""
        self.perform(CLIENTS / "docker-py", "7.2.", "rest", 90)

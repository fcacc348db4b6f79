"""A machine whose mounts are shared, as systemd makes them: nothing of a sandbox's appears in them.

Each test has a mount namespace of its own, whose mounts are shared among themselves and nobody else.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, places
from support.small_image import NAME, make_store
from support.times import DEADLINE

RUN = '"$0" run --warm=never {flags} {image} python3 -c "print(1)"'
WARM = f"""
"$0" warm start --image {NAME} --pool 1
for flags in "" --writable; do "$0" run --warm=require $flags {NAME} python3 -c 'print(1)'; done
"$0" warm stop
"""


class Shared(Case):
    """As root: an ordinary user's mounts are cloned in a namespace of his own."""

    kernel = ("test_image", "test_writable", "test_cells")

    @classmethod
    def setUpClass(cls) -> None:
        """Make an image."""
        super().setUpClass()
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: only root changes how mounts are shared")
        cls.home = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.home.chmod(0o755)
        cls.store = make_store(cls.home, 0)

    def check(self, script: str, times: int = 1) -> None:
        """A shell script prints a line each time, and the mounts are those that were there before."""
        around = f'mount --make-rshared /; cat /proc/self/mountinfo > "$1"; {script}\ncat /proc/self/mountinfo > "$2"'
        before, after = self.folder / "before", self.folder / "after"
        words = ["unshare", "--mount", "sh", "-ec", around, GLOVEBOX, before, after]
        env = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(self.folder)} | places()
        env |= {"GLOVEBOX_IMAGES": str(self.store), "XDG_RUNTIME_DIR": str(self.folder)}
        done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n" * times, ""))
        self.assertEqual(before.read_text(), after.read_text())

    def test_image(self) -> None:
        self.check(RUN.format(flags="", image=NAME))

    def test_image_with_a_place_that_it_lacks(self) -> None:
        self.check(RUN.format(flags="--tmpfs /opt/a/b --tmpfs /new", image=NAME))

    def test_writable(self) -> None:
        self.check(RUN.format(flags="--writable", image=NAME))

    def test_host(self) -> None:
        self.check(RUN.format(flags=f"-v {self.folder}:/data:ro", image="host"))

    def test_cells(self) -> None:
        self.check(WARM, times=2)

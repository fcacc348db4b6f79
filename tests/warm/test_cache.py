"""--cache in warm cells and sessions: no run is made cold by it, as root and as an ordinary user."""

import os
import shutil
import tempfile
from pathlib import Path

from support.ordinary_user import Anybody, OrdinaryUser
from support.run import IS_ROOT
from support.small_image import NAME, give_pip, make_store, make_wheel, skip_without_pip

INSTALL = """
import os, subprocess, sys
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--root-user-action=ignore"]
done = subprocess.run([*pip, "--target", "/tmp/p", "tablet"], capture_output=True, text=True)
print(done.returncode, done.stderr)
sys.path.insert(0, "/tmp/p")
import tablet
tablet.main()
print(os.access("/opt/glovebox/wheels", os.W_OK), os.environ.get("PIP_NO_INDEX"))
"""


class Cache(Anybody):
    """As who we are."""

    owner = 0 if IS_ROOT else os.geteuid()

    @classmethod
    def setUpClass(cls) -> None:
        """Make an image, and a cache with a wheel in it."""
        super().setUpClass()
        skip_without_pip()
        cls.home = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.home.chmod(0o755)
        cls.store = make_store(cls.home, cls.owner)
        give_pip(cls.store)
        wheels = cls.home / "cache/glovebox/wheels"
        wheels.mkdir(parents=True)
        make_wheel(wheels)

    def env(self) -> dict[str, str]:
        return super().env() | {"GLOVEBOX_IMAGES": str(self.store), "XDG_CACHE_HOME": f"{self.home}/cache"}

    def test_cells_and_sessions(self) -> None:
        self.start_warm(image=NAME)
        said = self.glovebox("run", "--warm=require", "--cache=pip", NAME, "python3", "-c", INSTALL)
        self.assert_prints("0 \na table\nFalse 1", said)
        name = self.assert_status(self.glovebox("session", "new", "--cache=pip", NAME)).out.strip()
        self.assert_prints("0 \na table\nFalse 1", self.glovebox("session", "exec", name, INSTALL))


class CacheOfAnOrdinaryUser(OrdinaryUser, Cache):
    """The same as an ordinary user."""

"""staying_root - a test with sandboxes that stay and whose root can be changed, of an image of the test's own."""

import os
import shutil
import tempfile
from pathlib import Path

from integration.staying import Staying
from support.run import IS_ROOT
from support.small_image import ID, NAME, fingerprint, make_store

WAIT = "import time\ntime.sleep(1000)"


class Root(Staying):
    """Tests with an image of their own."""

    store: Path
    as_user = True

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image."""
        super().setUpClass()
        place = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        cls.store = make_store(place, 0 if IS_ROOT else os.geteuid())
        python = next((cls.store / f"trees/{ID}/rootfs/usr/lib").glob("python3*"))
        cls.library = f"/usr/lib/{python.name}"
        cls.before = fingerprint(cls.store)

    def setUp(self) -> None:
        """Use the image."""
        super().setUp()
        self.env["GLOVEBOX_IMAGES"] = str(self.store)

    def tearDown(self) -> None:
        """Nothing of the image may have changed."""
        self.assertEqual(fingerprint(self.store), self.before)

    def box(self, *flags: str | Path, py: str = WAIT) -> str:
        """Leave a sandbox of the image behind; return its name."""
        quiet = ("-e", "PYTHONDONTWRITEBYTECODE=1")
        return self.stay("--writable", *quiet, *flags, image=NAME, argv=["python3", "-c", py])

    def py(self, name: str, script: str) -> str:
        """What a Python script prints in a sandbox that stays."""
        return self.assert_status(self.ours("exec", name, "python3", "-c", script)).out

    def diff(self, name: str) -> list[str]:
        """The lines of diff."""
        result = self.assert_status(self.ours("diff", name))
        self.assertEqual(result.err, "")
        return result.out.splitlines()

    def stop(self, name: str) -> None:
        """End a sandbox."""
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.end_of(name)

    def again(self, name: str) -> None:
        """End it, and start it anew."""
        self.stop(name)
        self.assert_status(self.ours("start", name))

    @property
    def layer(self) -> Path:
        """The file that keeps what the only sandbox had changed."""
        [record] = self.records
        return record / "layer"

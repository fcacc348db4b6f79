"""--writable and --ca for what a model writes: each execution may change the root of its own session."""

import os
import shutil
import tempfile
from pathlib import Path

from support.agent import AgentCase, answer, fence
from support.run import IS_ROOT
from support.serve import certificate
from support.small_image import NAME, fingerprint, make_store


class Writable(AgentCase):
    """With an image of the test's own."""

    own = True
    flags = ("--image", NAME, "--writable=16m")

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image."""
        super().setUpClass()
        cls.place = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.place.chmod(0o755)
        cls.store = make_store(cls.place, 0 if IS_ROOT else os.geteuid())

    def env(self) -> dict[str, str]:
        return super().env() | {"GLOVEBOX_IMAGES": str(self.store)}

    def test_the_root_is_changed_and_the_image_is_not(self) -> None:
        before = fingerprint(self.store)
        ca, _ = certificate(self.folder)
        run = self.agent(
            [
                fence("open('/usr/local/made', 'w').write('kept')", "import os", "print(os.environ['PIP_CERT'])"),
                fence("print(open('/usr/local/made').read(), os.statvfs('/').f_blocks * 4096 >> 20)"),
                answer("done"),
            ],
            *("--ca", str(ca)),
        )
        self.assert_status(run.result)
        self.assertIn("/run/glovebox/ca.pem", run.told(1))
        self.assertIn("kept 16", run.told(2))
        self.assertEqual(fingerprint(self.store), before)

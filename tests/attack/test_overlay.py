"""A root that may be changed (--writable): neither the image nor the host is reached through it.

Each attack is performed once more without the layer, and must then succeed.
"""

import os
import shutil
import tempfile
from pathlib import Path

from support.attack import SCRIPTS, AttackCase, Finished
from support.run import GLOVEBOX, IS_ROOT, TESTING
from support.small_image import ID, NAME, fingerprint, make_store


class OverlayTest(AttackCase):
    """Scripts in an image of the test's own."""

    kernel = True
    as_user = True
    quick = ("test_image_stays_as_it_is", "test_image_changes_without_the_overlay")

    @classmethod
    def setUpClass(cls) -> None:
        """Make an image with a file that anybody may write to."""
        super().setUpClass()
        place = Path(tempfile.mkdtemp(prefix="glovebox-attack-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        cls.store = make_store(place, 0 if IS_ROOT else os.geteuid())
        (cls.store / f"trees/{ID}/rootfs/etc/passwd").chmod(0o666)
        cls.before = fingerprint(cls.store)

    def attack(self, script: str, *flags: str, omit: str = "", store: Path | None = None) -> Finished:
        """Run a script of the attacks in the image."""
        env = dict(os.environ, GLOVEBOX_IMAGES=str(store or self.store))
        env.pop("GLOVEBOX_OMIT", None)
        if omit:
            env["GLOVEBOX_OMIT"] = omit
        given = ["-v", f"{SCRIPTS}:/attack:ro", "-e", "GLOVEBOX_ATTACK=sandbox", "--warm=never", *flags]
        program = TESTING if omit else GLOVEBOX
        return self.run_command([program, "run", *given, NAME, *self.command(script)], env)

    def assert_stopped(self, finished: Finished) -> None:
        """It changed nothing, and says so."""
        self.assertEqual((finished.status, finished.stdout), (1, "HELD\n"), finished)
        self.assertEqual(fingerprint(self.store), self.before, finished)

    def assert_works(self, finished: Finished) -> None:
        self.assertIn("ESCAPED", finished.stdout, finished)

    def test_image_stays_as_it_is(self) -> None:
        for user in ("1000", "0"):
            self.assert_stopped(self.attack("overlay_lower", "--writable", "-u", user))

    def test_image_changes_without_the_overlay(self) -> None:
        """What anybody may write to is written to, if neither the overlay nor its mount is in the way."""
        store = self.dir / "images"
        shutil.copytree(self.store, store, symlinks=True)
        before = fingerprint(store)
        finished = self.attack("overlay_lower", omit="ro-root,landlock", store=store)
        self.assertNotEqual(fingerprint(store), before, finished)

    def test_what_is_closed_stays_closed(self) -> None:
        for user in ("1000", "0"):
            self.assert_stopped(self.attack("overlay_closed", "--writable", "-u", user))

    def test_it_is_open_without_read_only_mounts(self) -> None:
        self.assert_works(self.attack("overlay_closed", "--writable", omit="ro-root"))

    def test_no_set_uid(self) -> None:
        self.assert_stopped(self.attack("setuid_anywhere", "--writable"))
        self.assert_works(self.attack("setuid_anywhere", "--writable", omit="nosuid"))

    def test_no_devices(self) -> None:
        self.assert_stopped(self.attack("device_anywhere", "--writable"))
        self.assert_works(self.attack("device_anywhere", "--writable", omit="nodev"))

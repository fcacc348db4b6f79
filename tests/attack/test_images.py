"""Images whose links lead to the host, and images whose files other users of the host want to read.

An image is somebody else's tree. Its links are made to point at a directory of the host that
does not exist in the image; if the root were built by following them, the directory would get
files, or mounts would land beside the root. And what is private in it must not become readable
for every user of the host on its way into the store.
"""

import io
import json
import os
import tarfile
import unittest
from pathlib import Path

from support.attack import AttackCase, Finished
from support.run import GLOVEBOX, IS_ROOT, Result, execute

TREE = "0" * 64
CONFIG = {
    "id": f"sha256:{TREE}",
    "created": "2026-01-01T00:00:00Z",
    "arch": "amd64",
    "env": [],
    "cmd": ["/bin/none"],
    "entrypoint": [],
    "user": "",
    "workdir": "",
}


class ImageLinkTest(AttackCase):
    """Nothing of the host is made, and nothing runs, where a link of the image is in the way."""

    quick = ("test_links_that_climb",)
    as_user = (
        "test_volume_target_is_below_a_link",
        "test_dev_and_proc_are_links",
        "test_tmpfs_and_output_are_links",
    )
    always: tuple[str, ...] = ()

    def setUp(self) -> None:
        super().setUp()
        self.victim = self.dir / "victim"
        self.victim.mkdir()
        self.victim.chmod(0o777)
        self.data = self.dir / "data"
        self.data.mkdir()

    def make_image(self, links: dict[str, str], **config: object) -> None:
        """Make a store with one image whose root holds nothing but links."""
        tree = self.dir / "store/trees" / TREE
        for folder in (tree / "rootfs", self.dir / "store/tags"):
            folder.mkdir(parents=True)
        (tree / "image.json").write_text(json.dumps(CONFIG | config))
        (tree / "manifest").write_text("")
        (self.dir / "store/tags/hostile:latest").symlink_to(f"../trees/{TREE}")
        for name, target in links.items():
            path = tree / "rootfs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)

    def run_image(self, *flags: str) -> Finished:
        """Run it; there is no program in it, so at best the end is 127."""
        env = dict(os.environ, GLOVEBOX_IMAGES=str(self.dir / "store"))
        command = [GLOVEBOX, "run", *self.always, *flags, "hostile", "/bin/none", self.token]
        finished = self.run_command(command, env)
        self.assertIn(finished.status, (125, 126, 127), finished)
        made = [str(path) for path in Path(self.victim).rglob("*")]
        self.assertEqual(made, [], f"made on the host\n{finished}")
        return finished

    def test_home_is_a_link(self) -> None:
        self.make_image({"home": str(self.victim)})
        self.run_image()

    def test_code_is_a_link(self) -> None:
        self.make_image({"code": str(self.victim)})
        script = self.dir / "script.py"
        script.write_text("print('hello')\n")
        self.run_image("--code", str(script))

    def test_workdir_is_below_a_link(self) -> None:
        self.make_image({"srv": str(self.victim)}, workdir="/srv/app/deep")
        self.run_image()

    def test_volume_target_is_below_a_link(self) -> None:
        self.make_image({"mnt": str(self.victim)})
        self.run_image("-v", f"{self.data}:/mnt/deep/data")

    def test_tmpfs_and_output_are_links(self) -> None:
        self.make_image({"tmp": str(self.victim), "output": str(self.victim)})
        self.run_image("--output", str(self.data))

    def test_dev_and_proc_are_links(self) -> None:
        links = {name: str(self.victim) for name in ("dev", "proc", "sys", "etc", "run")}
        self.make_image(links)
        self.run_image()

    def test_link_in_the_middle_of_a_path(self) -> None:
        self.make_image({"opt/app": str(self.victim)}, workdir="/opt/app/work")
        self.run_image("-v", f"{self.data}:/opt/app/data")

    def test_links_that_climb(self) -> None:
        self.make_image({"mnt": "../../../../../.." + str(self.victim)})
        self.run_image("-v", f"{self.data}:/mnt/deep/data")

    def test_seeds_of_the_home_climb(self) -> None:
        """The image's configuration, too, is somebody else's."""
        seeds = [{"path": "../../.." + str(self.victim / "x"), "target": "/etc/passwd"}]
        self.make_image({}, seeds=seeds, seed=seeds)
        self.run_image()


class WritableImageLinkTest(ImageLinkTest):
    """The same where mount points are made in an overlay over the image."""

    always = ("--writable",)


SECRET = "a key that only the image's owner may read"
OTHER_UID = 2_900_000 + os.getpid()  # nobody's


@unittest.skipUnless(IS_ROOT, "cannot: only root may become another user")
class OtherUserTest(AttackCase):
    """Another user of the host reads a file of mode 0600 in an image of root's.

    The layer: the directory around each tree of the store is 0700. Left out: `image share`, or the
    store of an earlier version, whose directories were 0755.
    """

    def setUp(self) -> None:
        super().setUp()
        for folder in self.dir.parents:  # the runner's
            if not folder.stat().st_mode & 0o001:
                folder.chmod(0o711)
        self.store = self.dir / "store"

    def image(self, *args: str, stdin: bytes = b"") -> Result:
        """Run `glovebox image` as root."""
        done = execute([GLOVEBOX, "image", *args], stdin, env={"GLOVEBOX_IMAGES": str(self.store)})
        self.assertEqual(done.status, 0, done.err)
        return done

    def add(self, name: str, text: str = SECRET) -> Result:
        """Import an image that has a private file."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            info = tarfile.TarInfo("etc/ssl/private/key")
            info.mode, info.size = 0o600, len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
        return self.image("import", "-", name, stdin=archive.getvalue())

    def read(self, name: str) -> str:
        """Return what the other user gets of the file by its name, or else of the whole store by all names."""
        script = 'cat "$1" 2>/dev/null || grep -rhs "" "$2" "$2/bases/key.tar" "$2/tmp/.kept/key.tar" || true'
        drop = ["setpriv", f"--reuid={OTHER_UID}", f"--regid={OTHER_UID}", "--clear-groups", "--inh-caps=-all"]
        path = self.store / f"tags/{name}:latest/rootfs/etc/ssl/private/key"
        return execute([*drop, "sh", "-c", script, "sh", str(path), str(self.store)]).out

    def test_a_private_file_of_an_image(self) -> None:
        self.add("mine")
        self.assertNotIn(SECRET, self.read("mine"))
        self.image("share", "mine")
        self.assertEqual(self.read("mine"), SECRET, "the attack works without the layer")

    def test_an_image_beside_a_shared_one(self) -> None:
        self.add("shared", "for all")
        self.image("share", "shared")
        self.add("mine")
        self.assertEqual(self.read("shared"), "for all")
        self.assertNotIn(SECRET, self.read("mine"))

    def test_an_image_that_is_shared_no_more(self) -> None:
        self.add("mine")
        self.image("share", "mine")
        self.image("share", "--off", "mine")
        self.assertNotIn(SECRET, self.read("mine"))

    def test_a_store_of_an_earlier_version(self) -> None:
        self.add("mine")
        for path in (self.store / "trees", *(self.store / "trees").iterdir()):
            path.chmod(0o755)
        (self.store / "bases").mkdir()
        (self.store / "bases/key.tar").write_text(SECRET)
        self.assertIn(SECRET, self.read("mine"), "the attack works on such a store")
        self.assertIn("image share", self.image("tag", "mine", "also").err)
        self.assertNotIn(SECRET, self.read("mine"))
        self.image("share", "mine")
        self.assertEqual(self.image("tag", "mine", "again").err, "", "said, and done, once")
        self.assertEqual(self.read("mine"), SECRET)

    def test_a_base_that_is_kept_between_builds(self) -> None:
        self.add("mine")
        bases = self.store / "tmp/.kept"
        bases.mkdir(mode=0o755)
        (bases / "key.tar").write_text(SECRET)
        self.assertNotIn(SECRET, self.read("mine"))

"""Images whose links lead to the host: every path that glovebox makes in a root can be hostile.

An image is somebody else's tree. Its links are made to point at a directory of the host that
does not exist in the image; if the root were built by following them, the directory would get
files, or mounts would land beside the root.
"""

import json
import os
from pathlib import Path

from support.attack import AttackCase, Finished
from support.run import GLOVEBOX

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

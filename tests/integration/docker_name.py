"""docker_name - a test in which glovebox is the `docker` of PATH, with a store of its own."""

import os

from support.case import Case
from support.run import GLOVEBOX


class DockerCase(Case):
    """`self.env` is the environment of a script that calls docker."""

    env: dict[str, str]

    def setUp(self) -> None:
        """Make the link, and an environment that finds it first."""
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/docker").symlink_to(os.path.realpath(GLOVEBOX))
        self.env = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "GLOVEBOX_IMAGES": f"{self.folder}/images",
        }

"""glovebox image build from outside: suites, names, and what is said of mirrors. Needs no mirror.

Programs in the places of mmdebstrap (fixtures/building) and apt-get say what those would.
"""

import json
import os
import shutil
import subprocess
import sysconfig
import unittest
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, ROOT, Result, execute

IMAGE = str(Path(GLOVEBOX).with_name("glovebox-image"))
BUILDING = ROOT / "tests/fixtures/building"
CAUSE = ROOT / "rootfs/hooks/cause.sh"
VERSION = sysconfig.get_python_version()

# What apt says: of Debian 12 (2.6, with gpgv) and of Debian 13 (3.0, with sqv).
MESSAGES = {
    "E: Release file for http://m/debian/dists/sid/InRelease is expired (invalid since 16d 14h "
    "18min 30s). Updates for this repository will not be applied.": "expired",
    "E: Release file for http://m/debian/dists/sid/InRelease is not valid yet (invalid for another "
    "2h 3min 4s). Updates for this repository will not be applied.": "early",
    "E: The repository 'http://m/debian nonsense Release' does not have a Release file.": "missing",
    "W: GPG error: http://m/debian trixie InRelease: The following signatures couldn't be verified "
    "because the public key is not available: NO_PUBKEY 6ED0E7B82643E131\n"
    "E: The repository 'http://m/debian trixie InRelease' is not signed.": "unsigned",
    "Warning: OpenPGP signature verification failed: http://m/debian sid InRelease: Sub-process "
    "/usr/bin/sqv returned an error code (1), error message is: Missing key B8B80B5B623EAB6AD87, "
    "which is needed to verify signature.": "unsigned",
    "E: Failed to fetch http://m/debian/dists/sid/InRelease  Could not connect to 127.0.0.1:9 "
    "(127.0.0.1). - connect (111: Connection refused)": "unreachable",
    "E: Failed to fetch http://m/debian/dists/sid/InRelease  Temporary failure resolving 'm'\n"
    "E: Some index files failed to download.": "unreachable",
    "E: Sub-process http received signal 9.": "",
}  # fmt: skip


class Causes(unittest.TestCase):
    """hooks/cause.sh by itself."""

    def test_each_message_of_apts_is_understood(self) -> None:
        for said, word in MESSAGES.items():
            with self.subTest(said=said):
                done = subprocess.run(
                    ["sh", str(CAUSE)], input=said, capture_output=True, text=True, check=False
                )
                self.assertEqual(done.stdout.strip(), word, done.stderr)


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
class Build(Case):
    """Builds without packages."""

    def setUp(self) -> None:
        """Put the programs in front, and make a store."""
        super().setUp()
        self.folder.chmod(0o755)
        self.bin = self.folder / "bin"
        shutil.copytree(BUILDING, self.bin)
        self.program("apt-get", "exit 0")

    def program(self, name: str, script: str) -> None:
        """Put a shell script in the place of a program of the host's."""
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def image(self, *args: str) -> Result:
        """Run glovebox-image."""
        path = f"{self.bin}:{os.environ['PATH']}"
        store = str(self.folder / "store")
        env = {"GLOVEBOX_IMAGES": store, "PATH": path, "TMPDIR": str(self.folder)}
        return execute([IMAGE, *args], env=env)

    def build(self, *args: str, **recipe: object) -> Result:
        """Build a recipe of its own."""
        file = self.file("mine.json", json.dumps(recipe))
        return self.image("build", "--mirror", "http://127.0.0.1:9/", *args, str(file))

    def names(self) -> list[str]:
        """Return the names that images have."""
        listed = json.loads(self.assert_status(self.image("ls", "--json")).out)
        return [row["reference"] for row in listed if row["id"] != "host"]

    def test_a_name_without_a_tag_says_the_version(self) -> None:
        lines = self.assert_status(self.build(suite="trixie")).out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["mine:latest", f"mine:{VERSION}"])
        self.assertEqual(lines[0].split()[1], lines[1].split()[1], "two names of one image")
        self.assertEqual(sorted(self.names()), sorted(["mine:latest", f"mine:{VERSION}"]))

    def test_a_name_of_the_users_says_the_version(self) -> None:
        self.assert_status(self.build("--tag", "registry.example:5000/a/b", suite="trixie"))
        self.assertIn(f"registry.example:5000/a/b:{VERSION}", self.names())

    def test_a_tag_is_the_only_name(self) -> None:
        for tag in ("mine:1", "other:latest"):
            self.assert_status(self.build("--tag", tag, suite="trixie"))
        self.assertEqual(sorted(self.names()), ["mine:1", "other:latest"])

    def commands(self, *args: str, **recipe: object) -> list[str]:
        """Return how mmdebstrap is called first; the build fails."""
        self.program("mmdebstrap", 'printf "<%s>\\n" "$@" >&2; exit 1')
        return self.assert_status(self.build(*args, **recipe), 125).err.splitlines()

    def test_every_suite_reaches_mmdebstrap(self) -> None:
        for suite in ("bullseye", "bookworm", "trixie", "sid"):
            with self.subTest(suite=suite):
                self.assertIn(f"<{suite}>", self.commands(suite=suite))
                self.assertIn(f"<{suite}>", self.commands("--suite", suite, suite="jammy"))

    def test_an_expired_index_is_taken_only_on_request(self) -> None:
        said = "\n".join(self.commands(suite="sid"))
        self.assertNotIn("Valid", said)
        option = "<--aptopt=Acquire::Min-ValidTime"
        self.assertIn(f'{option} "{30 * 86400}">', self.commands(suite="sid", stale_days=30))
        flag = self.commands("--stale-days", "7", suite="sid", stale_days=30)
        self.assertIn(f'{option} "{7 * 86400}">', flag)
        for days in ("0", "-1", "x", "3651"):
            self.assert_refused(self.build("--stale-days", days), "--stale-days")

    def test_a_mirror_that_fails_has_a_remedy(self) -> None:
        remedies = {
            "expired": "--stale-days DAYS",
            "early": "clock",
            "missing": "archive.debian.org",
            "unsigned": "debian-archive-keyring",
            "unreachable": "http_proxy",
            "": "its messages are above",
        }
        for said, word in MESSAGES.items():
            self.program("apt-get", f"cat <<'END'\n{said}\nEND\nexit 100")
            with self.subTest(said=said):
                result = self.assert_status(self.build(suite="sid"), 125)
                last = result.err.splitlines()[-1]
                self.assertIn(remedies[word], last)
                self.assertIn(said.splitlines()[0], result.err)

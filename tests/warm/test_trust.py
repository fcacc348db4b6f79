"""A warm Python is as trusted as glovebox: of whose image it is made, and who has to say so.

The images hold a copy of this machine's Python: one that was imported, one that glovebox-image
built, with a program in mmdebstrap's place (fixtures/building), so that no mirror is needed.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support.case import Case
from support.json_doc import faults
from support.processes import children
from support.run import GLOVEBOX, IS_ROOT, ROOT, Result, execute
from support.supervisor import nursery
from support.times import wait_until

FIXTURES = ROOT / "tests/fixtures/building"
IMAGE = str(Path(GLOVEBOX).with_name("glovebox-image"))


class Trust(Case):
    """Imported images are refused unless somebody vouches for them."""

    as_user = (
        "test_a_strangers_image_is_refused",
        "test_one_who_vouches_is_believed",
        "test_selftest_promises_no_warm_cells_of_it",
    )
    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        """One store with the image `stranger`."""
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="trust-")
        cls.addClassCleanup(scratch.cleanup)
        top = Path(scratch.name)
        top.chmod(0o755)
        cls.bin = top / "bin"
        shutil.copytree(FIXTURES, cls.bin)
        (cls.bin / "apt-get").write_text("#!/bin/sh\nexit 0\n")
        (cls.bin / "apt-get").chmod(0o755)
        subprocess.run([cls.bin / "mmdebstrap", "x", top / "root"], check=True, timeout=100)
        subprocess.run(["tar", "-C", top / "root", "-cf", top / "root.tar", "."], check=True)
        cls.store = top / "store"
        cls.image("import", str(top / "root.tar"), "stranger")

    @classmethod
    def environment(cls) -> dict[str, str]:
        """The store, and the programs of the fixture in front."""
        path = f"{cls.bin}:{os.environ['PATH']}"
        return os.environ | {"GLOVEBOX_IMAGES": str(cls.store), "PATH": path}

    @classmethod
    def image(cls, *args: str) -> None:
        """Run glovebox-image."""
        done = subprocess.run(
            [IMAGE, *args], env=cls.environment(), capture_output=True, text=True, timeout=100
        )
        if done.returncode:
            raise AssertionError(done.stderr)

    def warm(self, *args: str) -> Result:
        """Run a command of `glovebox warm`, with a runtime directory of the test's own."""
        env = self.environment() | {"XDG_RUNTIME_DIR": str(self.folder)}
        return execute([GLOVEBOX, "warm", *args], env=env)

    def start(self, *args: str) -> Result:
        """Start a supervisor; it ends with the test."""
        self.addCleanup(self.warm, "stop")
        return self.warm("start", "--pool", "1", *args)

    def assert_warm(self, image: str) -> None:
        """A program runs in a cell of it."""
        env = self.environment() | {"XDG_RUNTIME_DIR": str(self.folder)}
        argv = [GLOVEBOX, "run", "--warm=require", image, "python3", "-c", "print(6 * 7)"]
        self.assert_prints("42", execute(argv, env=env))

    def test_a_strangers_image_is_refused(self) -> None:
        for verb in ("start", "serve"):
            refused = self.warm(verb, "--image", "stranger")
            self.assert_refused(refused, "stranger", "imported", "--trust-image")

    def test_a_program_is_told_that_it_stays_cold(self) -> None:
        refused = self.warm("start", "--json", "--image", "stranger")
        self.assert_status(refused, 125)
        self.assertIn("--trust-image", refused.err)
        self.assertEqual(refused.json, {"state": "cold"})

    def test_a_program_is_told_that_it_is_ready(self) -> None:
        started = self.assert_status(self.start("--json", "--trust-image", "--image", "stranger"))
        self.assertEqual((started.json, started.err), ({"state": "ready"}, ""))
        self.assertEqual(faults(started.json, "Start"), [])

    def test_selftest_promises_no_warm_cells_of_it(self) -> None:
        """By what warm start says to programs, not by its message."""
        argv = [GLOVEBOX, "selftest", "--json", "--only", "warm", "--image", "stranger"]
        row = execute(argv, env=self.environment()).json["layers"][0]
        self.assertEqual(row["state"], "absent")
        self.assertIn("--trust-image", row["reason"])

    def test_another_failure_is_not_called_cold(self) -> None:
        failed = self.start("--json", "--preload", "no_such_module", "--trust-image", "--image", "stranger")
        self.assert_refused(failed, "no_such_module")
        self.assertEqual(failed.out, "")

    def test_a_new_tag_does_not_help(self) -> None:
        self.image("tag", "stranger", "python")
        self.assert_refused(self.warm("start"), "python", "imported", "--trust-image")

    def test_a_file_of_the_tree_says_nothing(self) -> None:
        """What our code writes lies beside the tree, where no archive reaches."""
        root = self.folder / "root"
        (root / "usr").mkdir(parents=True)
        (root / "image.json").write_text(json.dumps({"recipe": "python"}))
        archive = str(self.folder / "forged.tar")
        subprocess.run(["tar", "-C", root, "-cf", archive, "."], check=True)
        self.image("import", archive, "forged")
        self.assert_refused(self.warm("start", "--image", "forged"), "forged", "imported")

    def test_one_who_vouches_is_believed(self) -> None:
        self.assert_status(self.start("--image", "stranger", "--trust-image"))
        self.assert_warm("stranger")

    def status(self) -> dict[str, Any]:
        """Return what `warm status` says; empty when nobody answers."""
        said = self.warm("status", "--json")
        return {} if said.status else said.json

    def test_one_that_cannot_be_read_stops_no_supervisor(self) -> None:
        """A pipe without a writer stands for a file of a file system that does not answer."""
        self.assert_status(self.start("--image", "stranger", "--trust-image"))
        supervisor = self.status()["pid"]
        says = (self.store / "tags/stranger:latest").resolve() / "image.json"
        kept, pipe = says.with_name("kept"), says.with_name("pipe")
        says.rename(kept)
        os.mkfifo(says)
        os.kill(nursery(supervisor)[1], signal.SIGKILL)
        wait_until(lambda: self.status().get("restarts") != 0)
        wait_until(lambda: children(supervisor) or not self.status())
        for _ in range(2):
            self.assertEqual(self.status().get("state"), "restarting", "it waits for the file")
        says.rename(pipe)
        kept.rename(says)
        with contextlib.suppress(OSError):  # nobody waits there just now: then the next look is at the file
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))  # now it can be read
        pipe.unlink()
        self.assertTrue(wait_until(lambda: self.status().get("state") == "ready"))
        self.assert_warm("stranger")

    def test_a_cold_run_needs_nobody_to_vouch(self) -> None:
        argv = [GLOVEBOX, "run", "--warm=never", "stranger", "python3", "-c", "print(1)"]
        self.assert_prints("1", execute(argv, env=self.environment()))

    @unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
    def test_a_built_image_is_taken(self) -> None:
        recipe = self.file("mine.json", json.dumps({"suite": "bookworm"}))
        self.image("build", "--mirror", "http://127.0.0.1:9/", str(recipe))
        self.assert_status(self.start("--image", "mine"))
        self.assert_warm("mine")

    def test_the_flag_is_described(self) -> None:
        page = execute([GLOVEBOX, "generate", "man"]).out.replace("\\", "")
        self.assertIn("--trust-image", page)
        self.assertIn("its interpreter is then as trusted as glovebox itself", page)

    def agent(self, *flags: str) -> Result:
        """Give the agent a task; nobody plays the model, so it ends as soon as it may."""
        env = self.environment() | {"XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder)}
        argv = [GLOVEBOX, "agent", "--url", "http://127.0.0.1:9", "--image", "stranger", *flags]
        argv += ["--output", str(self.subfolder("out" + str(len(flags)))), "say hello"]
        return execute(argv, env=env)

    def test_the_agent_refuses_it(self) -> None:
        refused = self.agent()
        self.assertEqual(refused.status, 125, refused.err)
        self.assertIn("stranger", refused.err)
        self.assertIn("--trust-image", refused.err)

    def test_the_agent_takes_it_from_one_who_vouches(self) -> None:
        said = self.agent("--trust-image")
        self.assertNotIn("imported", said.err)
        self.assertIn("127.0.0.1:9", said.err)  # it is the model that is missing

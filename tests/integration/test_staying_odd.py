"""Odd files where the state of sandboxes that stay lies: no command of the same user waits for one."""

import os
import shutil
from pathlib import Path

from integration.staying import Staying
from support.run import unique

COMMANDS = (["ps", "-a"], ["inspect"], ["logs"], ["rename"], ["update", "--pids-limit", "20"], ["start"], ["rm", "-f"])


class Odd(Staying):
    """One that has ended, with a FIFO in the place of one of its files."""

    def setUp(self) -> None:
        """Have a whole one."""
        super().setUp()
        self.name, self.other = unique("odd"), unique("other")
        self.assert_status(self.detached("--name", self.name, sh="echo said"))
        self.end_of(self.name)
        self.assert_status(self.ours("update", "--pids-limit", "30", self.name))
        self.state_dir = self.folder / "state/glovebox"
        self.whole = shutil.copytree(self.state_dir, self.folder / "whole", symlinks=True, ignore=shutil.ignore_patterns("socket"))

    def restore(self) -> Path:
        """Have it whole again; return the directory of its record."""
        shutil.rmtree(self.state_dir)
        shutil.copytree(self.whole, self.state_dir, symlinks=True)
        return self.records[0]

    def put_fifo(self, path: Path) -> None:
        """Put a FIFO there that nobody has open."""
        path.unlink(missing_ok=True)
        os.mkfifo(path, 0o600)

    def run_all(self) -> None:
        """Run each command, which must end; whether it succeeds is its own affair."""
        for command in COMMANDS:
            names = {"ps": [], "rename": [self.name, self.other]}.get(command[0], [self.name])
            self.ours(*command, *names)

    def test_no_command_waits_for_a_fifo(self) -> None:
        files = ("record", "state", "state.new", "update", "update.new", "log", "log.old", "layer", "layer.new", "name", "name.new", "socket", "programs")
        for file in files:
            with self.subTest(file):
                record = self.restore()
                if (record / file).is_dir():
                    shutil.rmtree(record / file)
                self.put_fifo(record / file)
                self.run_all()

    def test_nor_for_one_beside_the_records(self) -> None:
        for file in ("names/.lock", "names/odd", "events/lines", "events/lines.old"):
            with self.subTest(file):
                self.restore()
                self.put_fifo(self.state_dir / file)
                self.run_all()

    def test_what_is_in_the_way_of_a_new_state_goes(self) -> None:
        record = self.restore()
        for file in ("state.new", "update.new"):
            self.put_fifo(record / file)
        self.assert_status(self.ours("update", "--pids-limit", "20", self.name))
        self.assert_status(self.ours("start", self.name))
        self.assertEqual(self.end_of(self.name), "0")

    def test_a_log_that_is_none_is_named(self) -> None:
        self.put_fifo(self.restore() / "log")
        self.assert_fails(self.ours("start", self.name), 1, "log")

    def test_nor_for_one_in_a_volume(self) -> None:
        self.assert_status(self.ours("volume", "create", "odd"))
        self.put_fifo(self.state_dir / "volumes/odd/volume")
        for words in (["ls"], ["inspect", "odd"], ["rm", "odd"], ["prune", "-a"]):
            self.ours("volume", *words)
        self.assert_status(self.detached("--name", self.other, "-v", "odd:/v", sh="true"), 125)

"""A volume that does not answer any more: a process that reads from it is stuck in the kernel, and no signal ends it."""

from support.case import Case
from support.run import OWNER, PYTHON, Result, command, execute
from support.stuck import silent_volume
from support.warm import Warm

SAID = "[STUCK]"
READ = "open('/data/file', 'rb').read(1)"
# It ends when its child waits for the volume.
CHILD = f"""
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {READ!r}])
while os.stat("/data/file").st_nlink == 1:
    time.sleep(0.02)
print("done")
"""


class DeadVolumes(Case):
    """A sandbox that cannot be ended is left behind in time, and that is told."""

    def run_there(self, *flags: str, code: str) -> Result:
        """Run Python with such a volume."""
        folder = self.subfolder("volume")
        with silent_volume(folder, OWNER[0]) as there:
            return execute([*there, *command("--json", "-v", f"{folder}:/data:ro", *flags, argv=[PYTHON, "-c", code])])

    def test_after_the_deadline(self) -> None:
        result = self.run_there("--timeout", "2s", code=READ)
        self.assertEqual(result.status, 124, result)
        self.assertEqual(result.err.count(SAID), 1, result)
        self.assertEqual(result.json["verdict"], "wall_time")
        self.assertTrue(result.json["left_behind"])

    def test_a_child_of_a_program_that_has_ended(self) -> None:
        """Its result is its own; nothing has to wait for a deadline."""
        result = self.run_there(code=CHILD)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.err.count(SAID), 1, result)
        self.assertEqual((result.json["verdict"], result.json["stdout"]), ("exited", "done\n"))
        self.assertTrue(result.json["left_behind"])

    def test_whatever_ends_in_time_is_not_left_behind(self) -> None:
        result = self.run_there(code="print('done')")
        self.assertEqual((result.status, result.err), (0, ""))
        self.assertFalse(result.json["left_behind"])


class Warmed(Warm):
    """The same in a cell, whose supervisor goes on."""

    def test_after_the_deadline(self) -> None:
        self.start_warm()
        folder = self.subfolder("volume")
        line = command("--json", "-v", f"{folder}:/data:ro", "--warm=require", "--timeout", "2s", argv=["python3", "-c", READ])
        with silent_volume(folder, OWNER[0]) as there:
            result = execute([*there, *line], env=self.env())
            self.assertEqual((result.status, result.err.count(SAID)), (124, 1), result)
            self.assertTrue(result.json["left_behind"])
            self.assertEqual(self.glovebox("run", "--warm=require", "host", "python3", "-c", "print(1)").out, "1\n")

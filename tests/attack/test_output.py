"""What a program leaves in /output, and what of it arrives on the host.

The controls use a plain volume at /output, which is what Docker's users know: there everything
arrives, so the scripts do plant what they say.
"""

import os
import stat

from given import SECRET
from given_host import hand_over
from support.attack import AttackCase, Finished

LIMITS = "size=16m,files=200"


class OutputTest(AttackCase):
    """The collector takes regular files and directories, follows nothing, and is bounded."""

    quick = ("test_links_pipes_sockets_are_left_behind",)
    as_user = (
        "test_links_pipes_sockets_are_left_behind",
        "test_unreadable_files_do_not_stop_the_collector",
        "test_deep_tree_is_survived",
        "test_swapping_goes_nowhere",
        "test_links_of_an_earlier_run_are_not_written_through",
        "test_collected_files_belong_to_the_caller",
    )

    def setUp(self) -> None:
        super().setUp()
        self.output = self.dir / "output"
        self.output.mkdir()
        self.secret = self.dir / "secret"
        self.secret.write_text(SECRET)

    def collect(self, script: str, *args: str, limits: str = LIMITS) -> Finished:
        """Run a script whose /output is staged and collected."""
        flags = ("--output", f"{self.output},{limits}")
        return self.run_inside(*flags, inside=self.command(script, *args))

    def by_volume(self, script: str, *args: str) -> Finished:
        """Run a script whose /output is the directory itself."""
        self.output.chmod(0o777)
        hand_over(self.output)
        flags = ("-v", f"{self.output}:/output")
        return self.run_inside(*flags, inside=self.command(script, *args))

    def arrived(self) -> dict[str, os.stat_result]:
        """Everything below the host's directory, by relative name; links are not followed."""
        found = {}
        for folder, folders, files, fd in os.fwalk(self.output):
            for name in (*folders, *files):
                path = os.path.relpath(os.path.join(folder, name), self.output)
                found[path] = os.stat(name, dir_fd=fd, follow_symlinks=False)
        return found

    def assert_plain(self) -> None:
        """Fail unless all that arrived is a plain file or directory, without special bits."""
        special = stat.S_ISUID | stat.S_ISGID
        for name, info in self.arrived().items():
            plain = stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)
            self.assertTrue(plain, f"{name!r} arrived as {stat.filemode(info.st_mode)}")
            self.assertFalse(info.st_mode & special, f"{name!r} has special bits")

    def used(self) -> int:
        """The room that the host's directory takes."""
        return sum(info.st_blocks * 512 for info in self.arrived().values())

    def test_links_pipes_sockets_are_left_behind(self) -> None:
        finished = self.collect("output_plant", str(self.secret))
        self.assertEqual(finished.status, 0, finished)
        self.assert_plain()
        self.assertEqual((self.output / "good.txt").read_text(), "good\n")
        for name in ("link", "link-to-secret", "link-to-root", "climb", "pipe", "socket"):
            self.assertNotIn(name, self.arrived())

    def test_what_was_refused_is_listed_without_control_characters(self) -> None:
        finished = self.collect("output_plant", str(self.secret))
        for name in ("link", "pipe"):
            self.assertIn(name, finished.stderr)
        self.assertNotIn("\x1b", finished.stderr, "an escape sequence reaches the terminal")
        self.assertNotIn("\nline", finished.stderr, "a name starts a line of its own")

    def test_unreadable_files_do_not_stop_the_collector(self) -> None:
        finished = self.collect("output_plant", str(self.secret))
        self.assertEqual(finished.status, 0, finished)
        self.assertIn("-rf", self.arrived())

    def test_links_and_pipes_arrive_in_a_plain_volume(self) -> None:
        finished = self.by_volume("output_plant", str(self.secret))
        self.assertIn("PLANTED", finished.stdout, finished)
        self.assertTrue((self.output / "link").is_symlink())
        self.assertTrue((self.output / "pipe").is_fifo())

    def test_deep_tree_is_survived(self) -> None:
        finished = self.collect("output_deep", limits="size=16m,files=2000")
        self.assertEqual(finished.status, 0, finished)
        self.assertEqual((self.output / "good.txt").read_text(), "good\n")
        self.assert_plain()

    def test_sparse_giants_stay_small(self) -> None:
        finished = self.collect("output_sparse")
        self.assertEqual(finished.status, 0, finished)
        self.assertEqual((self.output / "good.txt").read_text(), "good\n")
        self.assertLess(self.used(), 64 << 20, finished)

    def test_hard_links_do_not_multiply(self) -> None:
        finished = self.collect("output_hardlinks", limits="size=16m,files=500")
        self.assertEqual(finished.status, 0, finished)
        self.assertLess(self.used(), 64 << 20, finished)

    def test_hard_links_count_once_in_a_plain_volume(self) -> None:
        finished = self.by_volume("output_hardlinks")
        self.assertIn("PLANTED", finished.stdout, finished)
        self.assertEqual(len(self.arrived()), 201)

    def test_files_are_bounded(self) -> None:
        finished = self.collect("output_many", "1000")
        self.assertEqual((finished.status, finished.stdout.strip()), (1, "HELD"), finished)
        self.assertLessEqual(len(self.arrived()), 200)

    def test_files_are_not_bounded_with_a_larger_limit(self) -> None:
        finished = self.collect("output_many", "1000", limits="size=16m,files=2000")
        self.assertEqual(finished.status, 0, finished)
        self.assertEqual(len(self.arrived()), 1000)

    def test_swapping_goes_nowhere(self) -> None:
        for _ in range(5):
            finished = self.collect("output_swap")
            self.assertEqual(finished.status, 0, finished)
            self.assert_plain()
            self.assertNotIn("real/passwd", self.arrived())
            self.assertNotIn("trap/passwd", self.arrived())

    def test_links_of_an_earlier_run_are_not_written_through(self) -> None:
        victim = self.dir / "victim.txt"
        victim.write_text("as it was")
        (self.output / "report.txt").symlink_to(victim)
        (self.output / "folder").symlink_to(self.dir)
        finished = self.collect("output_onto_link")
        self.assertIn("PLANTED", finished.stdout, finished)
        self.assertEqual(victim.read_text(), "as it was")

    def test_pipe_of_an_earlier_run_does_not_block(self) -> None:
        os.mkfifo(self.output / "report.txt")
        finished = self.collect("output_onto_link")
        self.assertIn("PLANTED", finished.stdout, finished)
        self.assertEqual(
            (self.output / "folder/victim.txt").read_text(), "overwritten by the sandbox\n"
        )

    def test_collected_files_belong_to_the_caller(self) -> None:
        finished = self.collect("output_onto_link")
        self.assertEqual(finished.status, 0, finished)
        for name, info in self.arrived().items():
            self.assertEqual((info.st_uid, info.st_gid), (os.geteuid(), os.getegid()), name)
            self.assertFalse(info.st_mode & 0o002, f"{name} may be written by everybody")

"""Two sandboxes of one owner at the same time, and volumes whose source is swapped."""

import os
import threading

import attacks
from support.attack import AttackCase


class NeighbourTest(AttackCase):
    """Sandboxes that live at the same time do not meet."""

    quick = ("test_neighbours_do_not_meet",)
    as_user = True

    kernel = True

    def attacked(self, omit: str) -> tuple[str, str]:
        """Run the attacker beside the victim; return what each said."""
        victim = self.start(
            "-i", inside=self.command("neighbour_victim", self.token), omit=omit, stdin=-1
        )
        try:
            self.assertEqual(victim.stdout.readline(), "READY\n", "the victim did not start")
            attacker = self.start(inside=self.command("neighbour", self.token), omit=omit)
            said, errors = attacker.communicate(timeout=100)
            self.assertIn(attacker.returncode, (0, 1), f"{said}\n{errors}")
        finally:
            heard = victim.communicate(timeout=100)[0]
        self.assert_gone()
        return said, heard

    def test_neighbours_do_not_meet(self) -> None:
        said, heard = self.attacked("")
        self.assertEqual(said, "HELD\n")
        self.assertEqual(heard, "QUIET\n")

    def test_neighbours_meet_without_namespaces(self) -> None:
        said, _ = self.attacked("net-ns,loopback,ipc-ns,landlock,seccomp")
        for word in ("127.0.0.1", "glovebox-neighbour", "shared memory"):
            self.assertIn(word, said)

    def test_neighbours_have_ids_of_their_own(self) -> None:
        """As root: each sandbox has a host uid that no other has, and that is not 0."""
        if os.geteuid() != 0:
            self.skipTest("cannot: an ordinary user has one uid only")
        uids = set()
        running = []
        for _ in range(2):
            running.append(
                self.start("-i", inside=self.command("neighbour_victim", self.token), stdin=-1)
            )
            self.assertEqual(running[-1].stdout.readline(), "READY\n")
        for pid in self.inside():
            uids.add(os.stat(f"/proc/{pid}").st_uid)
        for process in running:
            process.communicate(timeout=100)
        self.assertEqual(len(uids), 2, uids)
        self.assertNotIn(0, uids)


class VolumeRaceTest(AttackCase):
    """The source of a volume is swapped for a link while glovebox starts."""

    as_user = True

    def test_mount_is_what_was_looked_at_or_nothing(self) -> None:
        good, other, name = self.dir / "good", self.dir / "other", self.dir / "data"
        for folder in (good, other):
            folder.mkdir()
            (folder / "mark").write_text("mine")
        good.rename(name)
        link = self.dir / "link"
        link.symlink_to(other)
        end = threading.Event()

        def swap() -> None:
            spare = self.dir / "spare"
            while not end.is_set():
                name.rename(spare)
                link.rename(name)
                name.rename(link)
                spare.rename(name)

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            mount = f"type=bind,source={name},target=/data,readonly"
            statuses = [self.mounted(mount) for _ in range(20)]
        finally:
            end.set()
            thread.join()
        self.assertLessEqual(set(statuses), {1, 125}, statuses)

    def mounted(self, mount: str) -> int:
        """Run the script that looks at /data; 125 is a refusal."""
        finished = self.run_inside("--mount", mount, inside=self.command("toctou_volume"))
        self.assertNotIn("ESCAPED", finished.stdout, finished)
        return finished.status


class ReachTest(AttackCase):
    """How much of the kernel answers; Docker with its hardened flags: 257."""

    def test_fewer_calls_are_answered_than_by_docker(self) -> None:
        bound = next(row.args[0] for row in attacks.CALLS if row.name == "reach_count")
        finished = self.run_inside(inside=self.command("reach_count", bound))
        print(finished.stdout.splitlines()[0])
        self.assertEqual(finished.status, 1, finished)
        self.assertLess(int(finished.stdout.split()[0]), 257)

"""rename: a sandbox that stays gets another name, in full or not at all."""

import os
import signal
import subprocess
from pathlib import Path

from integration.staying import Staying
from support.messages import message
from support.run import GLOVEBOX, command, execute, parallel, unique
from support.times import DEADLINE, wait_until


class Named(Staying):
    """A test that renames."""

    def setUp(self) -> None:
        """Choose two names."""
        super().setUp()
        self.old, self.new = unique("old"), unique("new")

    def kept(self, *flags: str) -> str:
        """Leave a sandbox behind that has the old name, and return its id."""
        return self.assert_status(self.detached("--name", self.old, *flags, argv=["sleep", "1000"])).out.strip()

    def ended(self, name: str) -> str:
        """Leave the record of one that has ended."""
        made = self.assert_status(self.detached("--name", name, argv=["true"])).out.strip()
        self.end_of(name)
        return made

    @property
    def names(self) -> dict[str, str]:
        """Return the names that are taken, and whose they are."""
        links = (self.folder / "state/glovebox/names").iterdir()
        return {link.name: os.readlink(link) for link in links if link.is_symlink()}

    def assert_is(self, id: str, name: str, free: str) -> None:
        """Assert that every command knows it by one name, and by the other one none."""
        self.assertEqual(self.described(name)["Id"], id)
        self.assertEqual(self.field(id, "Name"), f"/{name}")
        self.assertEqual(self.names, {name: id})
        self.assertRegex(self.ours("inspect", free).err, message("inspect_kinds_say_none#called", free))
        listed = self.ours("ps", "-a").out
        self.assertIn(name, listed)
        self.assertNotIn(free, listed)


class Rename(Named):
    """The command rename."""

    as_user = True

    def test_one_that_runs(self) -> None:
        id = self.kept()
        self.assert_prints("", self.ours("rename", self.old, self.new))
        self.assert_is(id, self.new, self.old)
        self.assertIn(self.new, self.ours("ps").out)
        self.assert_prints("in", self.inside(self.new, "echo in"))
        self.assert_fails(self.ours("exec", self.old, "true"), 125, self.old)
        self.assert_status(self.detached("--name", self.old, "--rm", argv=["sleep", "1000"]))  # the old name is free
        self.assert_prints(self.new, self.ours("stop", "-t", "0", self.new))
        self.assertEqual(self.field(self.old, "State.Running"), "true")
        self.assertEqual(self.field(self.new, "State.Running"), "false")

    def test_one_that_has_ended(self) -> None:
        id = self.ended(self.old)
        self.assert_prints("", self.ours("rename", id[:12], self.new))
        self.assert_is(id, self.new, self.old)
        self.assert_prints(self.new, self.ours("rm", self.new))
        self.assertEqual(self.names, {})

    def test_one_that_was_made_only(self) -> None:
        id = self.assert_status(self.ours("create", "--name", self.old, "host", "sleep", "1000")).out.strip()
        self.assert_status(self.ours("rename", self.old, self.new))
        self.assert_status(self.ours("start", self.new))
        self.assert_is(id, self.new, self.old)

    def test_one_without_a_name(self) -> None:
        id = self.assert_status(self.detached(argv=["sleep", "1000"])).out.strip()
        self.assert_status(self.ours("rename", id, self.new))
        self.assert_is(id, self.new, unique("none"))
        self.assert_status(self.ours("restart", "-t", "0", self.new))
        self.assert_is(id, self.new, unique("none"))
        self.assertIn(self.new, self.ours("ps").out)

    def test_start_of_a_later_day(self) -> None:
        """Its command line has the old name, which another one has by then."""
        id = self.kept()
        self.assert_status(self.ours("rename", self.old, self.new))
        self.assert_status(self.ours("kill", self.new))
        other = self.kept()
        self.assert_status(self.ours("start", self.new))
        self.assertEqual(self.names, {self.new: id, self.old: other})
        self.assertEqual({name for name in self.ours("ps", "-q").out.split() if name in self.names}, {self.new, self.old})

    def test_removed_at_its_end(self) -> None:
        self.kept("--rm")
        self.assert_status(self.ours("rename", self.old, self.new))
        self.assert_status(self.ours("kill", self.new))
        self.assertEqual((self.records, self.names), ([], {}))

    def test_there_and_back(self) -> None:
        for id in (self.kept(), self.ended(unique("ended"))):
            name = self.field(id, "Name")[1:]
            for _ in range(3):
                self.assert_status(self.ours("rename", id, self.new))
                self.assert_status(self.ours("rename", self.new, name))
            self.assertEqual(self.names[name], id)

    def test_a_name_that_is_taken(self) -> None:
        runs, taken = self.kept(), unique("taken")
        other = self.ended(taken)
        for one, name in ((runs, taken), (other, self.old)):
            said = self.ours("rename", one, name)
            self.assert_fails(said, 125, f'Conflict. The container name "/{name}" is already in use by ')
        self.assertEqual(self.names, {self.old: runs, taken: other})
        self.assertIn(self.old, self.ours("ps").out)

    def test_a_name_of_a_run_that_does_not_stay(self) -> None:
        """Neither one that runs nor one that has ended."""
        ended = unique("ended")
        self.kept()
        self.ended(ended)
        with subprocess.Popen(command("--name", self.new, argv=["sleep", "1000"])) as run:
            self.addCleanup(run.kill)
            wait_until(lambda: self.new in execute([GLOVEBOX, "ps", "-q"]).out.split())
            for name in (self.old, ended):
                self.assert_fails(self.ours("rename", name, self.new), 125, f'Conflict. The container name "/{self.new}"')
            self.assertIn(self.old, self.ours("ps").out)
            run.terminate()
            run.wait(DEADLINE)
        self.assert_status(self.ours("rename", ended, self.new))

    def test_a_run_that_does_not_stay_takes_no_name_of_a_record(self) -> None:
        self.ended(self.old)
        said = execute(command("--name", self.old, argv=["true"]), env=self.env)
        self.assert_fails(said, 125, f'Conflict. The container name "/{self.old}"')
        self.assert_status(self.ours("rm", self.old))
        self.assert_status(execute(command("--name", self.old, argv=["true"]), env=self.env))

    def test_wrong_words(self) -> None:
        id = self.kept()
        for words, said in (
            ((self.old, self.old), "same name"),
            ((self.old, "a/b"), "Invalid container name (a/b)"),
            ((self.old, "../up"), "Invalid container name"),
            ((self.old, ""), "Invalid container name ()"),
            ((self.old, "x" * 200), "Invalid container name"),
            (("nowhere", self.new), "No such container: nowhere"),
            ((self.old,), "OLD NEW"),
            ((self.old, self.new, self.new), "OLD NEW"),
        ):
            with self.subTest(words):
                self.assert_fails(self.ours("rename", *words), 125, said)
        self.assert_is(id, self.old, self.new)

    def test_under_the_name_docker(self) -> None:
        id = self.kept()
        (self.folder / "docker").symlink_to(os.path.realpath(GLOVEBOX))
        docker = str(self.folder / "docker")
        said = execute([docker, "rename", "nowhere", self.new], env=self.env)
        self.assert_fails(said, 1, "Error response from daemon: No such container: nowhere")
        self.assert_prints("", execute([docker, "container", "rename", self.old, self.new], env=self.env))
        said = execute([docker, "rename", self.new, self.new], env=self.env)
        self.assert_fails(said, 1, "Error response from daemon: Renaming ", "with the same name")
        self.assert_is(id, self.new, self.old)


    def test_links_that_do_not_count_are_removed(self) -> None:
        """As clients leave them that are killed while they rename or remove; a prune of others goes on."""
        id = self.kept()
        place = self.folder / "state/glovebox/names"
        for name, leads in (("removed", "0" * 64), ("renamed", id), ("odd", "/etc/passwd")):
            (place / name).symlink_to(leads)
        self.assert_prints(self.ended(self.new), self.ours("container", "prune"))
        self.assertEqual({path.name for path in place.iterdir()}, {".lock", self.old})
        self.assert_is(id, self.old, self.new)


class Moments(Named):
    """Several at once, and monitors and clients that are killed."""

    def test_several_want_one_name(self) -> None:
        """One gets it, whether it runs or not; so with a run of that name."""
        for _ in range(5):
            ids = [self.ended(unique("a")), self.ended(unique("b")), self.kept()]
            calls = [lambda id=id: self.ours("rename", id, self.new) for id in ids]
            calls.append(lambda: self.detached("--name", self.new, argv=["sleep", "1000"]))
            results = parallel(lambda call: call(), calls, len(calls))
            self.assertEqual(sorted(result.status for result in results), [0, 125, 125, 125])
            for result in results:
                self.assertIn("" if result.status == 0 else "Conflict. The container name", result.err)
            got = self.described(self.new)
            self.assertEqual((got["Name"], self.names[self.new]), (f"/{self.new}", got["Id"]))
            self.assertEqual(sorted(self.names.values()), sorted(record.name for record in self.records))
            self.assert_status(self.ours("rm", "-f", *(record.name for record in self.records)))

    def test_one_gets_several(self) -> None:
        names = [unique(f"n{number}") for number in range(6)]
        for id in (self.kept(), self.ended(unique("ended"))):
            parallel(lambda name, id=id: self.assert_status(self.ours("rename", id, name)), names, len(names))
            mine = [name for name, of in self.names.items() if of == id]
            self.assertEqual(mine, [self.field(id, "Name")[1:]])
            self.assert_status(self.ours("rm", "-f", id))

    def test_rm_and_start_meanwhile(self) -> None:
        for command_ in ("rm", "start"):
            for _ in range(10):
                id = self.ended(unique("ended"))
                renamed, other = parallel(lambda words: self.ours(*words), [("rename", id, self.new), (command_, id)], 2)
                if renamed.status:
                    self.assertIn("No such container", renamed.err)
                if self.records:
                    self.assertEqual(self.names, {self.field(id, "Name")[1:]: id})
                self.ours("rm", "-f", id)
                self.assertEqual((self.records, self.names), ([], {}), other)

    def test_a_client_that_is_killed(self) -> None:
        """Whatever it had done, the record has one name, and the other one is free."""
        for number in range(30):
            id = self.ended(self.old)
            with subprocess.Popen([GLOVEBOX, "rename", id, self.new], env=os.environ | self.env) as client:
                for _ in range(number * 2000):
                    pass
                client.kill()
            self.assert_one_name(id)

    def test_a_monitor_that_is_killed(self) -> None:
        for number in range(10):
            id = self.kept()
            monitor = self.state(id)["Pid"]
            with subprocess.Popen([GLOVEBOX, "rename", id, self.new], env=os.environ | self.env, stderr=subprocess.DEVNULL) as client:
                for _ in range(number * 5000):
                    pass
                os.kill(monitor, signal.SIGKILL)
                client.wait(DEADLINE)
            wait_until(lambda id=id: self.field(id, "State.Status") == "dead")
            self.assert_one_name(id)

    def assert_one_name(self, id: str) -> None:
        """Assert it of a record, and remove it."""
        name = self.field(id, "Name")[1:]
        free = ({self.old, self.new} - {name}).pop()
        self.assertEqual(self.described(name)["Id"], id)
        self.assertRegex(self.ours("inspect", free).err, message("inspect_kinds_say_none#called", free))
        self.assert_status(self.ours("create", "--name", free, "host", "true"))
        self.assert_status(self.ours("rm", "-f", free, id))

    def test_steps_of_one_that_was_killed(self) -> None:
        """A link that its record does not confirm is none; the name in the record counts."""
        id = self.ended(self.old)
        names = self.folder / "state/glovebox/names"
        (names / self.new).symlink_to(id)  # killed before the record said so
        self.assertRegex(self.ours("inspect", self.new).err, message("inspect_kinds_say_none#called", self.new))
        other = self.ended(self.new)
        self.assertEqual(self.described(self.new)["Id"], other)
        self.assert_status(self.ours("rm", self.new))
        Path(self.records[0] / "name").symlink_to(self.new)  # killed before the old link went
        (names / self.new).symlink_to(id)
        self.assertEqual(self.described(self.new)["Id"], id)
        self.assertRegex(self.ours("inspect", self.old).err, message("inspect_kinds_say_none#called", self.old))
        self.ended(self.old)

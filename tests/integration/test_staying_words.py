"""Words that a newcomer says to the commands of sandboxes that stay: names of other things, templates, filters, docker's statuses."""

import json
import os
import subprocess
from pathlib import Path

from integration.staying import WAITS, Staying
from support.messages import message
from support.run import GLOVEBOX, Result, command, execute, unique
from support.times import wait_until

OTHERS = (  # commands of one name, with what else they need
    *(("attach",), ("diff",), ("export",), ("logs",), ("pause",), ("port",), ("restart",), ("stats",), ("top",), ("unpause",), ("wait",)),
    *(("start",), ("rm",), ("inspect",), ("update", "--memory", "1g"), ("generate", "unit")),
)


class Named(Staying):
    """With docker's name at hand."""

    as_user = True

    def setUp(self) -> None:
        """Make the link."""
        super().setUp()
        self.link = self.folder / "docker"
        self.link.symlink_to(Path(GLOVEBOX).resolve())

    def docker(self, *args: str) -> Result:
        """Run a command under that name."""
        return execute([self.link, *args], env=self.env)


class Words(Named):
    """What a name is of."""

    def test_a_run_in_the_foreground(self) -> None:
        name = unique("run")
        line = [GLOVEBOX, *command("--name", name, sh=f"echo ready; {WAITS}")[1:]]
        self.start_ready(line, env=os.environ | self.env)
        for words in (*OTHERS, ("exec",)):
            with self.subTest(words):
                said = self.ours(*words, name, *(["true"] if words == ("exec",) else []))
                self.assertNotEqual(said.status, 0)
                self.assertEqual(said.err.count("\n"), 1, said.err)
                self.assertRegex(said.err, message("named_say_kind#foreground", name))
                self.assertIn(said.out, ("", "[]\n"))
        self.assert_status(self.ours("stop", "-t", "0", name))

    def test_nothing(self) -> None:
        for words in OTHERS:
            with self.subTest(words):
                said = self.ours(*words, "nowhere")
                self.assertNotEqual(said.status, 0)
                self.assertRegex(said.err, r"\Aglovebox: .*nowhere.*ps -a.*\n\Z")
                self.assertIn(said.out, ("", "[]\n"))

    def test_stats_of_nothing_has_no_heading(self) -> None:
        name = self.stay()
        for flags in ((), ("--json",)):
            self.assertEqual(self.ours("stats", *flags, "nowhere").out, "")
        one = self.ours("stats", "nowhere", name)
        self.assertEqual((one.status, len(one.out.splitlines())), (125, 2))
        self.assertEqual([row["name"] for row in json.loads(self.ours("stats", "--json", "nowhere", name).out)], [name])

    def test_inspect_finds_what_a_name_is_of(self) -> None:
        name, volume = self.stay(), unique("volume")
        self.assert_status(self.ours("volume", "create", volume))
        found = json.loads(self.assert_status(self.ours("inspect", name, "host", volume)).out)
        self.assertEqual([one.get("Id", one.get("Name")) for one in found][1:], ["host", volume])
        self.assertEqual(found[0]["Name"], f"/{name}")
        for type, its in (("container", name), ("image", "host"), ("volume", volume)):
            self.assert_status(self.ours("inspect", "--type", type, its))
            self.assertNotEqual(self.ours("inspect", "--type", type, "nowhere").status, 0)
        self.assertIn('glovebox: --type: "x" is not known here', self.ours("inspect", "--type=x", name).err)
        said = self.ours("inspect", "nowhere", "no/where:1", name)
        self.assertEqual((said.status, len(json.loads(said.out)), said.err.count("\n")), (125, 1, 2))
        self.assertRegex(said.err, message("inspect_kinds_say_none#called", "nowhere"))
        said = self.docker("inspect", "nowhere")
        self.assertEqual((said.status, said.out, said.err), (1, "[]\n", "Error: No such object: nowhere\n"))
        said = self.docker("inspect", "--type", "container", "nowhere")
        self.assertEqual((said.status, said.err), (1, "Error response from daemon: No such container: nowhere\n"))


class Docker(Named):
    """What people who know docker ask for."""

    def test_one_port(self) -> None:
        name = unique("ports")
        self.assert_status(self.detached("--name", name, "-p", "8000", "-p", "9000", sh=WAITS))
        address = self.assert_status(self.ours("port", name)).out.splitlines()[0].removeprefix("8000/tcp -> ")
        for port in ("8000", "8000/tcp"):
            self.assert_prints(address, self.docker("port", name, port))
        for port in ("80", "80000", "8000/udp", ""):
            self.assert_fails(self.docker("port", name, port), 1, f"no public port '{port}' published for {name}")

    def test_labels_variables_and_command(self) -> None:
        name = self.stay("--label", "a=b=c", "--label", "d", "-e", "A=1")
        config = self.described(name)["Config"]
        self.assertEqual((config["Labels"], config["Cmd"]), ({"a": "b=c", "d": ""}, ["/bin/sh", "-c", WAITS]))
        self.assertEqual((config["Env"][-1], [one for one in config["Env"] if one.startswith("PATH=")] != []), ("A=1", True))
        self.assert_prints("b=c", self.docker("inspect", "-f", "{{.Config.Labels.a}}", name))

    def test_stats_in_dockers_fields(self) -> None:
        name = self.stay()
        row = json.loads(self.assert_status(self.docker("stats", "--no-stream", "--format", "json", name)).out)
        self.assertEqual((row["Name"], row["ID"]), (name, self.described(name)["Id"][:12]))
        self.assertRegex(row["CPUPerc"], r"\A\d+\.\d\d%\Z")
        self.assertRegex(row["MemUsage"], r" / 512 MiB\Z")
        said = self.docker("stats", "-a", "--format", r"table {{.Name}}\t{{.PIDs}}", name)
        self.assertRegex(said.out, rf"\ANAME\tPIDS\n{name}\t\d+\n\Z")

    def test_groups_of_commands(self) -> None:
        name = self.stay()
        self.assertIn(self.described(name)["Id"][:12], self.docker("container", "ls", "-q").out)
        self.assert_prints("linux", self.docker("system", "info", "-f", "{{.OSType}}"))
        self.assertIn(name, self.docker("system", "events", "--since", "1m", "--until", "0s").out)
        self.assertEqual(self.docker("container", "inspect", "host").status, 1)


class Templates(Named):
    """--format."""

    def test_what_is_not_understood_is_named_once(self) -> None:
        name, volume = self.stay(), unique("volume")
        self.stay()
        self.assert_status(self.ours("volume", "create", volume))
        lists: list[tuple[str, ...]] = [("ps", "-a"), ("images",), ("volume", "ls"), ("events",), ("version",), ("info",), ("stats",)]
        for words in [*lists, ("inspect", name), ("image", "inspect", "host"), ("volume", "inspect", volume)]:
            for template, part in (
                ("{{.ID", '"{{.ID" has no }} at its end'),
                ("a {{", '"{{" has no }} at its end'),
                ("x {{.Nope}} y", '"{{.Nope}}" is not known here'),
                ("{{json .Nope}}", '"{{json .Nope}}" is not known here'),
                ("{{if .ID}}x{{end}}", '"{{if .ID}}" is not known here'),
                ("{{}}", '"{{}}" is not known here'),
            ):
                with self.subTest(words, template=template):
                    said = self.ours(*words, "--format", template)
                    self.assertEqual((said.status, said.out, said.err), (125, "", f"glovebox: --format: {part}\n"))
                    self.assertEqual(self.docker(*words, "--format", template).status, 1)

    def test_the_nearest_name_is_proposed(self) -> None:
        name = self.stay()
        self.assertIn("is {{.Names}} meant?", self.ours("ps", "--format", "{{.Name}}").err)
        self.assertIn("is {{.State.Status}} meant?", self.ours("inspect", "-f", "{{.State.Statu}}", name).err)
        self.assertIn("{{json .State}} prints them", self.ours("inspect", "-f", "{{.State}}", name).err)

    def test_lines_and_tabs(self) -> None:
        name = self.stay()
        said = self.ours("ps", "-f", f"name={name}", "--format", r"{{.Names}}\t{{.State}}\n}}")
        self.assert_prints(f"{name}\trunning\n}}}}", said)


class Filters(Named):
    """ps --filter."""

    def names(self, *flags: str) -> list[str]:
        """Return the names that are listed."""
        words = [word for flag in flags for word in ("-f", flag)]
        return self.assert_status(self.docker("ps", "--format", "{{.Names}}", *words)).out.split()

    def test_filters(self) -> None:
        one, two = self.stay("--label", "a=b", "--label", "c"), self.stay("--label", "a=d")
        ended = self.stay(sh="exit 3")
        self.end_of(ended)
        mine = [f"name={name}" for name in (one, two, ended)]
        id = self.described(one)["Id"]
        self.assertEqual(self.names(f"name={one[:-3]}"), [one])
        self.assertEqual(sorted(self.names(*mine)), sorted([one, two]))
        self.assertEqual(self.names(f"id={id[:20]}"), [one])
        self.assertEqual(self.names(*mine, "label=a=b"), [one])
        self.assertEqual(sorted(self.names(*mine, "label=a")), sorted([one, two]))
        self.assertEqual(self.names(*mine, "label=a", "label=c"), [one])
        self.assertEqual(self.names(*mine, "status=exited"), [ended])
        self.assertEqual((self.names(*mine, "exited=3"), self.names(*mine, "exited=4")), ([ended], []))
        self.assertEqual(sorted(self.names(*mine, "ancestor=host")), sorted([one, two]))
        self.assertEqual(self.names(*mine, "ancestor=hos"), [])
        self.assert_status(self.ours("pause", two))
        self.assertEqual(self.names(*mine, "status=paused"), [two])
        self.assert_prints(id[:12], self.docker("ps", "-qf", f"name={one}"))
        self.assert_prints(one, self.ours("ps", "-q", "-f", f"name={one}"))
        self.assert_fails(self.docker("ps", "-f", "foo=1"), 125, '"foo=1" is not known here: name=, id=,')
        wrong = '"status=runing" can never be: status is one of created, running, paused, hibernated, exited, dead'
        self.assert_fails(self.docker("ps", "-f", "status=runing"), 125, wrong)
        self.assert_fails(self.docker("ps", "-f", "exited=x"), 125, "--filter: exited", '"x"')
        self.assertEqual(self.names(*mine, "status=restarting"), [])  # docker's


class Statuses(Named):
    """Under the name docker a refusal of what docker's daemon would refuse has status 1."""

    def test_an_unknown_container(self) -> None:
        for words in (
            *(("attach",), ("logs",), ("logs", "-f"), ("wait",), ("start",), ("restart",), ("stop",), ("kill",), ("rm",), ("top",), ("port",)),
            *(("pause",), ("unpause",), ("stats",), ("diff",), ("export",), ("update", "-m", "1g"), ("container", "inspect"), ("start", "-a")),
        ):
            with self.subTest(words):
                said = self.docker(*words, "nowhere")
                self.assertEqual((said.status, said.err), (1, "Error response from daemon: No such container: nowhere\n"))
        for line in ("exec nowhere true", "exec -d nowhere true", "cp nowhere:/x .", "rename nowhere some", "commit nowhere x"):
            with self.subTest(line):
                said = self.docker(*line.split())
                self.assertEqual((said.status, said.err), (1, "Error response from daemon: No such container: nowhere\n"))
        self.assertEqual(self.docker("run", "no-such-image", "true").status, 125)

    def test_an_unknown_image_or_volume(self) -> None:
        for line in (
            *("rmi no-such", "tag no-such x", "save -o x no-such", "load -i no-such", "import no-such x", "image inspect no-such"),
            *("volume inspect no-such", "volume rm no-such", "inspect no-such"),
        ):
            with self.subTest(line):
                said = self.docker(*line.split())
                self.assertEqual((said.status, said.err.count("\n")), (1, 1), said.err)

    def test_one_that_does_not_run(self) -> None:
        name = self.stay(sh="true")
        self.end_of(name)
        for line in (f"exec {name} true", f"attach {name}", f"kill {name}", f"pause {name}", f"top {name}", f"stats {name}"):
            with self.subTest(line):
                said = self.docker(*line.split())
                self.assertEqual((said.status, said.err.count("\n")), (1, 1), said.err)
                self.assertRegex(said.err, r"\AError response from daemon: ")

    def test_one_that_is_paused(self) -> None:
        name = self.stay()
        self.assert_status(self.ours("pause", name))
        said = self.docker("exec", name, "true")
        self.assertEqual(said.status, 1)
        self.assertRegex(said.err, message("starting_exec#paused", "Error response from daemon"))

"""A ceiling of a caller's: GLOVEBOX_CEILING, and `glovebox engine --ceiling` for clients of its socket.

What each test refuses is done first without the ceiling.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from support.case import Case
from support.engine import Answer, Engine, EngineCase
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, Result, execute, parallel
from support.times import DEADLINE

BOUND = message("mount_bound_refuse")
MORE = message("setting_ceiling_refuse")
COUNT = message("record_count_check#there are")


class Bounded(Case):
    """A ceiling, `self.ceiling`, and a directory that it allows, `self.data`."""

    def setUp(self) -> None:
        super().setUp()
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        (self.data / "in").mkdir(parents=True)
        (self.data / "in/mark").write_text("in")
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        (self.elsewhere / "mark").write_text("out")
        self.ceiling = self.say(mounts=[str(self.data)])

    def say(self, **values: Any) -> Path:
        """Write the ceiling anew."""
        path = self.file("ceiling.json", json.dumps(values))
        path.chmod(0o644)
        return path


class Callers(Bounded):
    """The variable, for commands of every name."""

    def setUp(self) -> None:
        super().setUp()
        self.env = {"XDG_STATE_HOME": f"{self.folder}/state"}
        self.addCleanup(self.remove_all)
        self.docker = self.folder / "docker"
        self.docker.symlink_to(Path(GLOVEBOX).resolve())

    def remove_all(self) -> None:
        """Remove what stays."""
        place = self.folder / "state/glovebox/sandboxes"
        if ids := [record.name for record in place.iterdir()] if place.exists() else []:
            self.free("rm", "-f", *ids)

    def free(self, *words: str | Path, program: str | Path = GLOVEBOX) -> Result:
        """Run a command without the ceiling."""
        return execute([program, *words], env=self.env)

    def ask(self, *words: str | Path, program: str | Path = GLOVEBOX, ceiling: str | None = None) -> Result:
        """Run it with the ceiling."""
        return execute([program, *words], env=self.env | {"GLOVEBOX_CEILING": ceiling or str(self.ceiling)})

    def both(self, *words: str | Path, why: Any = BOUND, program: str | Path = GLOVEBOX) -> None:
        """Assert that a command works, and not with the ceiling."""
        with self.subTest(words):
            self.assert_status(self.free(*words, program=program))
            self.assert_refused(self.ask(*words, program=program), why, str(self.ceiling))

    def test_sources_lie_in_the_directories(self) -> None:
        run = ("run", "--warm=never")
        for flags in (
            ("-v", f"{self.elsewhere}:/x"),
            ("-v", f"{self.elsewhere}/mark:/x/mark:ro"),
            ("-v", f"{self.folder}:/x:ro"),
            ("--mount", f"type=bind,source={self.elsewhere},target=/x"),
            ("--mount", f"type=bind,source={self.elsewhere},target=/x,readonly"),
            ("--workspace", str(self.elsewhere)),
            ("--output", str(self.elsewhere)),
        ):
            self.both(*run, *flags, "host", "true")
        for flags in (
            ("-v", f"{self.data}:/x"),
            ("-v", f"{self.data}/in:/x:ro"),
            ("-v", f"{self.data}/in/mark:/x/mark"),
            ("-v", "a-volume:/x"),
            ("--tmpfs", "/x"),
            ("--output", f"{self.data}/collected"),
            ("--workspace", f"{self.data}/in"),
        ):
            with self.subTest(flags):
                self.assert_status(self.ask(*run, *flags, "host", "true"))
        self.assert_status(self.free("volume", "rm", "a-volume"))

    def test_no_directory_is_allowed(self) -> None:
        self.say(mounts=[])
        self.both("run", "--warm=never", "-v", f"{self.data}:/x", "host", "true")
        self.say(mounts=[f"{self.folder}/is-not-there"])
        self.both("run", "--warm=never", "-v", f"{self.data}:/x", "host", "true")

    def test_links_do_not_lead_out(self) -> None:
        (self.data / "link").symlink_to(self.elsewhere)
        (self.data / "in/up").symlink_to("../..")
        (self.data / "file").symlink_to(self.elsewhere / "mark")
        for source in ("link", "in/up", "in/up/elsewhere", "file", "../elsewhere", "in/../../elsewhere"):
            for how in ("", ":ro"):
                self.both("run", "--warm=never", "-v", f"{self.data}/{source}:/x{how}", "host", "true")
        (self.elsewhere / "back").symlink_to(self.data / "in")  # what counts is where it leads
        said = self.ask("run", "--warm=never", "-v", f"{self.elsewhere}/back:/x", "host", "cat", "/x/mark")
        self.assertEqual(said.out, "in", said.err)

    def test_what_is_missing_is_made_in_the_directories_alone(self) -> None:
        run = ("run", "--rm")
        for number, source in enumerate(("new", "new/er/and/deep", "link/new", "../data/../elsewhere/x")):
            (self.data / "link").unlink(missing_ok=True)
            (self.data / "link").symlink_to(self.elsewhere)
            path = f"{self.elsewhere if number < 2 else self.data}/{source}"
            said = self.ask(*run, "-v", f"{path}:/x", "host", "true", program=self.docker)
            self.assert_refused(said, BOUND)
            self.assertEqual(os.listdir(self.elsewhere), ["mark"])
        self.assert_status(self.ask(*run, "-v", f"{self.data}/new/er:/x", "host", "true", program=self.docker))
        self.assertTrue((self.data / "new/er").is_dir())
        self.assert_status(self.free(*run, "-v", f"{self.data}/link/new:/x", "host", "true", program=self.docker))
        self.assertTrue((self.elsewhere / "new").is_dir())

    def test_what_is_elsewhere_is_not_told(self) -> None:
        """A missing source and one that is there are refused in the same words."""
        said = set()
        for command in ("run", "create"):
            for name in ("mark", "missing", "missing/more", "mark/more", "docker.sock"):
                result = self.ask(command, "-v", f"{self.elsewhere}/{name}:/x", "host", "true", program=self.docker)
                self.assert_refused(result, BOUND)
                said.add(result.err.replace(name, ""))
        self.assertEqual(len(said), 1, said)

    def test_limits_and_the_network(self) -> None:
        self.say(limits={"memory": "64m", "cpus": 0.5}, egress=["*.example.org"], publish=False)
        run = ("run", "--warm=never")
        self.both(*run, "-m", "100m", "host", "true", why=MORE)
        self.both(*run, "--cpus", "1", "host", "true", why=MORE)
        self.both(*run, "--cpu-quota", "60000", "host", "true", why=MORE)
        self.both(*run, "--egress", "example.com", "host", "true", why=message("egress_within_refuse"))
        self.both(*run, "--allow-host", "80", "host", "true", why=message("egress_within_refuse"))
        self.both(*run, "-p", "80", "host", "true", why=message("policy_file_check_network"))
        self.assert_status(self.ask(*run, "-m", "64m", "--egress", "a.example.org", "host", "true"))

    def test_a_record_that_is_older_is_judged_at_its_start(self) -> None:
        self.assert_status(self.free("create", "--name", "old", "-v", f"{self.elsewhere}:/x", "host", "cat", "/x/mark"))
        self.assert_status(self.free("create", "--name", "big", "-m", "100m", "host", "true"))
        self.assert_status(self.free("start", "old"))
        self.assert_status(self.free("wait", "old"))
        for verb in ("start", "restart"):
            self.assert_failed(self.ask(verb, "old"), BOUND)
        self.say(limits={"memory": "64m"})
        for verb in ("start", "restart"):
            self.assert_failed(self.ask(verb, "big"), MORE)
        self.assert_status(self.free("start", "big"))

    def assert_failed(self, said: Result, why: Any) -> None:
        """Assert that a command of docker's daemon failed, and why."""
        self.assertNotEqual(said.status, 0, said)
        self.assertRegex(said.err, why)

    def test_update_raises_nothing(self) -> None:
        self.say(limits={"memory": "64m", "cpus": 0.5, "pids_limit": 20}, egress=[], publish=False)
        command = ("run", "-d", "--name", "one", "-m", "64m", "--cpus", "0.5", "--pids-limit", "20", "host", "sleep", "60")
        self.assert_status(self.ask(*command))
        for flags in (("-m", "65m"), ("--cpus", "0.6"), ("--pids-limit", "21"), ("-m", "0")):
            with self.subTest(flags):
                self.assert_failed(self.ask("update", *flags, "one"), MORE)
        self.assert_status(self.ask("update", "-m", "60m", "one"))
        self.assert_status(self.free("update", "-m", "100m", "one"))

    def test_sandboxes_are_counted(self) -> None:
        self.say(sandboxes=2)
        self.assert_status(self.ask("create", "host", "true"))
        self.assert_status(self.ask("run", "-d", "host", "true"))
        self.both("create", "host", "true", why=COUNT)
        self.both("run", "-d", "host", "true", why=COUNT)
        self.assert_status(self.ask("run", "host", "true"))  # it does not stay
        self.say(sandboxes=0)
        self.both("create", "host", "true", why=COUNT)

    def test_as_many_as_are_allowed_are_made_at_once(self) -> None:
        self.say(sandboxes=3)
        said = parallel(lambda _: self.ask("create", "host", "true").status, range(8), workers=8)
        self.assertEqual(sorted(said), [0] * 3 + [125] * 5)

    def test_an_invalid_file_refuses_every_command(self) -> None:
        self.assert_status(self.free("create", "--name", "one", "host", "true"))
        bad = self.file("bad.json", "{")
        for ceiling in (str(bad), f"{self.folder}/missing", str(self.folder), "ceiling.json"):
            for words in (
                ("run", "host", "true"),
                ("create", "host", "true"),
                ("start", "one"),
                ("restart", "one"),
                ("update", "-m", "64m", "one"),
                ("exec", "one", "true"),
                ("ps",),
                ("volume", "create", "some"),
                ("commit", "one", "some"),
                ("build", "."),
            ):
                with self.subTest(words=words, ceiling=ceiling):
                    said = self.ask(*words, program=self.docker, ceiling=ceiling)
                    self.assertEqual((said.status, said.out), (125, ""), said)
                    self.assertIn(ceiling, said.err)
        if IS_ROOT:
            os.chown(self.ceiling, 1234, 0)
            self.assertIn("1234", self.ask("run", "host", "true").err)

    def test_a_machines_file_has_the_same_keys(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root may put another /etc in the place of this one")
        etc = self.folder / "etc"
        shutil.copytree("/etc", etc, symlinks=True, ignore=shutil.ignore_patterns("glovebox"))
        place = etc / "glovebox/policy.d"
        place.mkdir(parents=True, mode=0o755)
        (place / "10-site.json").write_text(json.dumps({"mounts": [str(self.folder)], "sandboxes": 1}))
        inside = 'mount --bind "$0" /etc; exec "$@"'
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", inside, str(etc)]

        def there(*words: str, **more: str) -> Result:
            return execute([*enter, GLOVEBOX, "run", "--warm=never", *words, "host", "true"], env=self.env | more)

        self.assert_status(there())
        self.assert_refused(there("-v", "/usr:/x:ro"), BOUND, "/etc/glovebox/policy.d/10-site.json")
        self.assert_status(there("-v", f"{self.elsewhere}:/x"))
        both = {"GLOVEBOX_CEILING": str(self.ceiling)}  # each holds
        self.assert_refused(there("-v", f"{self.elsewhere}:/x", **both), BOUND, str(self.ceiling))
        self.assert_status(there("-v", f"{self.data}:/x", **both))


class Clients(Bounded, EngineCase):
    """The same over the socket."""

    def bounded(self, **values: Any) -> Engine:
        """Start an Engine with a ceiling."""
        return self.start_engine("--ceiling", str(self.say(**values)))

    def post(self, engine: Engine, **body: Any) -> Answer:
        """Create a container."""
        return engine.post("/containers/create", {"Image": "host", "Cmd": ["true"], **body})

    def both(self, engine: Engine, why: str, **body: Any) -> None:
        """Assert that it works, and not with the ceiling."""
        with self.subTest(body):
            self.assert_answer(self.post(self.engine, **body), 201)
            self.assert_answer(self.post(engine, **body), 400, why, str(self.ceiling))

    def test_mounts(self) -> None:
        engine = self.bounded(mounts=[str(self.data)])
        (self.data / "link").symlink_to(self.elsewhere)
        for source in (str(self.elsewhere), f"{self.data}/link", f"{self.data}/../elsewhere", f"{self.elsewhere}/mark"):
            self.both(engine, "cannot be mounted", HostConfig={"Binds": [f"{source}:/x"]})
            mount = {"Type": "bind", "Source": source, "Target": "/x"}
            self.both(engine, "cannot be mounted", HostConfig={"Mounts": [mount]})
        one = self.assert_answer(self.post(engine, HostConfig={"Binds": [f"{self.data}/in:/x"]}), 201).json["Id"]
        self.assert_answer(engine.post(f"/containers/{one}/start"), 204)
        self.assert_answer(engine.post(f"/containers/{one}/wait"))

    def test_limits_ports_and_how_many(self) -> None:
        engine = self.bounded(limits={"memory": "64m", "cpus": 0.5}, publish=False)
        self.both(engine, "more than the ceiling", HostConfig={"Memory": 100 << 20})
        self.both(engine, "more than the ceiling", HostConfig={"NanoCpus": 10**9})
        self.both(engine, "more than the ceiling", HostConfig={"CpuQuota": 60000})
        ports = {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": ""}]}
        self.both(engine, "publish", HostConfig={"PortBindings": ports})
        there = len(self.engine.get("/containers/json", all="1").json)
        engine = self.bounded(sandboxes=there + 1)
        self.assert_answer(self.post(engine), 201)
        self.both(engine, "sandboxes")

    def test_a_container_of_another_engine_is_judged_at_its_start(self) -> None:
        one = self.create("true", HostConfig={"Binds": [f"{self.elsewhere}:/x"], "Memory": 100 << 20})
        engine = self.bounded(mounts=[str(self.data)])
        for verb in ("start", "restart"):
            self.assert_answer(engine.post(f"/containers/{one}/{verb}"), 400, "cannot be mounted")
        self.assert_answer(engine.post(f"/containers/{one}/update", {"Memory": 120 << 20}), 200)
        engine = self.bounded(limits={"memory": "64m"})
        self.assert_answer(engine.post(f"/containers/{one}/update", {"Memory": 110 << 20}), 400, "more than the ceiling")
        self.assert_answer(engine.post(f"/containers/{one}/start"), 400, "more than the ceiling")
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)

    def test_a_file_that_becomes_invalid_refuses_everything(self) -> None:
        engine = self.bounded(mounts=[])
        self.assert_answer(self.post(engine), 201)
        for text in ("{", '{"mount": []}'):
            self.file("ceiling.json", text)
            answer = self.post(engine)
            self.assertGreaterEqual(answer.status, 400, answer)
            self.assertIn(str(self.ceiling), answer.message)
        self.ceiling.unlink()
        self.assertGreaterEqual(self.post(engine).status, 400)

    def test_the_variable_of_an_engine_does_not_win_over_its_flag(self) -> None:
        self.env["GLOVEBOX_CEILING"] = str(self.file("open.json", "{}"))
        engine = self.bounded(mounts=[])
        del self.env["GLOVEBOX_CEILING"]
        self.both(engine, "cannot be mounted", HostConfig={"Binds": [f"{self.data}:/x"]})

    def test_an_engine_does_not_start_with_an_invalid_file(self) -> None:
        listen = f"unix:{self.folder}/other.sock"
        for path in (self.file("bad.json", "{"), self.folder / "missing", self.folder):
            with self.subTest(path):
                done = subprocess.run(
                    [GLOVEBOX, "engine", "--listen", listen, "--ceiling", path],
                    env=self.engine.env,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=DEADLINE,
                    check=False,
                )
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(str(path).encode(), done.stderr)

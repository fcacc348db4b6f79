"""The network of a session: its list can be replaced while it runs, and all of it ends with the session."""

import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from support.egress_case import PRELUDE, EgressCase
from support.messages import message
from support.processes import arguments, groups, is_alive, pids
from support.run import GLOVEBOX, IS_ROOT, PYTHON, Result
from support.times import wait_until
from support.warm import Warm
from test_sessions import READY, Speaker

# Outcomes in a session: a text, or the name of an error.
TRY = """
def reach(host, port=80):
    said.clear()
    send = f"GET / HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n".encode() if port == 80 else b"x"
    attempt("it", lambda: tcp(host, port, send) and "reached")
    return said["it"]
"""


class Networks(EgressCase, Speaker):
    """A test with a supervisor of its class in the world of its class."""

    how = ""
    home: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super().setUpClass()
        cls.home = Path(tempfile.mkdtemp(prefix="networks-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.keeper = cls()
        cls.keeper.place = cls.home
        cls.addClassCleanup(cls.keeper.end_supervisors)
        cls.start_supervisor()

    @classmethod
    def start_supervisor(cls) -> None:
        """Start it in the world."""
        started = cls.world.glovebox("warm", "start", "--image", "host", "--pool", "2", env=cls.keeper.env())
        cls.keeper.assert_status(started)

    def setUp(self) -> None:
        """Have the supervisor of the class."""
        super(Warm, self).setUp()
        self.place = self.home

    def session(self, *args: str | Path, **options: Any) -> Result:
        """Run `glovebox session` in the world."""
        return self.world.glovebox("session", *args, env=self.env(), **options)

    def networked(self, *flags: str) -> str:
        """Start a session with a list that can try to reach hosts, and return its name."""
        name = self.new(*flags)
        self.does(name, PRELUDE + TRY)
        return name

    def reach(self, name: str, host: str, port: int = 80) -> str:
        """Return what becomes of a session's connection."""
        return self.does(name, f"print(reach({host!r}, {port}))")

    def servers_of_networks(self) -> list[int]:
        """Return the processes that serve networks of this world's sandboxes; only root sees whose they are."""

        def is_here(pid: int) -> bool:
            try:
                return os.readlink(f"/proc/{pid}/ns/net") == os.readlink(f"/proc/{self.world.pid}/ns/net")
            except OSError:
                return False

        return [p for p in pids() if b"glovebox-egress" in arguments(p) and is_alive(p) and is_here(p)]


class Lists(Networks):
    """`session egress NAME LIST`."""

    def test_another_list_takes_the_place_of_the_first(self) -> None:
        name = self.networked("--egress", "api.example,api.example:5432")
        self.does(name, "held = socket.create_connection(('api.example', 5432), 20); held.recv(6)")
        self.assertEqual(self.reach(name, "api.example"), "reached")
        self.assertEqual(self.reach(name, "other.example"), "gaierror")
        self.assert_status(self.session("egress", name, "other.example"))
        self.assertEqual(self.reach(name, "api.example"), "gaierror")
        self.assertEqual(self.reach(name, "other.example"), "reached")
        ended = "attempt('held', lambda: held.recv(6).decode()); print(said['held'])"
        self.assertIn(self.does(name, ended), ("", "ConnectionResetError"), "a connection that is not allowed any more")
        self.assert_status(self.session("egress", name, "api.example,api.example:5432"))
        self.assertEqual(self.reach(name, "api.example", 5432), "reached")

    def test_connections_that_are_still_allowed_stay(self) -> None:
        name = self.networked("--egress", "api.example:5432")
        self.does(name, "held = socket.create_connection(('api.example', 5432), 20); held.recv(6)")
        self.assert_status(self.session("egress", name, "other.example,api.example:5432"))
        self.assertEqual(self.does(name, "held.sendall(b'still'); print(held.recv(5).decode())"), "still")

    def test_none_is_nothing(self) -> None:
        name = self.networked("--egress", "none")
        self.assertEqual(self.reach(name, "api.example"), "gaierror")
        self.assert_status(self.session("egress", name, "api.example"))
        self.assertEqual(self.reach(name, "api.example"), "reached")
        self.assert_status(self.session("egress", name, "none"))
        self.assertEqual(self.reach(name, "api.example"), "gaierror")

    def test_another_list_goes_through_the_same_proxy(self) -> None:
        before = len(self.world.proxied())
        name = self.networked("--egress", "none", "--egress-proxy", "http://127.0.0.1:3128")
        for listed in ("api.example", "other.example"):
            self.assert_status(self.session("egress", name, listed))
            self.assertEqual(self.reach(name, listed), "reached")
        self.assertEqual(self.reach(name, "api.example"), "gaierror")
        through = [target for target, _, _ in self.world.proxied()[before:]]
        self.assertEqual(through, ["api.example:80", "other.example:80"])

    def test_the_list_is_shown(self) -> None:
        name = self.networked("--egress", "api.example:443")
        self.assert_prints("reaches    api.example:443 tls", self.session("egress", name))
        self.assert_status(self.session("egress", "--allow-private", "db.internal", "--allow-host", "8080", name, "db.internal:443"))
        lines = ["db.internal:443 tls, also at private addresses"]
        lines += [f"host.{who}.internal:8080 raw, on the loopback of this machine" for who in ("glovebox", "docker")]
        shown = self.assert_status(self.session("egress", name)).out.splitlines()
        self.assertEqual(sorted(line.removeprefix("reaches").strip() for line in shown), sorted(lines))
        self.assert_status(self.session("egress", name, "none"))
        self.assert_prints("reaches    nothing", self.session("egress", name))
        self.assert_refused(self.session("egress", "--allow-host", "8080", name), message("session_egress_read#FLAGS"))

    def test_nobody_is_waited_for(self) -> None:
        name = self.networked("--egress", "api.example")
        line = self.world.inside([GLOVEBOX, "session", "exec", name, READY])
        client = self.start_ready(line, env=dict(os.environ, **self.env()))
        self.assert_status(self.session("egress", name, "other.example"))
        client.send_signal(signal.SIGINT)
        client.wait()
        self.assertEqual(self.reach(name, "other.example"), "reached")
        self.assert_status(self.session("freeze", name))
        self.assert_status(self.session("egress", name, "none"))
        self.assertEqual(self.listed()[name]["frozen"], True)
        self.assertEqual(self.reach(name, "other.example"), "gaierror")

    def test_a_rollback_does_not_bring_an_old_list_back(self) -> None:
        name = self.networked("--egress", "api.example")
        self.assert_status(self.session("checkpoint", name))
        self.assert_status(self.session("egress", name, "other.example"))
        self.assert_status(self.session("rollback", name))
        self.assertEqual(self.reach(name, "api.example"), "gaierror")
        self.assertEqual(self.reach(name, "other.example"), "reached")
        self.assert_status(self.session("egress", name, "api.example"))
        self.assertEqual(self.reach(name, "api.example"), "reached")

    def test_a_private_name_and_a_port_of_the_host_take_a_word_here_too(self) -> None:
        name = self.networked("--egress", "none")
        self.assert_status(self.session("egress", name, "db.internal:8443:raw"))
        self.assertEqual(self.reach(name, "db.internal", 8443), "ConnectionResetError")
        words = ("--allow-private", "db.internal", "--allow-host", "8080")
        self.assert_status(self.session("egress", *words, name, "db.internal:8443:raw"))
        self.assertEqual(self.reach(name, "db.internal", 8443), "reached")
        self.assertEqual(self.reach(name, "host.glovebox.internal", 8080), "reached")
        self.assertEqual(self.reach(name, "host.docker.internal", 8443), "ConnectionResetError")
        self.assert_status(self.session("egress", "--allow-host", "8080", name, "none"))
        self.assertEqual(self.reach(name, "db.internal", 8443), "gaierror")
        self.assertEqual(self.reach(name, "host.glovebox.internal", 8080), "reached")

    def test_what_cannot_be(self) -> None:
        name = self.new("--egress", "api.example")
        self.assert_refused(self.session("egress", name, "api.example:7777"), "port 7777", message("control_check_ports"))
        self.assert_refused(self.session("egress", name, "not a host"), "not a host")
        self.assert_refused(self.session("egress", name, "pypi", "github"), message("session_egress_read#separate", "pypi,github"))
        self.assert_refused(self.session("egress", "nosuch", "none"), message("client_no_session", "nosuch"))
        self.assertEqual(self.does(name, "1 + 1"), "2")

    def test_a_session_without_a_network_has_no_list(self) -> None:
        name = self.new()
        self.assert_refused(self.session("egress", name, "api.example"), message("requests_serve_network"))
        self.assertNotIn("egress", self.call(name, "1", "--json").json)
        only_published = self.new("-p", "8000")
        self.assert_refused(self.session("egress", only_published, "api.example"), message("control_refuse_listless"))


class Ends(Networks):
    """The process that serves a session's network, and its end."""

    as_user = ("test_it_ends_with_the_session", "test_it_ends_with_a_session_that_dies")

    def published(self, *flags: str) -> tuple[str, str]:
        """Start a session with a server on port 8000 inside; return its name and the port outside."""
        started = self.assert_status(self.session("new", "-p", "8000", *flags, "host"))
        name = started.out.strip()
        self.addCleanup(self.session, "rm", name)
        found = re.fullmatch(r"glovebox: 127\.0\.0\.1:(\d+) is port 8000 inside\n", started.err)
        self.assertTrue(found, started.err)
        self.does(name, "import http.server, threading\n"
                        "s = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), http.server.SimpleHTTPRequestHandler)\n"
                        "threading.Thread(target=s.serve_forever, daemon=True).start()")  # fmt: skip
        return name, found[1]

    def is_open(self, port: str) -> bool:
        """Say whether somebody answers there."""
        ask = f"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}/', timeout=20).read()"
        return self.world.execute([PYTHON, "-c", ask]).status == 0

    def assert_ends(self, port: str) -> None:
        """Assert that nobody serves the network any more."""
        self.assertTrue(wait_until(lambda: not self.is_open(port)), "the port is still open")
        if IS_ROOT:
            self.assertTrue(wait_until(lambda: not self.servers_of_networks()), "the process stays")

    def test_it_ends_with_the_session(self) -> None:
        name, port = self.published("--egress", "api.example")
        self.assertTrue(self.is_open(port))
        if IS_ROOT:
            self.assertEqual(len(self.servers_of_networks()), 1)
        self.assert_status(self.session("rm", name))
        self.assert_ends(port)

    def test_it_ends_with_a_session_that_dies(self) -> None:
        name, port = self.published()
        self.assert_status(self.call(name, "import os; os._exit(1)"), 125)
        self.assert_ends(port)

    def test_a_port_in_use_is_named_and_nothing_stays(self) -> None:
        name, port = self.published()
        before = self.listed().keys()
        self.assert_refused(self.session("new", "-p", f"{port}:8000", "host"), "-p", port, message("published_refused#another"))
        self.assertEqual(self.listed().keys(), before)
        self.assertTrue(self.is_open(port))
        self.assert_status(self.session("rm", name))
        self.assert_ends(port)

    def test_root_may_publish_a_port_below_1024(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root may")
        name = self.assert_status(self.session("new", "-p", "81:8000", "host")).out.strip()
        self.assert_status(self.session("rm", name))

    def test_calls_tell_what_became_of_its_connections(self) -> None:
        name = self.networked("--egress", "api.example")
        for count in (1, 2):
            said = self.call(name, "reach('api.example'); reach('evil.example')", "--json").json["egress"]
            self.assertEqual((said["connections"], said["refused_names"]), (count, ["evil.example"]))
        lost = self.call(name, "import os; os._exit(0)", "--json").json
        self.assertIn("egress", lost)

    def test_a_call_says_what_was_refused_in_it(self) -> None:
        name = self.networked("--egress", "api.example")
        first = self.call(name, "reach('evil.example')").err
        self.assertRegex(first, r"^\[NETWORK\] refused \d+ connections? .*: evil\.example: not listed\n$")
        self.assertEqual(self.call(name, "reach('api.example')").err, "")
        again = self.call(name, "reach('evil.example')").err
        self.assertRegex(again, message("egress_refusals_line#earlier", "[NETWORK] refused"))
        self.assertEqual(again.count("\n"), 1)

    def test_a_session_goes_on_without_it(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root sees which process it is")
        name = self.networked("--egress", "api.example")
        for pid in self.servers_of_networks():
            os.kill(pid, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not self.servers_of_networks()))
        self.assertNotEqual(self.reach(name, "api.example"), "reached")
        self.assertIsNone(self.call(name, "1", "--json").json["egress"])
        self.assert_refused(self.session("egress", name, "none"), "has ended")
        self.assertEqual(self.does(name, "1 + 1"), "2")

    def test_one_that_does_not_end_is_killed_and_its_group_removed(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root sees which process it is")
        name = self.networked("--egress", "api.example")
        (pid,) = self.servers_of_networks()
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        group = next(path for path in (line.split(":", 2)[2] for line in lines) if path.endswith("/net"))
        folders = [folder for folder in groups(self.keeper_pid()) if folder.endswith(group)]
        self.assertTrue(folders)
        os.kill(pid, signal.SIGSTOP)
        self.assert_status(self.session("rm", name))
        self.assertTrue(wait_until(lambda: not is_alive(pid) and not any(map(os.path.exists, folders))))

    def test_it_ends_with_the_supervisor(self) -> None:
        _, port = self.published()
        os.kill(self.keeper_pid(), signal.SIGKILL)
        self.assert_ends(port)
        type(self).start_supervisor()

    def keeper_pid(self) -> int:
        """Return the supervisor's process."""
        return int(self.status()["pid"])

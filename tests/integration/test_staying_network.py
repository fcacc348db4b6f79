"""update of the network of sandboxes that stay: another list of hosts while they run, and for their next start."""

import shutil
from pathlib import Path
from typing import Any

from integration.staying import WAITS, Staying
from support.egress_case import NO_NAME, PRELUDE, EgressCase
from support.messages import message
from support.run import Result

TRY = """
import sys
host, port = sys.argv[1], int(sys.argv[2])
send = f"GET / HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n".encode() if port in (80, 8000, 8080) else b"x"
attempt("it", lambda: tcp(host, port, send) and "reached")
print(said["it"])
"""


class Network(EgressCase, Staying):
    """A world with an Internet of its own, in which sandboxes stay."""

    as_user = True

    def ours(self, *args: str | Path, **options: Any) -> Result:
        """Run a command of glovebox's in the world."""
        return self.world.glovebox(*args, env=self.env, **options)

    def remove_all(self) -> None:
        """End and remove what stays."""
        if ids := [record.name for record in self.records]:
            self.ours("rm", "-f", *ids)
        shutil.rmtree(self.folder / "state", ignore_errors=True)

    def reach(self, name: str, host: str, port: int = 80) -> str:
        """Return what becomes of a connection from inside."""
        result = self.ours("exec", name, "python3", "-c", PRELUDE + TRY, host, str(port))
        return self.assert_status(result).out.strip()

    def update(self, name: str, *flags: str) -> None:
        """Update one."""
        self.assert_prints(name, self.ours("update", *flags, name))


class Lists(Network):
    """--egress, --allow-private, --allow-host."""

    def test_another_list_now_and_at_the_next_start(self) -> None:
        name = self.stay("--egress", "api.example,api.example:5432", sh=WAITS)
        self.assertEqual((self.reach(name, "api.example"), self.reach(name, "other.example")), ("reached", NO_NAME))
        self.update(name, "--egress", "other.example", "--memory=100m")
        self.assertEqual((self.reach(name, "api.example"), self.reach(name, "other.example")), (NO_NAME, "reached"))
        self.assertEqual(self.described(name)["HostConfig"]["Memory"], 100 << 20)
        self.assert_status(self.ours("restart", "-t", "0", name))
        self.assertEqual((self.reach(name, "api.example"), self.reach(name, "other.example")), (NO_NAME, "reached"))

    def test_inspect_has_the_list(self) -> None:
        name = self.stay("--egress", "api.example,db.internal:8443:raw", "--allow-private", "db.internal", sh=WAITS)
        first = ["api.example:80 http", "api.example:443 tls", "db.internal:8443 raw private"]
        self.assertEqual(self.described(name)["Egress"], first)
        self.assertEqual(self.ours("update", "--egress=api.example:7777", name).status, 125)
        self.assertEqual(self.described(name)["Egress"], first)
        self.update(name, "--egress", "other.example:443")
        self.assertEqual(self.described(name)["Egress"], ["other.example:443 tls"])
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.update(name, "--memory=100m")
        self.assertEqual(self.described(name)["Egress"], ["other.example:443 tls"])
        self.update(name, "--egress", "none")
        self.assertEqual(self.described(name)["Egress"], [])
        self.assertIsNone(self.described(self.stay(sh=WAITS))["Egress"])

    def test_begun_with_none(self) -> None:
        name = self.stay("--egress", "none", sh=WAITS)
        self.assertEqual(self.reach(name, "api.example"), NO_NAME)
        self.update(name, "--egress", "api.example")
        self.assertEqual(self.reach(name, "api.example"), "reached")
        self.update(name, "--egress=other.example", "--egress=api.example")
        self.assertEqual((self.reach(name, "api.example"), self.reach(name, "other.example")), ("reached", "reached"))
        self.update(name, "--egress=none")
        self.assertEqual(self.reach(name, "api.example"), NO_NAME)

    def test_exceptions_belong_to_the_list(self) -> None:
        name = self.stay("--egress", "db.internal:8443:raw", "--allow-private", "db.internal", "--allow-host", "8080", sh=WAITS)
        self.assertEqual(self.reach(name, "db.internal", 8443), "reached")
        self.update(name, "--egress", "api.example")
        self.assertEqual(self.reach(name, "host.glovebox.internal", 8080), NO_NAME)
        self.update(name, "--egress=db.internal:8443:raw", "--allow-private=db.internal", "--allow-host=8080")
        self.assertEqual((self.reach(name, "db.internal", 8443), self.reach(name, "host.glovebox.internal", 8080)), ("reached", "reached"))
        self.update(name, "--egress", "api.example")
        self.assert_status(self.ours("restart", "-t", "0", name))
        self.assertEqual((self.reach(name, "db.internal", 8443), self.reach(name, "host.glovebox.internal", 8080)), (NO_NAME, NO_NAME))

    def test_what_cannot_be(self) -> None:
        name = self.stay("--egress", "api.example", "--memory=100m", sh=WAITS)
        self.assert_fails(self.ours("update", "--egress=api.example:7777", "--memory=200m", name), 125, "port 7777")
        self.assert_fails(self.ours("update", "--egress=not a host", name), 125, "not a host")
        self.assert_fails(self.ours("update", "--allow-host=80", name), 125, "--egress")
        self.assertEqual(self.described(name)["HostConfig"]["Memory"], 100 << 20)
        self.assertEqual(self.reach(name, "api.example"), "reached")

    def test_what_is_put_back(self) -> None:
        """The list has changed when the record cannot be written."""
        name = self.stay("--egress", "api.example", sh=WAITS)
        (self.records[0] / "update.new").mkdir()
        self.assert_fails(self.ours("update", "--egress=other.example", name), 125)
        self.assertEqual((self.reach(name, "api.example"), self.reach(name, "other.example")), ("reached", NO_NAME))

    def test_without_a_network(self) -> None:
        name = self.stay(sh=WAITS)
        self.assertRegex(self.ours("update", "--egress=api.example", name).err, message("updating_check#network"))
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.update(name, "--egress=api.example")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.reach(name, "api.example"), "reached")

    def test_ports_of_the_program_are_free(self) -> None:
        """What stays listens on 80 and 443 for later lists, where no program may, and nowhere else."""
        flags = ("--egress", "api.example", "-p", "8080")
        result = self.detached("--name", "serves", *flags, py="import socket; socket.create_server(('', 8080)); print('up', flush=True); input()")
        self.assert_status(result)
        self.assertEqual(self.ours("logs", "-f", "serves").out.split()[0], "up")

"""update -p, --publish-rm: ports of sandboxes that stay are published and withdrawn while they run."""

import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import unittest
from pathlib import Path

from integration.staying import Staying
from support.messages import message
from support.processes import arguments, children
from support.run import IS_ROOT, unique
from support.times import DEADLINE, wait_until

# Says its port to everybody who connects to one of these, and what it gets.
SERVES = """
import selectors, socket
waits = selectors.DefaultSelector()
for port in range(8000, 8040):
    waits.register(socket.create_server(("127.0.0.1", port)), selectors.EVENT_READ)
print("serves", flush=True)
held = []
while True:
    for key, _ in waits.select():
        client, _ = key.fileobj.accept()
        client.sendall(b"%d\\n" % client.getsockname()[1])
        held.append(client)
"""
HOME = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}.{random.randint(1, 254)}"  # nobody else's
FREE = itertools.count(20000)  # its ports


def connected(port: int, address: str = HOME) -> socket.socket:
    """Return a connection to a published port."""
    return socket.create_connection((address, port), timeout=15)


def listens(port: int) -> bool:
    """Say whether somebody listens there."""
    with socket.socket() as client:
        return not client.connect_ex((HOME, port))


def said(client: socket.socket) -> str:
    """Return what the program inside says to a client."""
    return client.recv(100).decode().strip()


def answers(port: int) -> str:
    """Return what it says, once it serves."""
    try:
        return said(connected(port))
    except ConnectionResetError:
        return ""


class Publishing(Staying):
    """A sandbox whose ports change."""

    def serving(self, *flags: str) -> str:
        """Leave a sandbox behind that serves its ports; return its name."""
        name = unique("serving")
        self.assert_status(self.detached("--name", name, *flags, py=SERVES))
        wait_until(lambda: "serves" in self.ours("logs", name).out)
        return name

    def free(self) -> int:
        """Return a port of our address that nobody has."""
        return next(FREE)

    def update(self, name: str, *flags: str) -> None:
        """Update one."""
        self.assert_prints(name, self.ours("update", *flags, name))

    def ports(self, name: str) -> list[tuple[int, str, int]]:
        """Return its ports, with the endpoints that lead there, as `port` says them."""
        lines = self.assert_status(self.ours("port", name)).out.splitlines()
        pairs = [line.split("/tcp -> ") for line in lines]
        return [(int(inside), *self.endpoint(outside)) for inside, outside in pairs]

    def endpoint(self, text: str) -> tuple[str, int]:
        """Return the address and the port of a text."""
        address, port = text.rsplit(":", 1)
        return address, int(port)

    def updates(self) -> list[dict]:
        """Return the events of updates."""
        events = self.ours("events", "--since", "1h", "--until", "0s", "--filter", "event=update", "--format", "json")
        return [json.loads(line) for line in self.assert_status(events).out.splitlines()]

    def refused(self, name: str, *flags: str, says: str | re.Pattern[str]) -> None:
        """Assert that an update is refused in one line, and that nothing has changed."""
        before = self.described(name)
        result = self.ours("update", *flags, name)
        self.assert_fails(result, 125)
        self.assertRegex(result.err, says)
        self.assertEqual(self.described(name), before)

    def assert_closed(self, port: int, address: str = HOME) -> None:
        """Assert that nobody listens there."""
        self.assertRaises(ConnectionRefusedError, connected, port, address)

    def assert_cut(self, client: socket.socket) -> None:
        """Assert that a connection has been reset."""
        self.assertRaises(ConnectionResetError, client.recv, 100)


class Running(Publishing):
    """One that runs."""

    as_user = True

    def test_a_port_is_published(self) -> None:
        first, second = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{first}:8000")
        self.update(name, "-p", f"{HOME}:{second}:8001")
        self.assertEqual(self.ports(name), [(8000, HOME, first), (8001, HOME, second)])
        self.assertEqual([said(connected(port)) for port in (first, second)], ["8000", "8001"])
        described = self.described(name)
        for ports in (described["NetworkSettings"]["Ports"], described["HostConfig"]["PortBindings"]):
            self.assertEqual(ports["8001/tcp"], [{"HostIp": HOME, "HostPort": str(second)}])

    def test_everybody_is_told(self) -> None:
        port = self.free()
        name = self.serving("-p", f"{HOME}:{port}:8000")
        more = self.free()
        self.update(name, "--publish", f"{HOME}:{more}:8001")
        whole = f"{HOME}:{port}->8000/tcp, {HOME}:{more}->8001/tcp"
        [event] = self.updates()
        self.assertEqual(event["Actor"]["Attributes"]["ports"], whole)
        self.assertIn(whole, self.as_docker("ps", "--format", "{{.Ports}}"))

    def as_docker(self, *words: str) -> str:
        """Return what a command says under the name docker."""
        self.program = str(Path(self.program).with_name("docker"))
        return self.assert_status(self.ours(*words)).out

    def test_the_first_one_of_a_sandbox_with_a_list(self) -> None:
        name = self.serving("--egress", "none")
        port = self.free()
        self.update(name, "-p", f"{HOME}:{port}:8000")
        self.assertEqual(said(connected(port)), "8000")

    def test_several_at_once(self) -> None:
        name = self.serving("-p", "8000")
        port = self.free()
        result = self.ours("update", "-p", f"{HOME}:{port}:8001", "-p", "8002-8004", "-p", "8002", "--memory=200m", name)
        self.assertEqual(self.assert_status(result).out, f"{name}\n")
        ports = self.ports(name)
        self.assertEqual([inside for inside, _, _ in ports], [8000, 8001, 8002, 8003, 8004, 8002])
        self.assertEqual([said(connected(at, address)) for _, address, at in ports], [str(inside) for inside, *_ in ports])
        # The chosen ones are told, as run tells them.
        told = [f"glovebox: {address}:{at} is port {inside} inside" for inside, address, at in ports[2:]]
        self.assertEqual(result.err.splitlines(), told)
        self.assertEqual(len(self.described(name)["NetworkSettings"]["Ports"]["8002/tcp"]), 2)
        self.assertEqual(self.described(name)["HostConfig"]["Memory"], 200 << 20)

    def test_one_is_withdrawn(self) -> None:
        one, other, third = self.free(), self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{one}:8000", "-p", f"{HOME}:{other}:8001", "-p", f"{HOME}:{third}:8000")
        clients = [connected(port) for port in (one, other, third)]
        self.assertEqual([said(client) for client in clients], ["8000", "8001", "8000"])
        self.update(name, "--publish-rm", "8000")
        self.assertEqual(self.ports(name), [(8001, HOME, other)])
        for port, client in ((one, clients[0]), (third, clients[2])):
            self.assert_cut(client)
            self.assert_closed(port)
        self.assertEqual(said(connected(other)), "8001")
        clients[1].setblocking(False)
        self.assertRaises(BlockingIOError, clients[1].recv, 1)  # it stands
        self.assertEqual(list(self.described(name)["HostConfig"]["PortBindings"]), ["8001/tcp"])

    def test_one_moves(self) -> None:
        old, new = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{old}:8000")
        self.update(name, "-p", f"{HOME}:{new}:8000", "--publish-rm=8000/tcp")
        self.assertEqual(self.ports(name), [(8000, HOME, new)])
        self.assertEqual(said(connected(new)), "8000")
        self.assert_closed(old)

    def test_one_place_leads_to_another_port(self) -> None:
        one, other = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{one}:8000", "-p", f"{HOME}:{other}:8001")
        before = [connected(port) for port in (one, other)]
        self.assertEqual([said(client) for client in before], ["8000", "8001"])
        self.update(name, "--publish-rm", "8000", "-p", f"{HOME}:{one}:8002")
        self.assertEqual(self.ports(name), [(8001, HOME, other), (8002, HOME, one)])
        self.assertEqual([said(connected(port)) for port in (one, other)], ["8002", "8001"])
        self.assert_cut(before[0])
        # Both at once, crosswise; and once more where it is.
        self.update(name, "--publish-rm", "all", "-p", f"{HOME}:{one}:8001", "-p", f"{HOME}:{other}:8002")
        client = connected(one)
        self.assertEqual((said(client), said(connected(other))), ("8001", "8002"))
        self.update(name, "--publish-rm", "8001", "-p", f"{HOME}:{one}:8001")
        self.assertEqual(sorted(self.ports(name)), [(8001, HOME, one), (8002, HOME, other)])
        client.setblocking(False)
        self.assertRaises(BlockingIOError, client.recv, 1)  # it stands
        self.update(name, "--publish-rm", "all")
        self.assert_closed(one)
        self.assert_closed(other)

    def test_all_are_withdrawn_and_one_is_published_again(self) -> None:
        port = self.free()
        name = self.serving("-p", f"{HOME}:{port}:8000", "-p", "8001-8005")
        for _ in range(3):
            self.update(name, "--publish-rm", "all")
            self.assertEqual(self.ports(name), [])
            self.assert_closed(port)
            self.update(name, "-p", f"{HOME}:{port}:8000")
            self.assertEqual(said(connected(port)), "8000")

    def test_as_many_as_there_may_be(self) -> None:
        name = self.serving("-p", "8000")
        self.assert_status(self.ours("update", "-p", "8001-8031", name))
        self.assertEqual(len(self.ports(name)), 32)
        self.refused(name, "-p", "8032", says=message("egress_add_published", 32))
        self.update(name, "--publish-rm", "8001-8010")
        self.assert_status(self.ours("update", "-p", "8020-8029", name))
        self.assertEqual([said(connected(port, address)) for _, address, port in self.ports(name)][-10:], [str(8020 + n) for n in range(10)])
        self.update(name, "--publish-rm", "8000", "-p", f"{HOME}:{self.free()}:8039")
        self.assertEqual(len(self.ports(name)), 32)

    def test_with_a_new_list(self) -> None:
        name = self.serving("--egress", "none", "-p", "8000")
        port = self.free()
        self.update(name, "--egress", "example.org:443", "-p", f"{HOME}:{port}:8001")
        self.assertEqual(said(connected(port)), "8001")

    @unittest.skipUnless(IS_ROOT, "cannot: only root sees the descriptors of what cannot be traced")
    def test_nothing_of_it_is_left(self) -> None:
        name = self.serving("-p", "8000")
        [pid] = [child for child in children(self.state(name)["Pid"]) if b"glovebox-egress" in arguments(child)]
        held = []
        for _ in range(4):
            self.assert_status(self.ours("update", "-p", "8001-8020", name))
            clients = [connected(port, address) for _, address, port in self.ports(name)[1:]]
            self.assertEqual({said(client) for client in clients}, {str(port) for port in range(8001, 8021)})
            self.update(name, "--publish-rm", "8001-8020")
            for client in clients:
                self.assert_cut(client)
            held.append(len(os.listdir(f"/proc/{pid}/fd")))
        # A connection of which the program inside has not read everything keeps its socket for a moment.
        self.assertTrue(wait_until(lambda: len(os.listdir(f"/proc/{pid}/fd")) <= min(held)), held)


class Next(Publishing):
    """The next start."""

    as_user = True

    def test_a_restart_keeps_them(self) -> None:
        one, other = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{one}:8000", "-p", "8002")
        self.update(name, "-p", f"{HOME}:{other}:8001")
        self.update(name, "--publish-rm", "8000", "--memory=200m")
        self.update(name, "--pids-limit", "30")
        [kept] = [json.loads((record / "update").read_text()) for record in self.records]
        words = ["--publish-rm=all", "--publish=127.0.0.1::8002", f"--publish={HOME}:{other}:8001"]
        self.assertEqual(sorted(kept["words"]), sorted([*words, f"--memory={200 << 20}", "--pids-limit=30"]))
        self.assert_status(self.ours("restart", "-t", "0", name))
        chosen, told = self.ports(name)
        self.assertEqual((chosen[0], told), (8002, (8001, HOME, other)))
        wait_until(lambda: answers(other) == "8001")
        self.assert_closed(one)

    def test_one_that_does_not_run(self) -> None:
        made = unique("made")
        self.assert_status(self.ours("create", "--name", made, "host", "python3", "-c", SERVES))
        port = self.free()
        self.update(made, "-p", f"{HOME}:{port}:8000")
        self.update(made, "-p", "8001")
        self.update(made, "--publish-rm", "8001")
        self.assertEqual(self.ports(made), [])
        told = [event["Actor"]["Attributes"]["ports"] for event in self.updates()]
        whole = f"{HOME}:{port}->8000/tcp"
        self.assertEqual(told, [whole, f"{whole}, 127.0.0.1:0->8001/tcp", whole])  # 0: it is chosen at the start
        bindings = self.described(made)["HostConfig"]["PortBindings"]
        self.assertEqual(bindings, {"8000/tcp": [{"HostIp": HOME, "HostPort": str(port)}]})
        self.assert_status(self.ours("start", made))
        wait_until(lambda: answers(port) == "8000")


class Refused(Publishing):
    """Nothing changes."""

    as_user = True

    def test_a_port_in_use(self) -> None:
        used, free, own = self.free(), self.free(), self.free()
        held = socket.create_server((HOME, used))
        self.addCleanup(held.close)
        name = self.serving("-p", f"{HOME}:{own}:8000")
        client = connected(own)
        flags = ("-p", f"{HOME}:{free}:8001", "-p", f"{HOME}:{used}:8002", "--publish-rm=8000", "--memory=200m")
        self.refused(name, *flags, says=message("published_refused#another", used, HOME))
        self.assert_closed(free)
        self.assertEqual((said(client), said(connected(own))), ("8000", "8000"))
        self.refused(name, "-p", f"{HOME}:{own}:8001", says=f"{HOME}:{own} is there twice")
        whole = ("-p", f"0.0.0.0:{own}:8000", "--publish-rm=8000")
        self.refused(name, *whole, says=message("update_ask_refuse", own))
        self.assertEqual([p for record in self.records for p in record.glob("update*")], [])

    def test_a_record_that_cannot_be_written(self) -> None:
        free, own = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{own}:8000")
        (self.records[0] / "update.new").mkdir()
        self.refused(name, "-p", f"{HOME}:{free}:8001", "--publish-rm=8000", "--memory=200m", says="write what is updated")
        self.assert_closed(free)
        self.assertEqual(said(connected(own)), "8000")
        self.refused(name, "-p", f"{HOME}:{own}:8001", "--publish-rm=8000", says="write what is updated")
        wait_until(lambda: said(connected(own)) == "8000")

    def test_without_a_network(self) -> None:
        name = self.serving()
        port = self.free()
        self.refused(name, "-p", f"{HOME}:{port}:8000", says=message("updating_check#network", name))
        self.assert_closed(port)
        # The remedy that it names.
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.update(name, "-p", f"{HOME}:{port}:8000")
        self.assert_status(self.ours("start", name))
        wait_until(lambda: answers(port) == "8000")

    def test_a_port_at_which_the_list_listens(self) -> None:
        name = self.serving("--egress", "example.org:443,example.org:8443")
        self.refused(name, "-p", "8443", says=message("egress_finish_check_inside#listen", 8443))
        self.refused(name, "-p", "80", says=message("listeners_check#inside", 80))

    def test_a_port_below_1024(self) -> None:
        name = self.serving("-p", "8000")
        if IS_ROOT:
            self.update(name, "-p", f"{HOME}:81:8001")
            self.assertEqual(said(connected(81)), "8001")
        else:
            self.refused(name, "-p", f"{HOME}:81:8001", says=message("published_refused#needs", 81, HOME, 1024))

    def test_words(self) -> None:
        name = self.serving("-p", "8000")
        self.refused(name, "--publish-rm", "8001", says=message("egress_publish_remove", "8001"))
        self.refused(name, "--publish-rm", "x", says=message("egress_publish_range", "x", "all"))
        self.refused(name, "-p", "x", says="--publish")
        self.refused(name, "-p", "53/udp", says=message("egress_publish_protocol#published", "udp"))
        self.refused(name, "-p", "9.9.9.9::8001", says=message("published_refused#address", "9.9.9.9"))

    def test_what_a_client_hands_over(self) -> None:
        """The monitor asks the kernel where a socket listens."""
        own, free = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{own}:8000")
        before = self.described(name)
        port = {"address": HOME, "host_port": free, "port": 8001}
        limits = json.loads((self.records[0] / "record").read_text())["limits"]
        silent = socket.socket()
        self.addCleanup(silent.close)
        silent.bind((HOME, free))
        other = socket.create_server((HOME, self.free()))
        self.addCleanup(other.close)
        null = os.open(os.devnull, os.O_RDONLY)
        self.addCleanup(os.close, null)
        for sends, says in (
            ((), message("update_change_take_sockets")),
            ((silent.fileno(),), message("published_check")),
            ((other.fileno(),), message("published_check")),
            ((null,), message("published_check")),
        ):
            with self.subTest(sends=sends):
                answer, _ = self.ask(name, sends, op="update", more=[port], **limits)
                self.assertRegex(answer["error"], says)
        taken = {"address": HOME, "host_port": own, "port": 8001}
        self.assertRegex(self.ask(name, op="update", more=[taken], **limits)[0]["error"], message("update_change_add_after#already", own))
        self.assertEqual(self.described(name), before)
        self.assertEqual(said(connected(own)), "8000")

    def test_its_process_is_stopped(self) -> None:
        """Nobody waits for it but the client; when it goes on, it takes back what it is told to do."""
        own, free = self.free(), self.free()
        name = self.serving("-p", f"{HOME}:{own}:8000")
        [pid] = [child for child in children(self.state(name)["Pid"]) if b"glovebox-egress" in arguments(child)]
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        before = self.described(name)
        command = [self.program, "update", "-p", f"{HOME}:{free}:8001", "--publish-rm=8000", "--memory=200m", name]
        client = self.start(command, env=dict(os.environ, **self.env), stderr=subprocess.PIPE)
        self.await_client(client)
        self.assert_prints("open", self.inside(name, "echo open"))
        self.assertRegex(client.communicate(timeout=DEADLINE)[1].decode(), "does not answer")
        self.assertEqual((client.returncode, self.described(name)), (125, before))
        os.kill(pid, signal.SIGCONT)
        self.assertTrue(wait_until(lambda: not listens(free)))
        self.assertEqual(said(connected(own)), "8000")
        self.update(name, "-p", f"{HOME}:{free}:8001")
        self.assertEqual(said(connected(free)), "8001")

    def test_its_process_has_ended(self) -> None:
        name = self.serving("-p", "8000")
        [pid] = [child for child in children(self.state(name)["Pid"]) if b"glovebox-egress" in arguments(child)]
        os.kill(pid, signal.SIGKILL)
        port = self.free()
        self.assert_status(self.ours("update", "-p", f"{HOME}:{port}:8001", name), 125)
        self.assert_closed(port)

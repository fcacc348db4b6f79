"""glovebox-egress by itself: what takes a network of a moment's making, or a look while something stands."""

import json
import os
import unittest
from typing import Any

from support.egress_case import EgressCase
from support.messages import sentence
from support.run import IS_ROOT, PYTHON, ROOT

LATER = "93.184.217.1"  # which the host gets when it is too late

PROGRAM = """
import json, os, signal, socket, subprocess, sys, time
import support.egress_alone as alone
signal.alarm(50)
said = {{}}
RAW = {{"name": "api.example", "port": 5432, "kind": "raw"}}
PUBLISHED = [{{"address": "127.0.0.1", "host_port": 18080, "port": 8080}}]
{}
print(json.dumps(said))
"""


class Alone(EgressCase):
    """A program of its own for each."""

    names = {**EgressCase.names, "later.example": [LATER]}

    @classmethod
    def setUpClass(cls) -> None:
        """Only root may make a network in the world of another user namespace."""
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: only root makes a network in a world that is made already")
        super().setUpClass()

    def result(self, program: str) -> dict[str, Any]:
        """Run it in the world; return what it has found."""
        env = dict(os.environ, PYTHONPATH=str(ROOT / "tests"))
        ran = self.world.execute([PYTHON, "-B", "-c", PROGRAM.format(program)], env=env)
        return json.loads(self.assert_status(ran).out)

    def test_what_stands_is_in_the_summary(self) -> None:
        said = self.result("""
egress = alone.Egress({"has_list": True, "rules": [RAW]}, ports=[5432])
held = socket.create_connection((egress.look_up("api.example"), 5432))
held.sendall(b"x" * 1000)
while len(said.setdefault("got", "")) < 1006:
    said["got"] += held.recv(2000).decode()
said["sum"] = egress.summary()
""")  # fmt: skip
        told = said["sum"]
        self.assertEqual((told["connections"], told["bytes_out"], told["bytes_in"]), (1, 1000, 1006))

    def test_a_resolver_that_is_silent_is_given_up(self) -> None:
        said = self.result("""
alone.apart(alone.CLONE_NEWNS)
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.9", 53))
open("/tmp/resolv", "w").write("nameserver 127.0.0.9\\nnameserver 127.0.0.1\\noptions timeout:1 attempts:1\\n")
subprocess.run(["mount", "--bind", "/tmp/resolv", "/etc/resolv.conf"], check=True)
egress = alone.Egress({"has_list": True, "rules": [RAW]}, ports=[5432])
said["address"] = egress.look_up("api.example")
said["asked"] = len(silent.recv(512)) > 0
""".replace("/tmp/resolv", str(self.folder / "resolv")))  # fmt: skip
        self.assertEqual((said["address"][:7], said["asked"]), ("198.18.", True))

    def test_an_upload_to_a_program_that_reads_late_is_whole(self) -> None:
        said = self.result("""
egress = alone.Egress({"has_list": False, "rules": [], "published": PUBLISHED}, pool=2)
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
server.bind(("127.0.0.1", 8080))
server.listen()
egress.outside()
client = socket.create_connection(("127.0.0.1", 18080))
inner, _ = server.accept()
inner.sendall(b"first")
inner.shutdown(socket.SHUT_WR)
while client.recv(100):
    pass
client.sendall(b"x" * 200000)
client.shutdown(socket.SHUT_WR)
time.sleep(0.5)  # in which it could give the socket away
said["got"] = 0
while piece := inner.recv(4096):
    said["got"] += len(piece)
""")  # fmt: skip
        self.assertEqual(said, {"got": 200000})

    def test_an_address_that_the_host_gets_later_is_its_own(self) -> None:
        said = self.result(f"""
egress = alone.Egress({{"has_list": True, "rules": [dict(RAW, name="later.example")]}}, ports=[5432])
egress.outside()
change = lambda what: subprocess.run(["ip", "address", what, "{LATER}/32", "dev", "lo"], check=True)
change("add")
try:
    service = socket.create_server(("{LATER}", 5432))
    egress.inside()
    client = socket.create_connection((egress.look_up("later.example"), 5432))
    client.settimeout(5)
    try:
        client.sendall(b"question")
        said["got"] = client.recv(100).decode()
    except OSError as error:
        said["got"] = type(error).__name__
    said["refusals"] = egress.summary()["refusals"]
finally:
    egress.outside()
    change("del")
""")  # fmt: skip
        why = {"name": "later.example", "port": 5432, "reason": sentence("flow_connect_misled")}
        self.assertEqual(said, {"got": "ConnectionResetError", "refusals": [why]})

    def test_what_is_sent_inside_is_not_paced(self) -> None:
        said = self.result("""
egress = alone.Egress({"has_list": True, "rules": [RAW], "published": PUBLISHED}, ports=[5432, 80], pool=2)
said["chosen"] = sorted(egress.congestion)
""")  # fmt: skip
        self.assertEqual(said, {"chosen": ["reno"]})

    def test_who_comes_from_outside_takes_no_place_of_the_program(self) -> None:
        said = self.result("""
egress = alone.Egress({"has_list": True, "rules": [RAW], "published": PUBLISHED, "connections": 2}, ports=[5432], pool=8)
server = socket.create_server(("127.0.0.1", 8080))
egress.outside()
outer = [socket.create_connection(("127.0.0.1", 18080)) for _ in range(5)]
inner = [server.accept()[0] for _ in outer]
egress.inside()
said["hello"] = socket.create_connection((egress.look_up("api.example"), 5432)).recv(100).decode()
""")  # fmt: skip
        self.assertEqual(said, {"hello": "hello\n"})

"""Attacks on the network of a sandbox: the rows of attacks_egress, and what no row can say."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attack_row import CAPABILITIES
from attacks_egress import METADATA, NETWORK, OTHER, OTHER6, OWN, TRANSLATED, V4, V6, NetworkAttack
from support.outside import OutsideCase
from support.processes import arguments, children, ticks
from support.run import GLOVEBOX, IS_ROOT, PYTHON, ROOT, TESTING, Result
from support.times import seconds, wait_until

HERE = ROOT / "tests/attack"
HOLDING = "import socket; socket.gethostbyname('api.example'); print('ready', flush=True); input()"


class NetworkCase(OutsideCase):
    """A world with listed hosts, another one, and what must never be reached."""

    names = {
        "api.example": [V4, V6],
        "other.example": [OTHER],
        "loop.example": ["127.0.0.1"],
        "own.example": [OWN],
        "translated.example": [TRANSLATED],
        "meta.example": [METADATA],
        "db.internal": ["10.1.2.3"],
        "mapped.example": ["::ffff:127.0.0.1"],
        "both.example": [V4, "127.0.0.1"],
        "held.rebind.example": [[V4], ["127.0.0.1"]],
        "open.rebind.example": [[V4], ["127.0.0.1"]],
    }
    servers = [
        *((address, 80, "http") for address in (V6, OTHER, OTHER6, "10.1.2.3", TRANSLATED)),
        (V4, 443, "tls"),
        (V4, 9443, "http"),
        (V4, 8443, "retry"),
        (V4, 5432, "echo"),
        (V4, 9000, "udp"),
    ]
    local = [(address, 80, "http") for address in ("127.0.0.1", METADATA, OWN)]
    own = [f"{METADATA}/32", f"{OWN}/32"]
    hosts = "127.0.0.1 hosts.example\n"

    def line(self, egress: str, flags: Sequence[str], inside: Sequence[str], omit: str = "") -> list[str]:
        """Return the command of a sandbox with a list; by the testing binary if something is left out."""
        program = TESTING if omit else GLOVEBOX
        ours = ("-v", f"{HERE}:/attack:ro", "-e", "GLOVEBOX_ATTACK=sandbox", "--egress", egress)
        return [program, "run", "--warm=never", *ours, *flags, "host", *inside]

    def environment(self, omit: str) -> dict[str, str]:
        """Return what says that layers are left out."""
        return {"GLOVEBOX_OMIT": omit.replace("capabilities", CAPABILITIES)} if omit else {}


class Rows(NetworkCase):
    """Rows, each as shipped and without its layers."""

    def __init_subclass__(cls, topic: str, **more: object) -> None:
        super().__init_subclass__(**more)
        for row in NETWORK:
            if row.program.startswith(f"{topic} ") and row.name != "borrowed_address":  # which takes two sandboxes
                _add(cls, row)

    def perform(self, row: NetworkAttack, omit: str, run: str) -> str:
        """Run an attack in a sandbox; return its evidence."""
        asked, believed = len(self.world.asked()), len(self.world.believed())
        words = [word.replace("@run", run) for word in row.program.split()]
        inside = ["python3", "-E", "-s", "-B", "/attack/egress/run.py", *words]
        line = self.line(row.egress, row.flags, inside, omit)
        said = self.world.execute(line, env=self.environment(omit))
        return self.evidence(row, said, asked, believed)

    def evidence(self, row: NetworkAttack, said: Result, asked: int, believed: int) -> str:
        """Return what shows that an attack has worked: its own words, and what was seen outside."""
        self.assertIn((said.status, said.out.split()[:1]), [(1, ["HELD"]), (0, ["ESCAPED"])], f"{said.out}\n{said.err}")
        names = {name for name in self.world.asked()[asked:] if row.asked and row.asked in name}
        seen = [f"asked for {sorted(names)}"] if len(names) > row.asked_most else []
        if row.believed and row.believed in self.world.believed()[believed:]:
            seen.append(f"a server believed {row.believed}")
        return "; ".join([*([said.out] if said.status == 0 else []), *seen])

    def perform_outside(self, row: NetworkAttack) -> str:
        """Run an attack without a sandbox."""
        line = [PYTHON, "-E", "-s", "-B", HERE / "egress/run.py", *row.program.split()]
        return self.evidence(row, self.world.execute(line, env={"GLOVEBOX_ATTACK": "host"}), 0, 0)


def _add(to: type[Rows], row: NetworkAttack) -> None:
    def test(work: Callable[[Rows], None], name: str) -> None:
        work.__doc__ = row.threat
        setattr(to, f"test_{row.name}_{name}", work)

    def held(case: Rows, omit: str = row.always) -> None:
        case.assertEqual(case.perform(row, omit, "held"), "", "not stopped")

    def works(case: Rows) -> None:
        omit = ",".join(filter(None, [row.always, row.omit]))
        evidence = case.perform_outside(row) if row.on_host else case.perform(row, omit, "open")
        case.assertTrue(evidence, f"stopped without {row.omit}")
        for word in (*row.expect, *filter(None, [row.believed])):
            case.assertIn(word, evidence)

    test(lambda case: held(case), "is_stopped")
    if row.omit or row.on_host:
        test(works, "works_without_its_defence")
    for wall in row.omit.split(",") if row.walls == "each" else filter(None, row.walls.split(",")):
        others = ",".join(layer for layer in row.omit.split(",") if layer != wall)
        test(lambda case, others=others: held(case, others), f"is_stopped_by_{wall}_alone")


class Places(Rows, topic="places"):
    """Hosts, ports and addresses."""


class Tls(Rows, topic="tls"):
    """Names in TLS."""


class Heads(Rows, topic="heads"):
    """Requests of HTTP."""


class Carried(Rows, topic="carried"):
    """Data in questions, and more than was allowed."""


class Kernel(Rows, topic="kernel"):
    """What is asked of the kernel."""

    as_user = True


class Neighbours(NetworkCase):
    """Two sandboxes with networks."""

    def test_the_address_of_a_name_in_another_sandbox(self) -> None:
        row = next(row for row in NETWORK if row.name == "borrowed_address")
        held = self.start_ready(
            self.world.inside(self.line("api.example:80", ("-i",), ["python3", "-c", HOLDING])), stdin=subprocess.PIPE
        )
        inside = ["python3", "-E", "-s", "-B", "/attack/egress/run.py", *row.program.split()]
        said = {}
        for egress in (row.egress, "api.example:80"):
            lookup = f"socket.gethostbyname({egress.partition(':')[0]!r})"
            script = f"import os, socket, sys; {lookup}; os.execvp('python3', sys.argv[1:])"
            for name, words in (("unasked", inside), ("asked", ["python3", "-c", script, *inside])):
                said[egress, name] = self.world.execute(self.line(egress, (), words)).out.strip()
        held.communicate(b"\n")
        mine = [said.pop(("api.example:80", "asked"))]
        self.assertTrue(mine[0].startswith("ESCAPED api.example /secret"), mine)  # it is its own there
        self.assertEqual(set(said.values()), {"HELD"}, said)


class Alive(NetworkCase):
    """A sandbox that lives while its network's process is looked at."""

    def begin(self, program: str, *flags: str, omit: str = "", **environment: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start a program that says "ready"; return it, and glovebox-egress."""
        line = self.line("api.example:80,api.example:5432", ("-i", *flags), ["python3", "-c", program], omit)
        env = dict(os.environ, **environment, **self.environment(omit))
        process = self.start_ready(self.world.inside(line), stdin=subprocess.PIPE, env=env)
        found = [pid for pid in children(process.pid) if b"glovebox-egress" in arguments(pid)]
        self.assertEqual(len(found), 1, found)
        return process, found[0]

    def status(self, pid: int) -> dict[str, str]:
        """Return the fields of its status."""
        return dict(re.findall(r"^(\w+):[ \t]*(.*)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE))


class Caged(Alive):
    """What glovebox-egress holds while it reads what a sandbox says."""

    as_user = True

    def test_it_has_given_up_all(self) -> None:
        _, pid = self.begin(HOLDING)
        status = self.status(pid)
        given_up = {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
        self.assertEqual(given_up, {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapAmb": 0})
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
        ids = ["65534"] * 4 if IS_ROOT else [str(os.geteuid())] * 4
        self.assertEqual(status["Uid"].split(), ids)
        if IS_ROOT:
            self.assertEqual((status["Gid"].split(), status["Groups"].split()), (ids, []))

    def test_without_its_cage_it_has_not(self) -> None:
        _, pid = self.begin(HOLDING, omit="egress-cage")
        status = self.status(pid)
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("0", "0"))
        if IS_ROOT:
            self.assertEqual(status["Uid"].split(), ["0"] * 4)

    def test_it_has_no_file_but_its_log(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root sees the files of what cannot be traced")
        log = self.folder / "log"
        _, pid = self.begin(HOLDING, "--egress-log", str(log))
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        kinds = {re.sub(r"\[\d+\]$", "", link) for link in links}
        self.assertLessEqual({"socket:", "anon_inode:[eventpoll]", str(log)}, kinds)
        self.assertLessEqual(kinds, {"socket:", "anon_inode:[eventpoll]", "/dev/null", str(log)})

    def test_it_has_nothing_of_the_environment(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root sees the environment of what cannot be traced")
        _, pid = self.begin(HOLDING, GLOVEBOX_TEST_KEY="secret", RES_OPTIONS="ndots:3")
        self.assertEqual(Path(f"/proc/{pid}/environ").read_bytes(), b"")


SLOW = """
import socket
held = []
for _ in range(100):
    c = socket.socket()
    c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.connect(("api.example", 80))
    c.sendall(b"GET /bytes/20000000 HTTP/1.1\\r\\nHost: api.example\\r\\n\\r\\n")
    held.append(c)
for c in held:
    c.recv(1)
print("ready", flush=True)
input()
"""
SILENT = """
import socket
held = []
HOST = b" / HTTP/1.1\\r\\nHost: api.example"
for words in [b"", b"G", b"GET" + HOST, b"POST" + HOST + b"\\r\\nContent-Length: 9\\r\\n\\r\\n1"]:
    for _ in range(50):
        c = socket.create_connection(("api.example", 80), 60)
        c.sendall(words)
        held.append(c)
for _ in range(20):  # to the resolver, which has room for a few
    c = socket.create_connection(("198.18.0.1", 53), 60)
    c.sendall(b"\\0\\x20\\0")
    held.append(c)
"""
HALF = """
import socket
held = []
for _ in range(100):
    c = socket.create_connection(("api.example", 5432), 60)
    c.shutdown(socket.SHUT_WR)
    held.append(c)
said = [b"".join(iter(lambda: c.recv(100), b"")) for c in held]
assert said == [b"hello\\n"] * 100, said
"""
QUESTIONS = """
import os, socket
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
c.setblocking(False)
c.connect(("198.18.0.1", 53))
for n in range(30000):
    name = b"".join(bytes([len(l)]) + l for l in (b"n%d" % n, b"evil", b"example")) + b"\\0"
    message = os.urandom(2) + b"\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + name + b"\\0\\1\\0\\1"
    try:
        c.send(os.urandom(40) if n % 3 == 0 else message)
    except (BlockingIOError, ConnectionRefusedError):
        pass
"""
STILL = """
import urllib.request
print("ready", flush=True)
input()
with urllib.request.urlopen("http://api.example/still", timeout=60) as reply:
    print(reply.read().decode(), end="")
"""
MOST_KIB = 16 << 10  # of memory: that of idle connections and of a libc, and no more


class Stubborn(Alive):
    """Clients that do not read, do not speak, or do not stop: others are served, and memory is bounded."""

    def endure(self, program: str) -> None:
        """Have a program hold what it has opened, look at the memory, and ask for a page beside it."""
        process, pid = self.begin(program + STILL)  # it says "ready" when all is open
        grown = int(self.status(pid)["VmHWM"].split()[0])
        out, err = process.communicate(b"\n")
        self.assertEqual((process.returncode, out), (0, f"api.example /still at {V6}\n".encode()), err)
        self.assertLess(grown, MOST_KIB)

    def queues(self, omit: str) -> list[int]:
        """Have a hundred connections that nobody reads; return the room of those that are outside."""
        process, _ = self.begin(SLOW, omit=omit)

        def rooms() -> list[int]:
            sockets = self.world.execute(["ss", "--tcp", "--memory", "--numeric", "--no-header"]).out
            return [int(room) for room in re.findall(r"skmem:\(r[1-9]\d*,rb(\d+)", sockets)]

        least = 2 * 100 * self.FULL if omit else 0
        found = wait_until(lambda: r if len(r := rooms()) == 100 and sum(r) >= least else [])
        process.communicate(b"\n")
        return found

    FULL = 262144  # what the kernel makes of runtime/egress/buffers.h

    def test_readers_that_do_not_read_hold_little_of_the_kernel(self) -> None:
        rooms = self.queues("")
        self.assertGreaterEqual(rooms.count(self.FULL), 100 - 8, rooms)

    def test_readers_that_do_not_read_hold_much_without_bounds(self) -> None:
        self.assertTrue(self.queues("egress-buffers"))

    def test_readers_that_do_not_read(self) -> None:
        self.endure(SLOW.partition("print(")[0])

    def test_clients_that_say_nothing_or_a_half(self) -> None:
        self.endure(SILENT)

    def test_connections_that_are_half_closed(self) -> None:
        self.endure(HALF)

    def test_questions_without_end(self) -> None:
        before = len(self.world.asked())
        self.endure(QUESTIONS)
        self.assertEqual(set(self.world.asked()[before:]), {"api.example"})


FLOOD = """
import socket, time
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
c.connect(("198.18.0.1", 53))
message = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4evil\\7example\\0\\0\\1\\0\\1"
began = time.process_time()
for _ in range(1000):
    for _ in range(50):
        c.send(message)
    for _ in range(50):
        c.recv(512)
used = time.process_time() - began
print("ready", flush=True)
input()
print(used)
"""
FORKS = """
import os, signal
made = 0
try:
    while True:
        if not os.fork():
            signal.pause()
        made += 1
except BlockingIOError:
    print(made)
"""
OPEN = """
import socket
c = socket.create_connection(("api.example", 5432), 60)
assert c.recv(6) == b"hello\\n"
"""
EATER = OPEN + "held = [bytearray(b'x' * 2**20) for _ in range(4096)]\n"
HANGER = OPEN + "print('ready', flush=True)\nc.recv(1)\n"


class Charged(Alive):
    """What glovebox-egress takes is charged to its sandbox, and it survives the end of that."""

    as_user = kernel = True

    def groups(self, pid: int) -> list[str]:
        """Return the names of a process's control groups."""
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        return [line.split(":", 2)[2] for line in lines]

    def uncharged(self, omit: str) -> float:
        """Ask many questions; return the share of glovebox-egress's time that was not counted for the sandbox."""
        file = self.folder / "result"
        process, pid = self.begin(FLOOD, "--result-file", str(file), "--cpu-time", "1000s", omit=omit)
        its_own = ticks(pid) / 100
        out, err = process.communicate(b"\n")
        self.assertEqual(process.returncode, 0, err)
        counted = json.loads(file.read_text())["cpu_ms"] / 1000
        return (float(out) + its_own - counted) / its_own

    def test_its_time_is_the_sandboxs(self) -> None:
        self.assertLess(self.uncharged(""), 0.1)

    def test_its_time_is_nobodys_outside_of_the_group(self) -> None:
        self.assertGreater(self.uncharged("egress-group"), 0.5)

    def joined(self, omit: str) -> list[str]:
        """Return the names of groups of sandboxes in which it is."""
        _, pid = self.begin(HOLDING, omit=omit)
        return [group for group in self.groups(pid) if "/sandbox-" in group]

    def test_it_is_below_the_limits(self) -> None:
        groups = self.joined("")
        self.assertTrue(groups)
        self.assertEqual({Path(group).name for group in groups}, {"net"})

    def test_it_is_elsewhere_without_the_layer(self) -> None:
        self.assertEqual(self.joined("egress-group"), [])

    def test_what_waits_in_its_sockets_counts(self) -> None:
        _, pid = self.begin(SLOW)
        (path,) = {group for group in self.groups(pid) if "/sandbox-" in group}
        v1 = Path(f"/sys/fs/cgroup/memory{path}")
        limits = v1.parent if v1.exists() else Path(f"/sys/fs/cgroup{path}").parent

        def waiting() -> int:
            if v1.exists():
                return int((limits / "memory.kmem.tcp.usage_in_bytes").read_text())
            stat = (limits / "memory.stat").read_text()
            return int(dict(line.split() for line in stat.splitlines())["sock"])

        self.assertTrue(wait_until(lambda: waiting() > 100 * 65536), waiting())

    def test_the_program_has_as_many_processes_as_without_it(self) -> None:
        lists = ("--egress", "none"), ("--egress", "api.example")
        made = [self.assert_status(self.world.run("--warm=never", "--pids-limit", "9", *words, py=FORKS)).out for words in lists]
        self.assertEqual(made[0], made[1])

    def ended(self, program: str, *flags: str, log: str) -> dict[str, Any]:
        """Run a program that is killed while a connection stands; return its result."""
        file = self.folder / log
        words = ("--json", "--warm=never", "--egress", "api.example:5432", "--egress-log", file, *flags)
        said = self.world.run(*words, py=program).json
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual([(line["what"], line["name"], line["bytes_in"]) for line in lines], [("connection", "api.example", 6)])
        self.assertEqual((said["egress"]["connections"], said["egress"]["bytes_in"]), (1, 6))
        return said

    def test_it_tells_what_became_of_a_sandbox_that_was_killed(self) -> None:
        self.assertEqual(self.ended(HANGER, "--timeout", seconds(3), log="late")["verdict"], "wall_time")

    def test_it_tells_what_became_of_a_sandbox_without_memory(self) -> None:
        self.assertEqual(self.ended(EATER, "-m", "64m", log="large")["verdict"], "memory")


class Honest(NetworkCase):
    """What the walls must let through."""

    def test_an_honest_second_hello(self) -> None:
        before = len(self.world.believed())
        program = """
import json, socket, ssl
context = ssl._create_unverified_context()
with socket.create_connection(("api.example", 8443), 60) as s, context.wrap_socket(s, server_hostname="api.example") as t:
    t.sendall(b"GET /x HTTP/1.0\\r\\nHost: api.example\\r\\n\\r\\n")
    print(json.dumps(t.recv(65536).decode().startswith("HTTP/1.1 200")))
"""
        said = self.world.execute(self.line("api.example:8443", (), ["python3", "-c", program]))
        self.assertIs(json.loads(self.assert_status(said).out), True)
        # Twice: it was asked again.
        self.assertEqual(self.world.believed()[before:], ["api.example"] * 2)

"""tenant_attacker - a tenant of a server that performs the whole table of attacks, again and again."""

import contextlib
import http.client
import itertools
import socket
import threading
from collections import Counter
from collections.abc import Callable

import attacks_tenants
from support.processes import groups, held
from support.serve import Server
from support.times import DEADLINE, wait_until
from tenant_case import Hostile, remove_all

# The server that it meets, and what docs/serve-operate.md ("What a client holds") says that it then holds at most.
CONNECTIONS, IN_FLIGHT, RUNS = 60, 64 << 20, 16
FLAGS = ("--access-log", "off", "--stall-timeout", "1h", "--header-timeout", "1h", "--max-connections", str(CONNECTIONS),
         "--max-in-flight", str(IN_FLIGHT), "--max-runs", str(RUNS))  # fmt: skip
OUTPUT = 2_000_000  # of a run: stdout and stderr
MOST_ATTACKED = 8_000_000 + 60_000 * CONNECTIONS + 2 * IN_FLIGHT + (16 << 20) + RUNS * OUTPUT + 6 * OUTPUT
# A connection, and the file that its long reply lies in; a run has pipes, and a folder for its outputs.
MOST_DESCRIPTORS = 2 * CONNECTIONS + 16 * RUNS
MOST_FILES = 100  # the tenant uploads one at a time; each run may have a folder with what it has left
MOST_GROUPS = 8 * RUNS  # of cells that run, are ready, or end
CEILING = '{"concurrency": 1}'  # of the tenant's key
HOLD_S = 3  # so long an attack lasts when it is complete
REST_S = 3  # so long the tenant stays away, so that others are measured without it in the same minutes
ADDRESS = "127.0.0.2"  # tenants share no address; what comes without a key is charged to it


class Elsewhere(Hostile):
    """A client that means harm, with an address of its own."""

    def connect(self, receive: int = 0) -> socket.socket:
        """Return a connection, which closes with the attack."""
        client = self.stack.enter_context(socket.socket(socket.AF_INET))
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.bind((ADDRESS, 0))
        client.settimeout(DEADLINE)
        client.connect(("127.0.0.1", self.server.port))
        return client


class Attacker(threading.Thread):
    """A tenant that performs the rows of the table in turns, until it is told to leave."""

    def __init__(self, server: Server, token: str) -> None:
        super().__init__()
        self.server, self.token = server, token
        self.leave = threading.Event()
        self.is_there = False
        self.performed: Counter[str] = Counter()
        self.refused = 0  # attacks that did not come to their end
        self.most: Counter[str] = Counter()  # that the server held meanwhile
        self.problems: list[str] = []

    def has_been_round(self) -> bool:
        """Say whether each row was performed."""
        return len(self.performed) == len(attacks_tenants.TABLE) or bool(self.problems)

    def run(self) -> None:
        """Attack."""
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        try:
            for row in itertools.cycle(attacks_tenants.TABLE):
                if self.leave.is_set():
                    break
                self.is_there = True
                self.perform(row.attack)
                self.is_there = False
                self.performed[row.name] += 1
                self.leave.wait(REST_S)
        except Exception as error:
            self.problems.append(f"the tenant: {type(error).__name__}: {error}")
        finally:
            self.leave.set()
            watcher.join()

    def perform(self, attack: Callable[[Hostile], None]) -> None:
        """Perform one row, hold what it holds for a moment, and let go of it."""
        with contextlib.ExitStack() as stack:
            try:
                attack(Elsewhere(self.server, self.token, stack))
            except (OSError, http.client.HTTPException, KeyError):  # a connection or a request that is refused
                self.refused += 1
            self.leave.wait(HOLD_S)
        if not wait_until(lambda: remove_all(self.server, self.token), DEADLINE):
            raise AssertionError("what the tenant had stays")

    def watch(self) -> None:
        """Look at the server again and again: what it holds at most."""
        supervisor = self.server.warm()["pid"]
        while not self.leave.wait(0.5):
            now = held(self.server.process.pid, self.server.files) | {"groups": len(groups(supervisor))}
            self.most |= Counter(now)

    def judge(self) -> list[str]:
        """Return what was wrong when it has left."""
        self.most["memory"] = self.server.peak_bytes()
        bounds = {"memory": MOST_ATTACKED, "descriptors": MOST_DESCRIPTORS, "files": MOST_FILES, "groups": MOST_GROUPS}
        kept = ", ".join(f"{name} {self.most[name]} of {most}" for name, most in bounds.items())
        print(f"{self.performed.total()} attacks of {len(self.performed)} kinds, {self.refused} of them refused; at most {kept}", flush=True)
        return self.problems + [
            f"{name} beside the tenant: {self.most[name]}, {most} at most" for name, most in bounds.items() if self.most[name] > most
        ]

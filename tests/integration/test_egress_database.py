"""A real PostgreSQL on a private network, and psql in a sandbox whose list has it."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.messages import message
from support.outside import OutsideCase
from support.run import IS_ROOT, Result
from support.times import DEADLINE

PRIVATE = "10.1.2.3"
HOST = "db.internal"
SERVER = "nobody"  # who it is where we are root, as whom it does not start
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))  # Debian's `postgresql`
CA = "/ca.pem"
ROWS = 20000


class Database(OutsideCase):
    """The entry has the kind `raw`: nothing but its name, its port and its address is judged."""

    names = {HOST: [PRIVATE]}
    servers = [(PRIVATE, 80, "http")]  # for its address

    @classmethod
    def setUpClass(cls) -> None:
        """Make a database and start it."""
        if not PROGRAMS or not shutil.which("psql", path="/usr/bin"):
            raise unittest.SkipTest("cannot: postgresql is not installed")
        super().setUpClass()
        home = Path(tempfile.mkdtemp(prefix="database-", dir="/tmp"))  # no other user reaches the directory of our tests
        cls.addClassCleanup(shutil.rmtree, home, ignore_errors=True)
        home.chmod(0o755)
        cls.data = home / "data"
        cls.make_database()
        cls.start_database()

    @classmethod
    def as_its_user(cls, program: str, *args: str | Path) -> list[str]:
        """Return the command that runs a program of PostgreSQL's behind the link."""
        user = ["setpriv", f"--reuid={SERVER}", "--clear-groups"] if IS_ROOT else []
        return cls.world.beyond([*user, PROGRAMS[-1].parent / program, *args])

    @classmethod
    def make_database(cls) -> None:
        """It asks for a password, and has the certificate of all servers."""
        cls.data.mkdir(mode=0o700)
        password = cls.data.parent / "password"
        password.write_text("secret\n")
        password.chmod(0o644)
        if IS_ROOT:
            shutil.chown(cls.data, SERVER)
        line = cls.as_its_user("initdb", "-D", cls.data, "-U", "someone", "-A", "scram-sha-256", "--pwfile", password, "--locale=C", "--no-sync")
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, timeout=DEADLINE, cwd="/")
        for name in ("certificate.pem", "key.pem"):
            shutil.copy(cls.world.folder / name, cls.data)
            (cls.data / name).chmod(0o600)
            if IS_ROOT:
                shutil.chown(cls.data / name, SERVER)
        with (cls.data / "pg_hba.conf").open("a") as file:
            file.write("hostssl all all all scram-sha-256\n")
        with (cls.data / "postgresql.conf").open("a") as file:
            file.write(f"listen_addresses = '{PRIVATE}'\nunix_socket_directories = ''\nfsync = off\n")
            file.write(f"ssl = on\nssl_cert_file = 'certificate.pem'\nssl_key_file = 'key.pem'\n")

    @classmethod
    def start_database(cls) -> None:
        """Start it, and wait until it says that it is ready."""
        process = subprocess.Popen(cls.as_its_user("postgres", "-D", cls.data), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/")
        assert process.stderr
        cls.addClassCleanup(process.stderr.close)
        cls.addClassCleanup(process.wait, DEADLINE)
        cls.addClassCleanup(process.terminate)
        told = []
        while line := process.stderr.readline():
            told.append(line)
            if b"ready to accept connections" in line:
                return
        raise AssertionError(f"PostgreSQL has ended: {told}")

    def psql(self, *flags: str, query: str, mode: str = "verify-full") -> Result:
        """Ask it in a sandbox."""
        about = f"host={HOST} user=someone dbname=postgres sslmode={mode} sslrootcert={CA} connect_timeout=20"
        ours = ("-v", f"{self.world.certificate}:{CA}:ro", "-e", "PGPASSWORD=secret", "-e", f"ABOUT={about}", "-e", f"QUERY={query}")
        return self.mapped(self.world.run("--warm=never", *ours, *flags, env={}, sh='psql -XAtq "$ABOUT" -c "$QUERY"'))

    def test_it_is_reached_and_answers(self) -> None:
        flags = ("--egress", f"{HOST}:5432", "--allow-private", HOST)
        said = self.psql(*flags, query="SELECT version() LIKE 'PostgreSQL %', ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        self.assert_prints("t|t", said)
        self.assertEqual(said.err, "")
        rows = self.assert_status(self.psql(*flags, query=f"SELECT n, repeat('x', 50) FROM generate_series(1, {ROWS}) AS n"))
        self.assertEqual(rows.out.splitlines(), [f"{n}|{'x' * 50}" for n in range(1, ROWS + 1)])

    def test_what_it_refuses_reaches_the_client(self) -> None:
        flags = ("--egress", f"{HOST}:5432", "--allow-private", HOST, "-e", "PGPASSWORD=wrong")
        said = self.assert_status(self.psql(*flags, query="SELECT 1"), 2)
        self.assertIn("password authentication failed", said.err)

    def test_a_private_address_takes_a_word(self) -> None:
        said = self.assert_status(self.psql("--egress", f"{HOST}:5432", query="SELECT 1"), 2)
        self.assertRegex(said.err, message("net_judge#private", f"{HOST}:5432"))

    def test_it_is_not_reached_at_a_port_that_is_not_listed(self) -> None:
        said = self.assert_status(self.psql("--egress", f"{HOST}:443", "--allow-private", HOST, query="SELECT 1"), 2)
        self.assertIn("Connection refused", said.err)

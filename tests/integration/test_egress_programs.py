"""Programs as people use them, in a sandbox with a list, and as clients of its published ports.

The Internet is a test's own (support/outside.py), but for one test, which needs a package index. Clients of
HTTP that a distribution need not have are in clients/test_egress_clients.py.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
import textwrap
import unittest
import zipfile
from pathlib import Path

from support.outside import OutsideCase
from support.run import IS_ROOT, PYTHON, Result, command, execute, run
from support.times import DEADLINE

V4, SOCKETS = "93.184.216.34", "93.184.216.36"
SITE = "site.example"
WHEEL = "tiny-1.0-py3-none-any.whl"
CA = "/ca.pem"


def wheel(name: str, files: dict[str, str]) -> bytes:
    """Return a package of Python's with these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        about = f"{name}-1.0.dist-info"
        tag = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", tag)
        archive.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in (*archive.namelist(), f"{about}/RECORD")))
    return out.getvalue()


def node_package() -> bytes:
    """Return a package of npm's that has one module."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in (("package.json", '{"name":"tiny","version":"1.0.0"}'), ("index.js", "module.exports = 'tiny is here'")):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def debian_index(package: bytes) -> str:
    """Return the index of a repository of Debian's with one package; nobody unpacks it."""
    return textwrap.dedent(f"""\
        Package: tiny
        Version: 1.0
        Architecture: all
        Maintainer: a test <test@site.example>
        Filename: ./tiny.deb
        Size: {len(package)}
        SHA256: {hashlib.sha256(package).hexdigest()}
        Description: tiny
        """)


class Site(OutsideCase):
    """One site, with the files of several kinds of clients."""

    names = {SITE: [V4], "sockets.example": [SOCKETS]}
    servers = [(V4, 80, "files"), (V4, 443, "tls-files"), (V4, 5432, "database"), (SOCKETS, 80, "websocket")]

    @classmethod
    def setUpClass(cls) -> None:
        """Fill the site."""
        super().setUpClass()
        www = cls.world.www
        (www / "hello.txt").write_text("hello\n")
        (www / "simple/tiny").mkdir(parents=True)
        (www / f"simple/tiny/{WHEEL}").write_bytes(wheel("tiny", {"tiny.py": "here = 'tiny is here'\n"}))
        (www / "simple/tiny/index.html").write_text(f'<!DOCTYPE html><a href="{WHEEL}">{WHEEL}</a>\n')
        (www / "tiny-1.0.0.tgz").write_bytes(node_package())
        versions = {"1.0.0": {"name": "tiny", "version": "1.0.0", "dist": {"tarball": f"https://{SITE}/tiny-1.0.0.tgz"}}}
        (www / "tiny").write_text(json.dumps({"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": versions}))
        (www / "debian").mkdir()
        (www / "debian/tiny.deb").write_bytes(b"deb")
        (www / "debian/Packages.gz").write_bytes(gzip.compress(debian_index(b"deb").encode()))

    def needs(self, *programs: str) -> None:
        """Skip the test where one is not installed; what is inside is this machine's /usr."""
        missing = [program for program in programs if not shutil.which(program, path="/usr/sbin:/usr/bin")]
        if missing:
            self.skipTest(f"cannot: {', '.join(missing)} is not installed")

    def needs_module(self, name: str) -> None:
        """The same of a module of the host's Python."""
        if execute([PYTHON, "-c", f"import {name}"]).status != 0:
            self.skipTest(f"cannot: {name} is not installed")

    def inside(self, *flags: str | Path, egress: str = SITE, **what: str) -> Result:
        """Run something with a list and the certificate of the site."""
        ours = ("-v", f"{self.world.certificate}:{CA}:ro", "--egress", egress, "--memory", "1g")
        return self.mapped(self.world.run("--warm=never", *ours, *flags, env={}, **what))


class Clients(Site):
    """Programs inside."""

    def test_curl(self) -> None:
        self.needs("curl")
        said = self.inside(sh=f"curl -sS http://{SITE}/hello.txt && curl -sS --cacert {CA} https://{SITE}/hello.txt")
        self.assert_prints("hello\nhello", said)

    def test_curl_does_not_get_elsewhere(self) -> None:
        self.needs("curl")
        for words, statuses in (
            (f"http://{V4}/hello.txt", (7, 56)),  # a reset, perhaps before it looks whether it is connected
            ("http://sockets.example/", (6,)),  # no such name
            (f"-H 'Host: other.example' http://{SITE}/", (56,)),
            (f"--cacert {CA} --connect-to other.example:443:{SITE}:443 https://other.example/", (35,)),
            (f"-x http://{SITE}:80 http://other.example/", (56,)),
        ):
            with self.subTest(words):
                said = self.inside(sh=f"curl -sS {words}")
                self.assertIn(said.status, statuses, said.err)

    def test_wget(self) -> None:
        self.needs("wget")
        flags = "-q --no-hsts -O -"
        said = self.inside(sh=f"wget {flags} http://{SITE}/hello.txt && wget {flags} --ca-certificate={CA} https://{SITE}/hello.txt")
        self.assert_prints("hello\nhello", said)

    def test_git(self) -> None:
        self.needs("git")
        work = self.folder / "work"
        git = ["git", "-C", str(work), "-c", "user.name=test", "-c", "user.email=test@site.example"]
        subprocess.run(["git", "init", "-q", work], check=True)
        (work / "file").write_text("of the repository\n")
        for words in (["add", "file"], ["commit", "-q", "-m", "one"]):
            subprocess.run([*git, *words], check=True)
        bare = self.world.www / "repository.git"
        subprocess.run(["git", "clone", "-q", "--bare", work, bare], check=True)
        subprocess.run(["git", "-C", bare, "update-server-info"], check=True)
        script = f"cd /tmp && git clone -q https://{SITE}/repository.git && cat repository/file"
        said = self.inside("-e", f"GIT_SSL_CAINFO={CA}", sh=script)
        self.assert_prints("of the repository", said)

    def test_pip(self) -> None:
        self.needs_module("pip")
        flags = "install -q --disable-pip-version-check --root-user-action=ignore --no-cache-dir --target /tmp/p"
        for index in (f"--cert {CA} --index-url https://{SITE}/simple", f"--trusted-host {SITE} --index-url http://{SITE}/simple"):
            with self.subTest(index):
                said = self.inside(sh=f"python3 -m pip {flags} {index} tiny && PYTHONPATH=/tmp/p python3 -c 'import tiny; print(tiny.here)'")
                self.assert_prints("tiny is here", said)

    def test_python_itself(self) -> None:
        said = self.inside(py=f"""
import http.client, ssl, urllib.request
context = ssl.create_default_context(cafile="{CA}")
print(urllib.request.urlopen("https://{SITE}/hello.txt", timeout=60, context=context).read().decode(), end="")
plain, secure = http.client.HTTPConnection("{SITE}", timeout=60), http.client.HTTPSConnection("{SITE}", timeout=60, context=context)
for connection in (plain, secure):
    said = []
    for _ in range(20):  # on one connection
        connection.request("GET", "/hello.txt")
        said.append(connection.getresponse().read())
    assert said == [b"hello\\n"] * 20
print("alive")
""")  # fmt: skip
        self.assert_prints("hello\nalive", said)

    def test_npm(self) -> None:
        self.needs("npm", "node")
        script = f"""
cd /tmp && npm install --no-audit --no-fund --no-update-notifier --fetch-retries 0 --cafile {CA} \
    --registry https://{SITE} tiny >&2 &&
node -e 'console.log(require("tiny"))'
"""
        self.assert_prints("tiny is here", self.inside("-e", "HOME=/tmp", sh=script))

    def test_apt(self) -> None:
        self.needs("apt-get", "apt-cache")
        script = f"""
set -eu
cd /tmp && mkdir -p etc state/lists/partial cache/archives/partial && : >status
echo 'deb [trusted=yes] http://{SITE}/debian ./' >etc/list
own="-o Dir::Etc=/tmp/etc -o Dir::Etc::SourceList=/tmp/etc/list -o Dir::Etc::SourceParts=/tmp/etc/none
    -o Dir::State=/tmp/state -o Dir::State::status=/tmp/status -o Dir::Cache=/tmp/cache"
apt-get -qq $own update >&2
apt-cache $own show tiny | sed -n 's/^Version: //p'
apt-get -qq $own download tiny >&2
cat tiny_1.0_all.deb
"""
        self.assert_prints("1.0\ndeb", self.inside(sh=script))

    def test_psql(self) -> None:
        self.needs("psql")
        said = self.inside(egress=f"{SITE}:5432", sh=f"psql -At 'host={SITE} user=u dbname=d sslmode=prefer' -c 'SELECT 42'")
        self.assert_prints("42", said)

    def test_openssl(self) -> None:
        said = self.inside(
            sh=f"printf 'GET /hello.txt HTTP/1.0\\r\\nHost: {SITE}\\r\\n\\r\\n' |"
            f"openssl s_client -quiet -verify_quiet -ign_eof -verify_return_error -CAfile {CA} -servername {SITE} -connect {SITE}:443"
        )
        self.assertTrue(said.out.endswith("\r\n\r\nhello\n"), f"{said.out}\n{said.err}")

    def test_a_websocket(self) -> None:
        said = self.inside(egress="sockets.example:80", py=SOCKET_CLIENT.replace("HOST", "'sockets.example'").replace("PORT", "80"))
        self.assert_prints("alive", said)


# A client of WebSockets: frames are opaque to what carries them.
SOCKET_CLIENT = """
import base64, hashlib, os, socket
key = base64.b64encode(os.urandom(16))
request = b"GET /socket HTTP/1.1\\r\\nHost: %s\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n" % HOST.encode()
request += b"Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: " + key + b"\\r\\n\\r\\n"
with socket.create_connection((HOST, PORT), 60) as s:
    s.sendall(request)
    stream = s.makefile("rb")
    head = b"".join(iter(stream.readline, b"\\r\\n"))
    assert head.startswith(b"HTTP/1.1 101 "), head
    expected = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    assert expected in head, head
    for size in (1, 5, 70000):  # not a request of HTTP among them
        s.sendall(b"\\x82" * size)
        assert stream.read(size) == b"\\x82" * size
print("alive")
"""

# Inside: pages, a long poll that a second request ends, and a WebSocket.
SERVER = """
import base64, hashlib, http.server, threading
told = threading.Event()
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_GET(self):
        if self.path == "/socket":
            return self.become_socket()
        if self.path == "/poll":
            assert told.wait(60)
        if self.path == "/tell":
            told.set()
        body = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def become_socket(self):
        key = self.headers["Sec-WebSocket-Key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key).digest()).decode())
        self.end_headers()
        while piece := self.rfile.read1(65536):
            self.wfile.write(piece)
        self.close_connection = True
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 100
server = Server(("127.0.0.1", 8000), Handler)
print("ready", flush=True)
server.serve_forever()
"""


class Published(Site):
    """A server inside, and clients outside."""

    def setUp(self) -> None:
        """Start it."""
        super().setUp()
        process = self.start_ready(self.world.inside(command("--warm=never", "-p", "8000", py=SERVER)))
        assert process.stderr
        told = process.stderr.readline().decode()
        self.site = f"http://{told.split()[1]}"

    def test_curl(self) -> None:
        self.needs("curl")
        self.assert_prints("/page", self.world.execute(["curl", "-sS", f"{self.site}/page"]))

    def test_fifty_requests_at_once(self) -> None:
        """More than there are sockets for them: some wait."""
        self.needs("curl")
        words = ["--parallel", "--parallel-max", "50", "--parallel-immediate", "-w", "%{http_code}\n", "-o", "/dev/null"]
        said = self.world.execute(["curl", "-sS", *words, f"{self.site}/[1-50]"])
        self.assertEqual(self.assert_status(said).out.split(), ["200"] * 50)

    def test_a_long_poll(self) -> None:
        waits = self.start(self.world.inside(["curl", "-sS", f"{self.site}/poll"]), stdout=subprocess.PIPE)
        self.needs("curl")
        self.assert_prints("/tell", self.world.execute(["curl", "-sS", f"{self.site}/tell"]))
        self.assertEqual(waits.communicate(timeout=DEADLINE)[0], b"/poll")

    def test_a_websocket(self) -> None:
        client = SOCKET_CLIENT.replace("HOST", "'127.0.0.1'").replace("PORT", self.site.rpartition(":")[2])
        self.assert_prints("alive", self.world.execute([PYTHON, "-c", client]))


class Servers(Site):
    """Servers that others have written."""

    def test_nginx_of_this_machine(self) -> None:
        self.needs("nginx", "curl")
        self.folder.chmod(0o755)
        self.file("page.txt", "from nginx\n").chmod(0o644)
        # By default it has some of its files where only root may write.
        temporary = " ".join(f"{what}_temp_path {self.folder}/{what};" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        self.file("nginx.conf", f"""
daemon off; master_process off; pid {self.folder}/pid; error_log stderr; user root;
events {{}}
http {{
    access_log off; {temporary}
    server {{ listen 127.0.0.1:8000; root {self.folder}; }}
}}
""")  # fmt: skip
        options = ["-c", str(self.folder / "nginx.conf"), "-p", str(self.folder), "-e", "stderr"]
        self.start(self.world.inside(["nginx", *options]), stderr=subprocess.DEVNULL)
        again = "--retry 100 --retry-max-time 60 --retry-all-errors"  # it may not listen yet
        script = f"curl -sS {again} http://host.docker.internal:8000/page.txt 2>/dev/null"
        said = self.world.run("--warm=never", "--allow-host", "8000", env={}, sh=script)
        self.assert_prints("from nginx", said)

    def test_dnsmasq_and_its_aliases(self) -> None:
        self.needs("dnsmasq", "curl")
        if not IS_ROOT:
            self.skipTest("cannot: an ordinary user's programs may not listen at port 53 there")
        own = ["--keep-in-foreground", "--no-resolv", "--no-hosts", "--conf-file=/dev/null", "--pid-file=", "--user="]
        own += ["--listen-address=127.0.0.2", "--bind-interfaces", "--log-facility=-"]
        records = [f"--host-record={SITE},{V4}", f"--cname=alias.example,{SITE}", "--address=/bad.example/127.0.0.1"]
        process = self.start(self.world.inside(["dnsmasq", *own, *records]), stderr=subprocess.PIPE)
        assert process.stderr
        told = []
        while b"started" not in (line := process.stderr.readline()):
            told.append(line)
            self.assertTrue(line, told)
        settings = self.world.folder / "resolv.conf"
        before = settings.read_text()
        self.addCleanup(settings.write_text, before)
        settings.write_text("nameserver 127.0.0.2\n")
        script = """
curl -sS http://alias.example/hello.txt
curl -sS http://bad.example/ 2>/dev/null; echo $?
curl -sS http://none.example/ 2>/dev/null; echo $?
"""
        said = self.inside(egress="alias.example:80,bad.example:80,none.example:80", sh=script)
        self.assert_prints("hello\n56\n6", said)


class Live(OutsideCase):
    """The real Internet, if there is one."""

    @classmethod
    def setUpClass(cls) -> None:
        """No world of its own: the machine's is what is tried."""
        if "GLOVEBOX_LIVE" not in os.environ:
            raise unittest.SkipTest("cannot: it wants the Internet (make check-live)")
        super(OutsideCase, cls).setUpClass()

    def test_a_package_of_the_real_index(self) -> None:
        host = "pypi.org"
        try:
            with socket.create_connection((host, 443), 3):
                pass
        except OSError as error:
            self.skipTest(f"cannot: {host} cannot be reached: {error}")
        log = self.folder / "log"
        flags = ("--warm=never", "--egress", "pypi", "--egress-log", log, "--memory", "1g", "--timeout", "60s")
        install = "python3 -m pip install -q --disable-pip-version-check --no-cache-dir --root-user-action=ignore"
        if run("--warm=never", sh="python3 -m pip --version").status != 0:
            self.skipTest("cannot: the host's Python has no pip")
        said = run(*flags, sh=f"{install} --retries 0 --target /tmp/p six && PYTHONPATH=/tmp/p python3 -c 'import six; print(six.__name__)'")
        if said.status != 0 and "address (--allow-private NAME)" in log.read_text():
            self.skipTest(f"cannot: {host} is a private address here")
        self.assert_prints("six", said)

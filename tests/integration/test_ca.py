"""--ca: programs inside trust a private authority, and those that they trusted before."""

from pathlib import Path

from support.case import Case
from support.messages import message
from support.run import PYTHON, Result, run
from support.serve import certificate
from support.small_image import NAME, PIP, make_store, make_wheel

FILE = "/run/glovebox/ca.pem"
NAMES = "SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE PIP_CERT GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS".split()
LOOK = f"import os; print(*[os.environ.get(name) for name in {NAMES}])"
COUNT = f"print(open('{FILE}').read().count('BEGIN CERT'))"
# A server inside, whose certificate only --ca vouches for, and a client, the first words of which are argv.
SERVE = """
import functools, http.server, ssl, subprocess, sys, threading
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="/srv/web")
handler.func.log_message = lambda *_: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8443), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/srv/tls.crt", "/srv/tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=server.serve_forever, daemon=True).start()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(done.returncode == 0, flush=True)
sys.stderr.write(done.stdout + done.stderr)
"""
URLLIB = "import urllib.request as u; u.urlopen('https://localhost:8443/file').read()"
REQUESTS = "import requests; requests.get('https://localhost:8443/file').raise_for_status()"
NODE = "require('https').get('https://localhost:8443/file', r => process.exit(+(r.statusCode != 200))).on('error', () => process.exit(1))"
CLIENTS = {
    "urllib": [PYTHON, "-c", URLLIB],
    "requests": [PYTHON, "-c", REQUESTS],
    "curl": ["/usr/bin/curl", "-sSf", "https://localhost:8443/file"],
    "git": ["/usr/bin/git", "ls-remote", "https://localhost:8443/repository"],
    "node": ["/usr/bin/node", "-e", NODE],
    "pip": [PYTHON, "-m", "pip", "download", "-d", "/tmp", "--no-deps", "--retries=0",
            "--index-url=https://localhost:8443/simple", "tablet"],
}  # fmt: skip


class Trust(Case):
    """Clients of a server inside."""

    def setUp(self) -> None:
        """Make what is served."""
        super().setUp()
        self.folder.chmod(0o755)
        self.ca, key = certificate(self.folder)
        key.chmod(0o644)
        web = self.folder / "web"
        for place in ("simple/tablet", "repository/info"):
            (web / place).mkdir(parents=True)
        wheel = make_wheel(web / "simple/tablet")
        (web / "simple/tablet/index.html").write_text(f"<a href='{wheel.name}'>{wheel.name}</a>")
        (web / "repository/info/refs").write_text(f"{'1' * 40}\trefs/heads/main\n")
        (web / "repository/HEAD").write_text("ref: refs/heads/main\n")
        (web / "file").write_text("here")

    def client(self, name: str, *flags: str | Path) -> Result:
        """Run one; it prints whether it was content."""
        served = ["-v", f"{self.folder}:/srv:ro", "--memory", "1g"]
        return run("--warm=never", *served, *flags, argv=[PYTHON, "-c", SERVE, *CLIENTS[name]])

    def check(self, name: str, needs: Path) -> None:
        """With --ca it trusts the server, and without not."""
        if not needs.exists():
            self.skipTest(f"cannot: there is no {needs}")
        self.assert_prints("True", self.client(name, "--ca", self.ca))
        self.assert_prints("False", self.client(name))

    def test_python(self) -> None:
        self.check("urllib", Path(PYTHON))

    def test_requests(self) -> None:
        self.check("requests", Path("/usr/lib/python3/dist-packages/requests"))

    def test_curl(self) -> None:
        self.check("curl", Path("/usr/bin/curl"))

    def test_git(self) -> None:
        self.check("git", Path("/usr/bin/git"))

    def test_node(self) -> None:
        self.check("node", Path("/usr/bin/node"))

    def test_pip(self) -> None:
        self.check("pip", PIP)


class File(Case):
    """What the file is, and which are refused."""

    def setUp(self) -> None:
        """Make an authority."""
        super().setUp()
        self.ca, self.key = certificate(self.folder)

    def test_the_image_s_own_come_first(self) -> None:
        own = Path("/etc/ssl/certs/ca-certificates.crt")
        known = own.read_text().count("BEGIN CERT") if own.exists() else 0
        self.assert_prints(str(known + 1), run("--ca", self.ca, py=COUNT))

    def test_an_image_without_any_has_this_one(self) -> None:
        store = make_store(self.folder, self.folder.stat().st_uid)
        self.folder.chmod(0o755)
        env = {"GLOVEBOX_IMAGES": str(store)}
        for flags in ([], ["--writable"]):
            said = run(*flags, "--ca", self.ca, argv=["python3", "-c", COUNT], image=NAME, env=env)
            self.assert_prints("1", said)

    def test_every_variable_names_it(self) -> None:
        self.assert_prints(" ".join([FILE] * len(NAMES)), run("--ca", self.ca, py=LOOK))
        self.assert_prints(" ".join(["None"] * len(NAMES)), run(py=LOOK))

    def test_the_caller_s_variables_win(self) -> None:
        said = run("--ca", self.ca, "-e", "PIP_CERT=/mine", py=LOOK)
        self.assert_prints(" ".join([FILE] * 3 + ["/mine"] + [FILE] * 2), said)

    def test_it_cannot_be_changed(self) -> None:
        py = f"""
import os
for change in (lambda: open('{FILE}', 'a'), lambda: os.unlink('{FILE}'), lambda: os.chmod('{FILE}', 0o777),
               lambda: open('/run/glovebox/x', 'w')):
    try:
        change()
        print('changed')
    except OSError:
        pass
"""
        for user in ("0", "1000"):
            self.assert_prints("", run("-u", user, "--ca", self.ca, py=py))

    def test_refused(self) -> None:
        both = self.file("both", self.ca.read_text() + self.key.read_text())
        cut = self.file("cut", self.ca.read_text()[:-30])
        text = self.file("text", "no certificate\n")
        large = self.file("large", self.ca.read_text() + "#" * (1 << 20))
        for path, words in (
            (both, message("ca_check#private", both)),
            (self.key, message("ca_check#private", self.key)),
            (cut, "block 1 of "),
            (text, "holds no certificate"),
            (self.file("empty"), "holds no certificate"),
            (self.file("nul", b"\0" + self.ca.read_bytes()), "is not text"),
            (large, "larger than"),
            (self.folder / "missing", "No such file"),
        ):
            with self.subTest(path=path):
                self.assert_refused(run("--ca", path, argv=["/bin/true"]), "--ca: ", words)

    def test_its_place_is_taken_once(self) -> None:
        said = run("--ca", self.ca, "--tmpfs", "/run/glovebox", argv=["/bin/true"])
        self.assert_refused(said, message("root_ca#mount", "--ca", "/run/glovebox"))

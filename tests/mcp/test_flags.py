"""What the flags of `glovebox mcp` give its sessions."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.mcp import McpCase
from support.messages import message
from support.run import OWNER, glovebox
from support.times import DEADLINE, wait_until


class Preload(McpCase):
    """A supervisor of its own imports what --preload names."""

    def imported(self, *flags: str) -> bool:
        """Tell whether a module that hardly anybody imports is there from the beginning."""
        return self.start_mcp(*flags).run("import sys\n'colorsys' in sys.modules")["value"] == "True"

    def test_it_is_imported(self) -> None:
        self.assertFalse(self.imported())
        self.assertTrue(self.imported("--preload", "colorsys"))

    def test_what_cannot_be_is_named_once(self) -> None:
        mcp = self.start_mcp("--preload", "asyncio.windows_events,colorsys")
        for _ in range(2):
            self.assertEqual(mcp.run("import sys\n'colorsys' in sys.modules")["value"], "True")
        wait_until(lambda: mcp.said)
        self.assertEqual(mcp.said, b"glovebox: not preloaded: asyncio.windows_events: ImportError: win32 only\n")

    def test_what_is_no_list_of_modules_is_refused(self) -> None:
        said = glovebox("mcp", "--image", "host", "--preload", "a;b")
        self.assert_refused(said, message("preload_check", "--preload", "a;b"))


class Directories(McpCase):
    """--workspace and --output: directories of the user's, of which the model is told."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(McpCase, cls).setUpClass()

    def setUp(self) -> None:
        """Make the directories."""
        super().setUp()
        self.data = self.subfolder("data")
        (self.data / "sales.csv").write_text("1\n2\n")
        self.out = self.subfolder("out")

    def both(self) -> list[str]:
        """Return the flags."""
        return ["--workspace", str(self.data), "--output", str(self.out)]

    def test_code_reads_one_and_writes_the_other(self) -> None:
        mcp = self.start_mcp(*self.both())
        for session in ("main", "other"):
            done = mcp.run(f"open('/output/{session}.txt', 'w').write(open('/data/sales.csv').read())", session=session)
            self.assertEqual(done["status"], "ok", done)
        self.assertEqual({p.name: p.read_text() for p in self.out.iterdir()}, {"main.txt": "1\n2\n", "other.txt": "1\n2\n"})
        self.assertEqual((self.out / "main.txt").stat().st_uid, OWNER[0])
        said = mcp.run("open('/data/new', 'w')")["traceback"]
        self.assertIn("Read-only file system", said)

    def test_the_working_directory_is_the_one_of_the_tools(self) -> None:
        mcp = self.start_mcp(*self.both())
        done = mcp.run("open('here.txt', 'w').write('x')\n__import__('os').getcwd()")
        self.assertEqual((done["value"], [f["path"] for f in done["files"]]), ("'/workspace'", ["here.txt"]))

    def test_the_model_is_told(self) -> None:
        told = self.start_mcp(*self.both(), version="").ask("initialize", **hello())["instructions"]
        self.assertIn("/data", told)
        self.assertIn("/output", told)
        plain = self.start_mcp(version="").ask("initialize", **hello())["instructions"]
        self.assertIn("The code has no network. Nothing of the host can be seen.", plain)
        self.assertNotIn("/data", plain)
        self.assertIn("Installed: the standard library", plain)

    def test_wrong_directories_are_refused_at_the_start(self) -> None:
        missing = self.folder / "missing"
        for flags, words in (
            (["--workspace", str(missing)], ("--workspace", "missing")),
            (["--workspace", str(self.file("file"))], ("--workspace", "file")),
            (["--output", str(self.data), "--workspace", str(self.subfolder("data/below"))], (message("places_open#lies"),)),
        ):
            self.assert_refused(glovebox("mcp", "--image", "host", *flags), *words)
        self.assertFalse(missing.exists())

    def test_an_output_directory_for_nothing_goes(self) -> None:
        made = self.folder / "made"
        mcp = self.start_mcp("--output", str(made))
        self.assertEqual(mcp.run("1")["value"], "1")
        self.assertTrue(made.is_dir())
        mcp.discard()
        self.assertFalse(made.exists())


def hello() -> dict[str, object]:
    """Return the parameters of a first request."""
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Network(McpCase):
    """--egress and its like: what code reaches is what they name, and the model is told."""

    class Handler(BaseHTTPRequestHandler):
        """Answers everything with one word."""

        def do_GET(self) -> None:  # noqa: N802
            self.send_response(200)
            self.send_header("Content-Length", "7")
            self.end_headers()
            self.wfile.write(b"reached")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def test_a_port_of_the_host(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self.Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        code = f"import urllib.request as u\nu.urlopen('http://host.glovebox.internal:{port}', timeout=20).read()"
        self.assertEqual(self.start_mcp("--allow-host", str(port)).run(code)["value"], "b'reached'")
        self.assertEqual(self.mcp.run(code)["status"], "error")

    def test_the_model_is_told(self) -> None:
        mcp = self.start_mcp("--egress", "pypi")
        described = {tool["name"]: tool["description"] for tool in mcp.ask("tools/list")["tools"]}
        self.assertIn("The network reaches these hosts only: pypi.org", described["execute_python"])
        self.assertNotIn("no network", described["execute_python"])

    def test_a_list_that_is_wrong_is_refused_at_the_start(self) -> None:
        self.assert_refused(glovebox("mcp", "--image", "host", "--egress", "not a host"), "--egress")

    def test_what_a_session_cannot_be_told_of_is_refused(self) -> None:
        self.assert_refused(glovebox("mcp", "--image", "host", "-p", "80"), "-p")


class Listed(McpCase):
    """A connection among what runs."""

    def test_ps_lists_it_and_kill_ends_it(self) -> None:
        mcp = self.start_mcp()
        mcp.run("1")
        listed = glovebox("ps", "--json").json["running"]
        (row,) = (row for row in listed if row["pid"] == mcp.process.pid)
        self.assertEqual(row["kind"], "mcp")
        self.assertEqual(glovebox("kill", row["name"]).out, f"{row['name']}\n")
        self.assertEqual(mcp.process.wait(DEADLINE), 0)

"""The lines about the network in README.md, and two of docs/packages.md, performed as they are printed, in an Internet of a test's own.

Nothing in them is replaced. What they name is made: `python` is an image with the host's Python, pip and
a shell, which trusts the world's certificate as others trust those of public authorities; pypi.org and
the other hosts are served there; client.py lies in the directory where they are run, and the model is a
script (support/model.py). `rich` is a wheel of ours with as much as `python -m rich.table` needs.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from support.host_python import needed_by
from support.messages import message
from support.outside import OutsideCase
from support.run import GLOVEBOX, PYTHON, ROOT, Result, places
from support.small_image import ID, give_pip, make_store, skip_without_pip
from support.times import wait_until
from support.warm import Warm
from test_egress_programs import wheel

PAGE = ROOT / "README.md"
PACKAGES = ROOT / "docs/packages.md"
SECTION = re.compile(r"^## Network: .*?```bash\n(.*?)```", re.S | re.M)
V4, PRIVATE = "93.184.216.34", "10.1.2.3"
RICH = "rich-1.0-py3-none-any.whl"
SHELL = Path("/bin/sh").resolve()
RUN_PIP = "#!/usr/bin/python3\nfrom pip._internal.cli.main import main\nraise SystemExit(main())\n"

# A line of README.md is found by a word that no other has.
WORDS = {"pip": "pip install", "code": "--code", "publish": " -p ", "session": "session new", "agent": "glovebox agent"}

# In the sandbox of client.py: both hosts of its list, and one that is not in it.
SCRIPT = """
import socket, urllib.request
print(urllib.request.urlopen("https://api.example.org/x", timeout=60).status)
with socket.create_connection(("db.internal", 5432), 60) as database:
    database.sendall(b"question")
    database.shutdown(socket.SHUT_WR)
    print(database.makefile().read())
try:
    urllib.request.urlopen("https://pypi.org/", timeout=60)
except OSError as error:
    print(error)
"""

# In a session, and by the agent's model: a host of the list, and one that is not in it.
LOOK = """
import urllib.request
for url in ("https://{}/simple/rich/", "https://api.example.org/"):
    try:
        print(urllib.request.urlopen(url, timeout=60).read().decode())
    except OSError as error:
        print("cannot:", error)
"""

# In the world, because the agent is there: the model, and the line.
AGENT = """
import json, os, subprocess, sys
from support.model import FakeOllama, Model, reply
script = ["```python\\n" + sys.argv[2] + "```", "<FINAL_ANSWER>done</FINAL_ANSWER>"]
with FakeOllama(map(reply, script), (Model("code-interpreter:latest", ()),)) as fake:
    env = dict(os.environ, OLLAMA_HOST=fake.url)
    done = subprocess.run(["sh", "-euc", sys.argv[1]], stdin=subprocess.DEVNULL, env=env, capture_output=True, text=True)
    told = [chat["messages"][-1]["content"] for chat in fake.chats]
print(json.dumps([done.returncode, done.stdout, done.stderr, told]))
"""

GET = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8080/', timeout=60).read().decode())"


def lines() -> list[str]:
    """Return the lines of the section."""
    found = SECTION.search(PAGE.read_text())
    assert found, "README.md has no section about the network"
    return found[1].splitlines()


def make_image(folder: Path, authority: Path) -> Path:
    """Make a store with an image `python`, and return its path."""
    store = make_store(folder, folder.stat().st_uid, "python")
    give_pip(store)
    root = store / f"trees/{ID}/rootfs"
    for path in sorted(needed_by(SHELL) | {SHELL}):
        target = root / str(path.parent.resolve() / path.name)[1:]
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for name, target in (("sh", SHELL.name), ("python", "python3")):
        if not (root / "usr/bin" / name).exists():
            (root / "usr/bin" / name).symlink_to(target)
    (root / "usr/bin/pip").write_text(RUN_PIP)
    (root / "usr/bin/pip").chmod(0o755)
    for place in ("etc/ssl/certs/ca-certificates.crt", "usr/lib/ssl/cert.pem"):
        (root / place).parent.mkdir(parents=True)
        shutil.copy(authority, root / place)
    return store


class Lines(OutsideCase, Warm):
    """Each line is run by a shell, in a directory with what it names."""

    names = {
        **{name: [V4] for name in ("pypi.org", "files.pythonhosted.org", "github.com", "api.example.org")},
        "db.internal": [PRIVATE],
    }
    servers = [(V4, 443, "tls-files"), (PRIVATE, 5432, "echo")]
    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image and the files of the servers."""
        skip_without_pip()
        super().setUpClass()
        place = Path(tempfile.mkdtemp(prefix="image-"))
        cls.addClassCleanup(shutil.rmtree, place, ignore_errors=True)
        place.chmod(0o755)
        cls.store = make_image(place, cls.world.certificate)
        www = cls.world.www
        for folder in ("simple/rich", "packages"):
            (www / folder).mkdir(parents=True)
        (www / "x").write_text("here")
        (www / "index.html").write_text("here")
        (www / "packages" / RICH).write_bytes(wheel("rich", {"rich/__init__.py": "", "rich/table.py": "print('a table of rich')\n"}))
        link = f"https://files.pythonhosted.org/packages/{RICH}"
        (www / "simple/rich/index.html").write_text(f'<!DOCTYPE html><a href="{link}">{RICH}</a>\n')

    def setUp(self) -> None:
        """Make the directory."""
        super().setUp()
        self.folder.chmod(0o755)
        for name in ("workspace", "output"):
            self.subfolder(name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/glovebox").symlink_to(GLOVEBOX)
        self.file("client.py", SCRIPT).chmod(0o644)

    def env(self) -> dict[str, str]:
        """Return what the shell knows beside the line; no setting of the user's is among it."""
        here = str(self.folder)
        return places() | super().env() | {
            "PATH": f"{here}/bin:{os.environ['PATH']}", "HOME": here, "GLOVEBOX_IMAGES": str(self.store), "PYTHONPATH": str(ROOT / "tests"),
        }  # fmt: skip

    def line(self, which: str) -> str:
        """Return a line as it is printed."""
        (found,) = (line for line in lines() if WORDS[which] in line)
        return found

    def here(self, line: str) -> str:
        """Return what a shell does: nsenter has left our directory."""
        return f"cd {self.folder}\n{line}"

    def perform(self, line: str, **options: Any) -> Result:
        """Have a shell run a line in the world."""
        return self.world.execute(["sh", "-euc", self.here(line)], env=self.env(), **options)

    def test_there_are_these_lines_and_no_others(self) -> None:
        taken = [[line for line in lines() if word in line] for word in WORDS.values()]
        self.assertEqual([len(found) for found in taken], [1] * len(WORDS))
        self.assertEqual(sorted(line for found in taken for line in found), sorted(lines()))

    def test_a_package_is_installed_and_used(self) -> None:
        before = len(self.world.asked())
        self.assert_prints("a table of rich", self.mapped(self.perform(self.line("pip"))))
        self.assertEqual(set(self.world.asked()[before:]), {"pypi.org", "files.pythonhosted.org"})

    def test_a_package_of_a_directory_needs_no_network(self) -> None:
        """Of docs/packages.md, which has the line above, too."""
        known = PACKAGES.read_text().splitlines()
        self.assertIn(self.line("pip"), known)
        (line,) = (line for line in known if line.startswith("glovebox run") and "--find-links" in line)
        shutil.copy(self.world.www / "packages" / RICH, self.subfolder("wheels"))
        before = len(self.world.asked())
        self.assertIn("Successfully installed rich-1.0", self.assert_status(self.mapped(self.perform(line))).out)
        self.assertEqual(self.world.asked()[before:], [])

    def test_a_directory_of_wheels_is_filled_in_a_sandbox(self) -> None:
        """Of docs/packages.md."""
        (line,) = (line for line in PACKAGES.read_text().splitlines() if "pip download" in line)
        folder = self.subfolder("wheels")
        self.assert_status(self.mapped(self.perform(line)))
        self.assertEqual([path.name for path in folder.iterdir()], [RICH])

    def test_two_hosts_and_no_other(self) -> None:
        said = self.mapped(self.perform(self.line("code")))
        self.assertEqual(self.assert_status(said).out.splitlines()[:3], ["200", "hello", "question"])
        self.assertIn("Name or service not known", said.out)
        self.assertRegex(said.err, message("net_ask#listed", "pypi.org"))

    def test_a_server_inside_is_reached_until_it_ends(self) -> None:
        line = self.world.inside(["sh", "-euc", self.here(f"exec {self.line('publish')}")])
        env = {**os.environ, **self.env()}
        process = self.start(line, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def page() -> str:
            said = self.world.execute([PYTHON, "-c", GET])
            return said.out if said.status == 0 or process.poll() is not None else ""

        self.assertIn("Directory listing", wait_until(page))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assertNotEqual(self.world.execute([PYTHON, "-c", GET]).status, 0)

    def test_a_session_with_two_lists(self) -> None:
        self.assertEqual(self.assert_status(self.perform(self.line("session"))).out.splitlines()[-1], "lab")
        for host in ("pypi.org", "github.com"):
            code = self.file("code.py", LOOK.format(host))
            said = self.perform(f'glovebox session exec lab "$(cat {code})"')
            self.assertIn(RICH, self.assert_status(said).out)
            self.assertIn("cannot: <urlopen error [Errno -2] Name or service not known>", said.out)

    def test_an_agent_with_a_list(self) -> None:
        line = [PYTHON, "-B", "-c", AGENT, self.here(self.line("agent")), LOOK.format("pypi.org")]
        status, out, err, told = json.loads(self.assert_status(self.world.execute(line, env=self.env())).out)
        self.assertEqual((status, out), (0, "done\n"), err)
        self.assertEqual(told[0], "...")
        self.assertIn(RICH, told[1])
        self.assertIn("Name or service not known", told[1])

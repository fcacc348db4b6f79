"""glovebox image build from outside: suites, names, and what is said of mirrors. Needs no mirror.

Programs in the places of mmdebstrap (fixtures/building) and apt-get say what those would.
"""

import configparser
import http.server
import json
import os
import pty
import re
import shutil
import ssl
import subprocess
import sys
import sysconfig
import tarfile
import threading
import unittest
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

from support.case import Case
from support.messages import message, named
from support.run import GLOVEBOX, IS_ROOT, ROOT, Result, execute
from support.serve import certificate
from support.times import DEADLINE

IMAGE = str(Path(GLOVEBOX).with_name("glovebox-image"))
BUILDING = ROOT / "tests/fixtures/building"
CAUSE = ROOT / "rootfs/hooks/cause.sh"
VERSION = sysconfig.get_python_version()
STEPS = r"glovebox: building .*\n(glovebox: [a-z ,]+\n){4,6}glovebox: hashing\n"

# What apt says: of Debian 12 (2.6, with gpgv) and of Debian 13 (3.0, with sqv).
MESSAGES = {
    "E: Release file for http://m/debian/dists/sid/InRelease is expired (invalid since 16d 14h "
    "18min 30s). Updates for this repository will not be applied.": "expired",
    "E: Release file for http://m/debian/dists/sid/InRelease is not valid yet (invalid for another "
    "2h 3min 4s). Updates for this repository will not be applied.": "early",
    "E: The repository 'http://m/debian nonsense Release' does not have a Release file.": "missing",
    "W: GPG error: http://m/debian trixie InRelease: The following signatures couldn't be verified "
    "because the public key is not available: NO_PUBKEY 6ED0E7B82643E131\n"
    "E: The repository 'http://m/debian trixie InRelease' is not signed.": "unsigned",
    "Warning: OpenPGP signature verification failed: http://m/debian sid InRelease: Sub-process "
    "/usr/bin/sqv returned an error code (1), error message is: Missing key B8B80B5B623EAB6AD87, "
    "which is needed to verify signature.": "unsigned",
    "E: Failed to fetch http://m/debian/dists/sid/InRelease  Could not connect to 127.0.0.1:9 "
    "(127.0.0.1). - connect (111: Connection refused)": "unreachable",
    "E: Failed to fetch http://m/debian/dists/sid/InRelease  Temporary failure resolving 'm'\n"
    "E: Some index files failed to download.": "unreachable",
    "E: Sub-process http received signal 9.": "",
}  # fmt: skip


class Causes(unittest.TestCase):
    """hooks/cause.sh by itself."""

    def test_each_message_of_apts_is_understood(self) -> None:
        for said, word in MESSAGES.items():
            with self.subTest(said=said):
                done = subprocess.run(
                    ["sh", str(CAUSE)], input=said, capture_output=True, text=True, check=False
                )
                self.assertEqual(done.stdout.strip(), word, done.stderr)


    def test_the_package_is_named(self) -> None:
        for said, name in {
            "E: Unable to locate package jqq": "jqq",
            "E: Package 'jqq' has no installation candidate": "jqq",
            "E: Version '9' for 'jq' was not found": "jq",
        }.items():
            with self.subTest(said=said):
                self.assertEqual(self.cause("Reading...\n" + said), f"package\n{name}\n")

    def test_pips_messages_are_understood(self) -> None:
        found = "ERROR: No matching distribution found for httpx==99\n"
        lost = "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n"
        self.assertEqual(self.cause(found, "httpx==99", "jq"), "pip-missing\nhttpx==99\n")
        for broken in ("NewConnectionError(...)", "ReadTimeoutError(x)", "ProtocolError('Connection aborted.', x)"):
            said = lost.replace("NewConnectionError(...)", broken)
            self.assertEqual(self.cause(said + found, "jq"), "pip-unreachable\nhttpx==99\n")
        self.assertEqual(self.cause("ERROR: ResolutionImpossible: x", "a", "b"), "pip-conflict\na b\n")
        self.assertEqual(self.cause("Killed", "a", "b"), "pip\na b\n")

    def cause(self, said: str, *wanted: str) -> str:
        """Return what the script makes of messages."""
        return subprocess.run(["sh", str(CAUSE), *wanted], input=said, capture_output=True,
                              text=True, check=True).stdout  # fmt: skip


class Packages(Case):
    """hooks/packages.sh by itself: what pip and venv say in images."""

    def setUp(self) -> None:
        """Make a root with what Debian's python3 has of pip and venv."""
        super().setUp()
        self.stdlib = self.folder / "usr/lib/python3.11"
        (self.stdlib / "venv").mkdir(parents=True)
        shutil.copy(venv.__file__, self.stdlib / "venv")
        (self.stdlib / "venv/__main__.py").write_text("from venv import main; main()")
        (self.stdlib / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=try apt install\n python3-xyz\n")

    def say(self) -> None:
        """Run the hook."""
        subprocess.run(["sh", str(CAUSE.with_name("packages.sh")), str(self.folder)], check=True)

    def make(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Make an environment with the root's venv."""
        return subprocess.run([sys.executable, str(self.stdlib / "venv/__main__.py"), *words, str(self.folder / "v")],
                              capture_output=True, text=True, check=False)  # fmt: skip

    def test_pip_says_our_ways(self) -> None:
        self.say()
        said = configparser.ConfigParser(interpolation=None)  # as pip reads it
        said.read(self.stdlib / "EXTERNALLY-MANAGED")
        error = said["externally-managed"]["Error"]
        for word in ("glovebox image build python --pip NAME", "--egress pypi --writable", "--target DIR"):
            self.assertIn(word, error)
        self.assertNotRegex(error, r"\bapt\b|pipx|sudo")

    def test_pip_without_the_mark_gets_none(self) -> None:
        (self.stdlib / "EXTERNALLY-MANAGED").unlink()
        self.say()
        self.assertFalse((self.stdlib / "EXTERNALLY-MANAGED").exists())

    def test_venv_without_pip_says_so_in_one_line(self) -> None:
        self.say()
        said = self.make()
        self.assertEqual((said.returncode, said.stdout, said.stderr.count("\n")), (1, "", 1), said)
        self.assertIn("this image has no pip", said.stderr)
        self.assertFalse((self.folder / "v").exists())
        self.assertEqual(self.make("--without-pip").returncode, 0)
        self.assertTrue((self.folder / "v/pyvenv.cfg").exists())

    def test_venv_with_pip_stays_as_it_is(self) -> None:
        (self.stdlib / "ensurepip").mkdir()
        self.say()
        self.assertEqual((self.stdlib / "venv/__main__.py").read_text(), "from venv import main; main()")


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
class BuildCase(Case):
    """A test that builds without packages, in a store of its own."""

    def setUp(self) -> None:
        """Put the programs in front, and make a store."""
        super().setUp()
        self.folder.chmod(0o755)
        self.bin = self.folder / "bin"
        shutil.copytree(BUILDING, self.bin)
        self.program("apt-get", "exit 0")

    def program(self, name: str, script: str) -> None:
        """Put a shell script in the place of a program of the host's."""
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def env(self) -> dict[str, str]:
        """Return its environment."""
        path = f"{self.bin}:{os.environ['PATH']}"
        store = str(self.folder / "store")
        return {"GLOVEBOX_IMAGES": store, "PATH": path, "TMPDIR": str(self.folder)}

    def image(self, *args: str) -> Result:
        """Run glovebox-image."""
        return execute([IMAGE, *args], env=self.env())

    def build(self, *args: str, **recipe: object) -> Result:
        """Build a recipe of its own."""
        file = self.file("mine.json", json.dumps(recipe))
        return self.image("build", "--mirror", "http://127.0.0.1:9/", *args, str(file))

    def names(self) -> list[str]:
        """Return the names that images have."""
        listed = json.loads(self.assert_status(self.image("ls", "--json")).out)
        return [row["reference"] for row in listed if row["id"] != "host"]


class Build(BuildCase):
    """Names, and what is said."""

    def test_a_name_without_a_tag_says_the_version(self) -> None:
        lines = self.assert_status(self.build(suite="trixie")).out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["mine:latest", f"mine:{VERSION}"])
        self.assertEqual(lines[0].split()[1], lines[1].split()[1], "two names of one image")
        self.assertEqual(sorted(self.names()), sorted(["mine:latest", f"mine:{VERSION}"]))

    def test_a_name_of_the_users_says_the_version(self) -> None:
        self.assert_status(self.build("--tag", "registry.example:5000/a/b", suite="trixie"))
        self.assertIn(f"registry.example:5000/a/b:{VERSION}", self.names())

    def test_a_tag_is_the_only_name(self) -> None:
        for tag in ("mine:1", "other:latest"):
            self.assert_status(self.build("--tag", tag, suite="trixie"))
        self.assertEqual(sorted(self.names()), ["mine:1", "other:latest"])

    def commands(self, *args: str, **recipe: object) -> list[str]:
        """Return how mmdebstrap is called first; the build fails."""
        self.program("mmdebstrap", 'printf "<%s>\\n" "$@" >&2; exit 1')
        return self.assert_status(self.build(*args, **recipe), 125).err.splitlines()

    def test_without_a_recipe_it_prints_usage(self) -> None:
        self.assert_refused(self.image("build"), "usage: glovebox image build", "NAME|RECIPE.json")

    def test_a_pipe_gets_a_line_for_each_step(self) -> None:
        self.program("apt-get", "echo fetched; exit 0")
        result = self.assert_status(self.build(suite="trixie"))
        self.assertRegex(result.err, rf"\A{STEPS}\Z")
        self.assertIn("mine:latest", result.out)
        quiet = self.assert_status(self.build("--quiet", "--tag", "other:1", suite="trixie"))
        self.assertEqual((quiet.out, quiet.err), ("other:1\n", ""))

    def test_verbose_shows_everything(self) -> None:
        self.program("apt-get", "echo fetched; exit 0")
        result = self.assert_status(self.build("--verbose", suite="trixie"))
        self.assertIn("fetched\n", result.err)
        self.assertIn("glovebox: source http://127.0.0.1:9/\n", result.err)

    def test_a_terminal_gets_one_line(self) -> None:
        self.program("apt-get", "echo; echo fetched; echo; exit 0")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        file = self.file("mine.json", json.dumps({"suite": "trixie"}))
        build = ["build", "--mirror", "http://127.0.0.1:9/", str(file)]
        with os.fdopen(theirs, "wb", 0) as terminal:
            status = subprocess.run([IMAGE, *build], env=self.env(), stdout=subprocess.DEVNULL,
                                    stderr=terminal, timeout=DEADLINE).returncode  # fmt: skip
        said = os.read(ours, 100_000).decode()
        self.assertEqual(status, 0, said)
        self.assertIn("\rfetch: fetched ", said)
        for line in re.findall(r"(?:fetch|install|finish): [^\r]*", said):
            self.assertLess(len(line), 80)
        lines = [line.rpartition("\r")[2] for line in said.replace("\r\n", "\n").split("\n")]
        self.assertRegex("\n".join(lines), rf"\A{STEPS}\Z")

    def test_the_end_of_a_failure_is_kept(self) -> None:
        self.program("apt-get", "seq 100000; echo why; exit 100")
        result = self.assert_status(self.build(suite="trixie"), 125)
        self.assertIn("\nwhy\n", result.err)
        self.assertNotIn("\n5\n", result.err)
        self.assertLess(len(result.err), 80_000)

    def test_every_suite_reaches_mmdebstrap(self) -> None:
        for suite in ("bullseye", "bookworm", "trixie", "sid"):
            with self.subTest(suite=suite):
                self.assertIn(f"<{suite}>", self.commands(suite=suite))
                self.assertIn(f"<{suite}>", self.commands("--suite", suite, suite="jammy"))

    def test_an_expired_index_is_taken_only_on_request(self) -> None:
        said = "\n".join(self.commands(suite="sid"))
        self.assertNotIn("Valid", said)
        option = "<--aptopt=Acquire::Min-ValidTime"
        self.assertIn(f'{option} "{30 * 86400}">', self.commands(suite="sid", stale_days=30))
        flag = self.commands("--stale-days", "7", suite="sid", stale_days=30)
        self.assertIn(f'{option} "{7 * 86400}">', flag)
        for days in ("0", "-1", "x", "3651"):
            self.assert_refused(self.build("--stale-days", days), "--stale-days")

    def test_a_package_that_does_not_exist_is_found_before_the_download(self) -> None:
        self.program("apt-get", f"""echo "$*" >&2
case "$*" in *--simulate*jqq*) echo "E: Unable to locate package jqq" >&2; exit 100 ;; esac""")
        result = self.assert_status(self.build("--apt", "jqq", suite="sid"), 125)
        self.assertRegex(result.err.splitlines()[-1], message("causes#suite", "glovebox: jqq: "))
        self.assertNotIn("--download-only", result.err)

    def test_a_wheel_that_does_not_exist_is_named_last(self) -> None:
        said = "ERROR: No matching distribution found for httpx==99"
        (self.bin / "pip_main.py").write_text(f"raise SystemExit({said!r})")
        result = self.assert_status(self.build("--pip", "httpx==99", suite="sid"), 125)
        self.assertRegex(result.err.splitlines()[-1], message("causes#wheel of it", "glovebox: httpx==99: "))
        self.assertIn(said, result.err)

    def test_a_mirror_that_fails_has_a_remedy(self) -> None:
        remedies = {
            "expired": "--stale-days DAYS",
            "early": "clock",
            "missing": "archive.debian.org",
            "unsigned": "debian-archive-keyring",
            "unreachable": "http_proxy",
            "": message("chamber_judge#failed"),
        }
        for said, word in MESSAGES.items():
            self.program("apt-get", f"cat <<'END'\n{said}\nEND\nexit 100")
            with self.subTest(said=said):
                result = self.assert_status(self.build(suite="sid"), 125)
                last = result.err.splitlines()[-1]
                self.assertRegex(last, named(remedies[word]))
                self.assertIn(said.splitlines()[0], result.err)


DEBIANS_PIP = Path("/usr/lib/python3/dist-packages/pip")


class Nothing(http.server.BaseHTTPRequestHandler):
    """An index without a package."""

    def do_GET(self) -> None:
        """Know no name."""
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def serve_nothing(case: Case, authority: Path, key: Path) -> str:
    """Serve an index without a package, by TLS; return its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nothing)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.handle_error = lambda *_: None  # a client that refuses the certificate
    threading.Thread(target=server.serve_forever, daemon=True).start()
    case.addCleanup(server.server_close)
    case.addCleanup(server.shutdown)
    return f"https://127.0.0.1:{server.server_address[1]}/simple"


@unittest.skipUnless(shutil.which("dpkg-deb") and (DEBIANS_PIP / "_internal").exists(), "cannot: no pip of Debian's here")
class Wheels(BuildCase):
    """The real pip, beside a package that dpkg has installed. Its wheels come from a directory."""

    def setUp(self) -> None:
        """The package "needed" 1.0 is Debian's, and not among the wheels."""
        super().setUp()
        shutil.copytree(DEBIANS_PIP, self.bin / "pip")
        packages = self.folder / "deb/usr/lib/python3/dist-packages"
        self.write(packages / "needed.py", "")
        self.write(packages / "needed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: needed\nVersion: 1.0\n")
        control = "Package: python3-needed\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <n@localhost>\nDescription: needed\n"
        self.write(self.folder / "deb/DEBIAN/control", control)
        build = ["dpkg-deb", "--build", "--root-owner-group", str(self.folder / "deb"), str(self.bin / "needed.deb")]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        self.wheel("wanted", "1.0", "needed>=1")

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def wheel(self, name: str, version: str, *needs: str, called: str = "") -> None:
        """Put a wheel into the directory."""
        (self.folder / "links").mkdir(exist_ok=True)
        about = f"{name}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: {called or name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {need}\n" for need in needs)
        with zipfile.ZipFile(self.folder / f"links/{name}-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}.py", "")
            wheel.writestr(f"{about}/METADATA", metadata)
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", f"{name}.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")

    index = {"PIP_NO_INDEX": "1"}

    def env(self) -> dict[str, str]:
        """Without an index, unless the test has one."""
        return super().env() | self.index

    def build_wheels(self, *wanted: str, allow: Sequence[str] = ()) -> Result:
        """Build an image of them."""
        return self.build(*allow, suite="trixie", pip=list(wanted), pip_find_links=str(self.folder / "links"))

    def installed(self) -> set[str]:
        """Return what pip has installed."""
        tree = (self.folder / "store/tags/mine:latest").resolve() / "rootfs"
        return {path.name.removesuffix(".dist-info") for path in tree.glob("usr/local/lib/python3*/dist-packages/*.dist-info")}

    def test_what_debian_has_is_not_fetched(self) -> None:
        self.assert_status(self.build_wheels("wanted"))
        self.assertEqual(self.installed(), {"wanted-1.0"})

    def test_what_debian_has_not_is_fetched(self) -> None:
        self.wheel("more", "1.0", "wanted", "needed")
        self.assert_status(self.build_wheels("more"))
        self.assertEqual(self.installed(), {"wanted-1.0", "more-1.0"})

    def test_the_newest_that_goes_with_debians_is_taken(self) -> None:
        self.wheel("wanted", "2.0", "needed>=2")
        self.wheel("needed", "2.0")
        self.assert_status(self.build_wheels("wanted"))
        self.assertEqual(self.installed(), {"wanted-1.0"})

    def test_what_would_replace_debians_is_refused(self) -> None:
        self.wheel("wanted", "2.0", "needed>=2")
        self.wheel("needed", "2.0")
        said = self.assert_status(self.build_wheels("wanted==2.0"), 125).err.splitlines()[-1]
        self.assertIn("needed 2.0: wanted 2.0 wants needed>=2, and Debian's package is 1.0: ", said)
        self.assertRegex(said, message("causes#replace"))

    def test_an_index_that_cannot_be_reached_is_asked_once(self) -> None:
        self.index = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
        said = self.assert_status(self.build_wheels("other"), 125).err
        self.assertEqual(said.count("connection broken by"), 1, said)
        self.assertRegex(said, message("causes#reach", "other", "PIP_INDEX_URL", "https_proxy"))

    @unittest.skipUnless(shutil.which("openssl"), "cannot: there is no openssl")
    def test_an_index_of_a_private_authority_is_asked_once_and_then_trusted(self) -> None:
        authority, key = certificate(self.folder)
        self.index = {"PIP_INDEX_URL": serve_nothing(self, authority, key), "PIP_RETRIES": "0"}
        said = self.assert_status(self.build_wheels("other"), 125).err
        self.assertEqual(said.count("Could not fetch URL"), 1, said)
        self.assertRegex(said, message("causes#certificate", "other", "PIP_CERT=FILE", "SSL_CERT_FILE"))
        for name in ("SSL_CERT_FILE", "PIP_CERT"):
            self.index[name] = str(self.folder / name)
            self.assert_refused(self.build_wheels("other"), message("debian_check#PIP_CERT", self.index[name]))
        self.index["PIP_CERT"] = str(authority)
        self.assert_status(self.build_wheels("wanted"))

    def source(self, name: str) -> str:
        """Put a source package beside the wheels whose own code says that it runs; return its URL in the root."""
        top = self.folder / f"{name}-1"
        project = "[build-system]\nrequires = []\nbuild-backend = 'own'\nbackend-path = ['.']\n"
        self.write(top / "pyproject.toml", project)
        self.write(top / "own.py", "import sys\nsys.exit('code of a source package runs')\n")
        (self.folder / "links").mkdir(exist_ok=True)
        with tarfile.open(self.folder / f"links/{name}-1.tar.gz", "w:gz") as archive:
            archive.add(top, top.name)
        return f"file:///tmp/glovebox-pip/links/{name}-1.tar.gz"

    def test_no_code_of_a_source_package_runs_unless_it_is_allowed(self) -> None:
        """What a wheel needs by URL is exempt from pip's --only-binary; the flag shows that it is built without the layer."""
        self.wheel("bringer", "1.0", f"own @ {self.source('own')}")
        said = self.assert_status(self.build_wheels("bringer"), 125).err
        self.assertNotIn("code of a source package runs", said)
        self.assertRegex(said.splitlines()[-1], "^glovebox: bringer: .*--allow-sdist")
        said = self.assert_status(self.build_wheels("bringer", allow=["--allow-sdist"]), 125).err
        self.assertIn("code of a source package runs", said)

    def test_what_a_wheel_calls_itself_is_no_line_for_pip(self) -> None:
        lines = f"\n --no-binary :all:\n own @ {self.source('own')}\n x"
        self.wheel("bringer", "1.0", called=f"bringer{lines}")
        said = self.assert_status(self.build_wheels("bringer", allow=["--allow-sdist"]), 125).err
        self.assertNotIn("code of a source package runs", said)
        self.assertIn("glovebox: no name of a package: '", said)


class Bases(BuildCase):
    """What recipes with the same suite and packages share."""

    def bases(self) -> list[Path]:
        """Return the bases that are kept."""
        return sorted((self.folder / "store").glob("tmp/.kept/*.tar"))

    def mark(self, base: Path) -> None:
        """Put a file into a base: an image that was made from it has that."""
        (self.folder / "usr/share").mkdir(parents=True, exist_ok=True)
        (self.folder / "usr/share/kept").touch()
        tar = ["tar", "--append", "-f", str(base), "-C", str(self.folder), "./usr/share/kept"]
        subprocess.run(tar, check=True)

    def is_marked(self, name: str) -> bool:
        """Whether an image was made from the base with that file."""
        return (self.folder / f"store/tags/{name}:latest/rootfs/usr/share/kept").exists()

    def test_recipes_with_the_same_base_share_it(self) -> None:
        self.file("below.json", json.dumps({"suite": "sid", "apt": ["python3"]}))
        self.assert_status(self.build("--tag", "first:latest", base="below.json", apt=["jq"]))
        self.assertEqual(len(self.bases()), 1)
        self.mark(self.bases()[0])
        self.assert_status(self.build("--tag", "other:latest", base="below.json", apt=["bc"]))
        self.assert_status(self.build("--tag", "own:latest", "--apt", "bc", suite="sid", apt=["python3"]))
        self.assert_status(self.build("--tag", "new:latest", "--no-cache", base="below.json"))
        marked = {name: self.is_marked(name) for name in ("first", "other", "own", "new")}
        self.assertEqual(marked, {"first": False, "other": True, "own": True, "new": False})
        self.assertEqual(len(self.bases()), 1)

    def key(self, uris: str = "'http://m/libc6_1_amd64.deb' libc6_1_amd64.deb 7 SHA256:a", **env: str) -> str:
        """Return the key that the hook makes of what apt would download."""
        root = self.folder / "build/root"
        (root / "var/cache/apt/archives").mkdir(parents=True, exist_ok=True)
        (root / "var/lib/dpkg").mkdir(parents=True, exist_ok=True)
        (root / "var/lib/dpkg/status").touch()
        self.program("apt-get", f'case "$*" in *--print-uris*) cat <<END\n{uris}\nEND\nesac')
        given = {"GLOVEBOX_SUITE": "sid", "GLOVEBOX_APT": "", "GLOVEBOX_BASE_APT": "python3",
                 "GLOVEBOX_WITHOUT": "", "GLOVEBOX_BASES": "/none", "MMDEBSTRAP_APT_CONFIG": ""}  # fmt: skip
        self.assert_status(execute(["sh", str(CAUSE.with_name("fetch.sh")), str(root)],
                                   env=self.env() | given | env))  # fmt: skip
        return (root.parent / "base.key").read_text()

    def test_the_key_is_of_what_is_in_the_base(self) -> None:
        key = self.key()
        self.assertRegex(key, r"\A[0-9a-f]{64}\n\Z")
        self.assertEqual(self.key(GLOVEBOX_APT="jq"), key)
        newer = "'http://m/libc6_2_amd64.deb' libc6_2_amd64.deb 7 SHA256:b"
        elsewhere = "'http://other/libc6_1_amd64.deb' libc6_1_amd64.deb 7 SHA256:a"
        self.assertEqual(self.key(elsewhere), key)
        others = {self.key(newer), self.key(GLOVEBOX_SUITE="trixie"), self.key(GLOVEBOX_WITHOUT="jq"),
                  self.key(GLOVEBOX_BASE_APT="python3 jq")}  # fmt: skip
        self.assertEqual(len(others - {key}), 4)

    def test_four_bases_are_kept(self) -> None:
        folder = self.folder / "store/tmp/.kept"
        folder.mkdir(parents=True)
        for number in range(4):
            for kind in ("tar", "status"):
                file = folder / f"{number:064}.{kind}"
                file.touch()
                os.utime(file, (1, 100 - number))
        self.assert_status(self.build(suite="sid"))
        self.assertEqual(len(self.bases()), 4)
        kept = [(folder / f"{number:064}.tar").exists() for number in range(4)]
        self.assertEqual(kept, [True, True, True, False])
        self.assertFalse((folder / f"{3:064}.status").exists())

    def test_a_base_that_another_build_may_use_is_not_swept(self) -> None:
        self.assert_status(self.build(suite="sid"))
        used = self.bases()[0]
        self.mark(used)
        os.utime(used, (1, 1))
        for number in range(3):
            used.with_name(f"{number:064}.tar").touch()
        wait = self.bin / "wait"
        wait.touch()
        pause = f"echo it waits; while [ -e {wait} ]; do sleep 0.05; done"
        self.program("apt-get", f'[ "$GLOVEBOX_SUITE" != sid ] || [ ! -e {wait} ] || {{ {pause}; }}')
        file = self.file("slow.json", json.dumps({"suite": "sid", "apt": []}))
        command = [IMAGE, "build", "--verbose", "--mirror", "http://127.0.0.1:9/", str(file)]
        slow = subprocess.Popen(command, env=self.env(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(slow.communicate)
        self.addCleanup(wait.unlink, missing_ok=True)
        assert slow.stderr
        while b"it waits" not in (line := slow.stderr.readline()):
            self.assertTrue(line, "it has ended")
        self.assert_status(self.build(suite="trixie"))
        self.assertEqual(len(self.bases()), 5)
        wait.unlink()
        said = slow.communicate(timeout=DEADLINE)[1]
        self.assertEqual(slow.returncode, 0, said)
        self.assertTrue(self.is_marked("slow"))
        self.assert_status(self.build(suite="bookworm"))
        self.assertEqual(len(self.bases()), 4, "what was left is swept by the next")

    def test_without_a_cache_nothing_is_kept(self) -> None:
        self.assert_status(self.build("--no-cache", suite="sid"))
        self.assertEqual(self.bases(), [])

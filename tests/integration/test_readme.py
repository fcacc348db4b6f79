"""The examples of README.md and docs/, run as printed, and the files that documents name."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.model import FakeOllama, Model, reply
from support.run import GLOVEBOX, IS_ROOT, ROOT, why_cannot_run
from support.small_image import make_store

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
ROOMS = (path for top in ("agent", "policy", "rootfs", "runtime/*", "tests") for path in sorted(ROOT.glob(f"{top}/README.md")))
DOCUMENTS = (*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "SECURITY.md", *ROOMS)
README_LINES = 160  # what is longer is not read: it belongs to docs/
# FOLDER/FILE.c, or FOLDER/; not ./FILE, /FILE or tests/NAME.py, which are a user's or stand for others.
NAMED = re.compile(r"(?<![\w./~*-])((?:[\w-]+/)+(?!NAME)[\w-]+\.(?:c|h|py|json|md|sh|txt))\b")
FOLDER = re.compile(r"(?<![\w./~*-])((?:runtime|rootfs|agent|policy|tools|tests|docs)/(?:[\w-]+/)*)(?!\w)")
# The image of the examples that write to /output; not every machine has it (root/walk runs it).
IMAGE = re.compile(r"(?<=/output )((?:\\\n *)?)python\b")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")


def examples(page: Path) -> list[str]:
    """Every block of a page that is marked as shell."""
    return re.findall(r"```sh\n(.*?)```", page.read_text(), re.S)


def headings(page: Path) -> list[str]:
    """Return what links to the headings of a page end with."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    return [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ (.*)$", text, re.M)]


class Readme(unittest.TestCase):
    """What README.md and docs/ promise works."""

    as_user = ("test_every_example_works",)

    def setUp(self) -> None:
        """A directory with what the examples name, and a PATH with both names of the program."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dir = Path(scratch.name)
        self.dir.chmod(0o755)
        for name in ("workspace", "output", "bin", "run"):
            (self.dir / name).mkdir()
        (self.dir / "run").chmod(0o700)
        if os.geteuid() == 0:
            # Writable by an ordinary owner, for file systems without id-mapped mounts.
            os.chown(self.dir / "output", 4321, 4321)
        (self.dir / "script.py").write_text("open('/output/answer', 'w').write('42')\n")
        for name in ("glovebox", "docker"):
            (self.dir / "bin" / name).symlink_to(GLOVEBOX)
        path = f"{self.dir}/bin:{os.environ['PATH']}"
        self.env = dict(os.environ, PATH=path, XDG_RUNTIME_DIR=f"{self.dir}/run", XDG_STATE_HOME=f"{self.dir}/state", HOME=str(self.dir))
        self.env |= {"GLOVEBOX_SERVE_FILES": f"{self.dir}/files"} | ({"GLOVEBOX_SERVE_AS": "root"} if IS_ROOT else {})

    def image(self) -> None:
        """A small image `python`, in a store of this test; examples that write to /output want more of it than it has."""
        self.env["GLOVEBOX_IMAGES"] = str(make_store(self.dir, os.geteuid(), "python"))

    def model(self) -> None:
        """A scripted model for the agent; its image is that of every machine."""
        script = ["```python\nprint(1)\n```", "<FINAL_ANSWER>done</FINAL_ANSWER>"]
        fake = FakeOllama(map(reply, script), (Model("code-interpreter:latest", ()),))
        self.addCleanup(fake.close)
        self.env |= {"OLLAMA_HOST": fake.url, "GLOVEBOX_AGENT_IMAGE": "host"}

    def test_there_are_examples(self) -> None:
        """The pattern above still finds them."""
        self.assertGreaterEqual(len(examples(ROOT / "README.md")), 6)
        for name in ("warm", "sessions", "agent", "tutorial"):
            self.assertTrue(examples(ROOT / f"docs/{name}.md"), name)

    def test_every_example_works(self) -> None:
        """Each block exits 0."""
        if reason := why_cannot_run():
            self.skipTest(reason)
        self.image()
        for page, example in ((page, example) for page in PAGES for example in examples(page)):
            with self.subTest(page=page.name, example=example):
                self.model()
                done = subprocess.run(
                    ["sh", "-euc", IMAGE.sub(r"\1host", example)],
                    cwd=self.dir,
                    env=self.env,
                    capture_output=True,
                    text=True,
                    timeout=60,
                )
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_lines_for_a_network_are_those_of_the_readme(self) -> None:
        """The tutorial's block that is not run above; test_egress_readme.py runs the README's."""
        readme = (ROOT / "README.md").read_text().splitlines()
        for line in re.findall(r"```bash\n(.*?)\n```", (ROOT / "docs/tutorial.md").read_text(), re.S):
            self.assertIn(line, readme)

    def test_messages_with_a_remedy_are_ours(self) -> None:
        """What the tables say is seen, but for words in brackets and those behind "for" and "behind", which others say."""
        ours = (ROOT / "tests/messages.txt").read_text().replace('\\"', '"')
        for seen in re.findall(r"^\| (.*?) \|", (ROOT / "docs/troubleshooting.md").read_text(), re.M):
            for message in re.findall("`([^`]*)`", re.sub(r"\(.*?\)|(?<=`) (?:for|behind) .*", "", seen)):
                for part in re.split(r"\b[A-Z]{2,}\b", message):
                    self.assertTrue(part.strip("[] \"'") in ours, message)

    def test_readme_is_short(self) -> None:
        lines = (ROOT / "README.md").read_text().count("\n")
        self.assertLessEqual(lines, README_LINES)

    def test_files_that_documents_name_exist(self) -> None:
        """By their path from the top, or from runtime/."""
        for page in DOCUMENTS:
            text = page.read_text()
            for path in {*NAMED.findall(text), *FOLDER.findall(text)}:
                with self.subTest(page=page.name, path=path):
                    tops = (ROOT, ROOT / "runtime", ROOT / "tests")
                    self.assertTrue(any((top / path).exists() for top in tops))

    def test_links_lead_somewhere(self) -> None:
        """To a file, and to a heading in it."""
        for page in DOCUMENTS:
            for link, place in LINK.findall(page.read_text()):
                target = page.parent / link if link else page
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if place:
                    self.assertIn(place, headings(target), f"{page.name}: {link}")

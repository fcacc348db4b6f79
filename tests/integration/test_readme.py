"""The README's examples, run as printed, in a scratch directory."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/agent"))

from fake_ollama import FakeOllama, Model, reply  # noqa: E402

GLOVEBOX = Path(os.environ.get("GLOVEBOX", ROOT / "build/bin/glovebox")).resolve()


def examples() -> list[str]:
    """Every block of the README that is marked as shell."""
    return re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.S)


class Readme(unittest.TestCase):
    """What the README promises works."""

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
        self.env = dict(os.environ, PATH=path, XDG_RUNTIME_DIR=f"{self.dir}/run")
        # The agent's model is a scripted one, and its image that of every machine.
        script = ["```python\nprint(1)\n```", "<FINAL_ANSWER>done</FINAL_ANSWER>"]
        fake = FakeOllama(map(reply, script), (Model("code-interpreter:latest", ()),))
        self.addCleanup(fake.close)
        self.env |= {"OLLAMA_HOST": fake.url, "GLOVEBOX_AGENT_IMAGE": "host"}

    def test_there_are_examples(self) -> None:
        """The pattern above still finds them."""
        self.assertGreaterEqual(len(examples()), 6)

    def test_every_example_works(self) -> None:
        """Each block exits 0."""
        for example in examples():
            with self.subTest(example=example):
                done = subprocess.run(
                    ["sh", "-euc", example],
                    cwd=self.dir,
                    env=self.env,
                    capture_output=True,
                    text=True,
                    timeout=60,
                )
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_that_it_names_exist(self) -> None:
        """The "where is" table is true."""
        for path in re.findall(
            r"(?:runtime|policy|rootfs|tools|agent)/[\w/]+\.(?:c|h|json|md)",
            (ROOT / "README.md").read_text(),
        ):
            self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()

"""The command lines of docs/docker.md, each run as it is printed there."""

import os
import platform
import subprocess
import sys

from docker_lines import REFUSED, TABLES, Line
from docker_name import DockerCase
from support.run import IS_ROOT, OWNER, ROOT, execute

FILES = {
    "script.py": 'print("script")\n',
    "names.env": "N=n\n",
    "passwd": "somebody:x:1234:1234::/:/bin/sh\n",
    "Dockerfile": 'FROM scratch AS app\nCOPY script.py /app/\nWORKDIR /app\nCMD ["./script.py"]\n',
}
HERE = {"": True, "root": IS_ROOT, "amd64": platform.machine() == "x86_64"}


class DockerLines(DockerCase):
    """What the page says of a line is so."""

    def setUp(self) -> None:
        """Make what the lines name."""
        super().setUp()
        self.env["HOME"] = str(self.folder)
        self.env["XDG_STATE_HOME"] = str(self.folder / "state")
        work = self.folder / "work"
        work.mkdir()
        for name, text in FILES.items():
            (work / name).write_text(text)
        (work / "data").mkdir()
        os.chown(work / "data", *OWNER)
        (work / "data/private").write_text("of its owner\n")
        (work / "data/private").chmod(0o600)
        subprocess.run(["tar", "-C", work, "-cf", work / "save.tar", "script.py"], check=True)

    def check(self, line: Line) -> None:
        """Assert what becomes of one line."""
        result = execute(["/bin/sh", "-c", line.line], env=self.env, cwd=self.folder / "work")
        self.mapped(result)
        self.assert_status(result, line.expected)
        said = result.err if line.here == REFUSED else result.out
        self.assertIn(line.says, said)
        if line.here == REFUSED:
            self.assertTrue(line.says, "a refusal says why")
            self.assertEqual(len(result.err.splitlines()), 1, result.err)

    def test_every_line(self) -> None:
        for name, lines in TABLES.items():
            for line in (line for line in lines if HERE[line.where]):
                with self.subTest(table=name, line=line.line):
                    self.check(line)

    def test_the_page_has_these_lines(self) -> None:
        table = ROOT / "tests/integration/docker_table.py"
        done = subprocess.run([sys.executable, table, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

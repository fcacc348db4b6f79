"""Invoked as docker: scripts that shell out to docker work unmodified."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, OWNER, Result, execute, glovebox

REFERENCE = r"""docker run --rm --network none --read-only --tmpfs /tmp:size=100m \
  --memory 512m --cpus 1.0 --pids-limit 64 --security-opt no-new-privileges \
  -v /tmp/agent_code.py:/code/script.py:ro -v ./workspace:/data:ro -v ./output:/output \
  code-sandbox:latest timeout 30 python /code/script.py
"""


class Docker(Case):
    """The docker command line."""

    kernel = True

    def setUp(self) -> None:
        """Put docker on a PATH of our own and an image in a store of our own."""
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/docker").symlink_to(os.path.realpath(GLOVEBOX))
        self.env = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "GLOVEBOX_IMAGES": f"{self.folder}/images",
        }
        self.assert_status(glovebox("image", "tag", "host", "code-sandbox", env=self.env))

    def docker(self, *args: str, **options) -> Result:
        """Run docker as a script would."""
        return execute([str(self.folder / "bin/docker"), *args], env=self.env, **options)

    def test_the_reference_line(self) -> None:
        code = """
import os, sys
print(open("/data/input.csv").read(), os.getcwd() != "", sys.version_info[0])
open("/output/result.txt", "w").write("made inside")
open("/tmp/scratch", "w").write("x")
for path in ("/x", "/data/x", "/code/x", "/usr/x"):
    try:
        open(path, "w"); print("writable:", path)
    except OSError:
        pass
"""
        script = Path("/tmp/agent_code.py")
        line = REFERENCE
        if script.exists():  # somebody else's: run the same line on a name of ours
            handle, name = tempfile.mkstemp(prefix="agent_code", suffix=".py", dir="/tmp")
            os.close(handle)
            line, script = line.replace(str(script), name), Path(name)
        self.addCleanup(script.unlink)
        script.write_text(code)
        script.chmod(0o644)
        (self.folder / "workspace").mkdir()
        (self.folder / "workspace/input.csv").write_text("data")
        (self.folder / "output").mkdir()
        result = execute(["/bin/sh", "-c", line], env=self.env, cwd=self.folder)
        if IS_ROOT and "no id-mapped mounts" in result.err:  # then it may not be root's
            os.chown(self.folder / "output", *OWNER)
            result = execute(["/bin/sh", "-c", line], env=self.env, cwd=self.folder)
        self.assert_prints("data True 3", result)
        self.assertEqual(result.err, "")
        made = self.folder / "output/result.txt"
        self.assertEqual(made.read_text(), "made inside")
        self.assertEqual(made.stat().st_uid, (self.folder / "output").stat().st_uid)
        self.assertEqual([p.name for p in (self.folder / "output").iterdir()], ["result.txt"])

    def test_timeout_inside(self) -> None:
        self.assert_status(
            self.docker("run", "--rm", "code-sandbox", "timeout", "1", "sleep", "60"), 124
        )

    def test_errors_look_like_dockers(self) -> None:
        result = self.docker("run", "--nonsense", "x")
        self.assert_refused(result, "unknown flag: --nonsense")
        result = self.docker("run", "no-such-image")
        self.assert_status(result, 125)
        self.assertTrue(result.err.startswith("docker: "), result.err)
        self.assertIn("no-such-image", result.err)

    def test_statuses(self) -> None:
        self.assert_status(self.docker("run", "code-sandbox", "sh", "-c", "exit 5"), 5)
        self.assert_status(self.docker("run", "code-sandbox", "no-such-program"), 127)
        self.assert_status(self.docker("run", "code-sandbox", "/etc/passwd"), 126)

    def test_version(self) -> None:
        result = self.docker("version", "--format", "{{.Server.Version}}")
        self.assert_status(result)
        self.assertRegex(result.out, r"\A\d+\.\d+\.\d+\n\Z")
        self.assertIn("Server", self.assert_status(self.docker("version")).out)
        for flag in ("--version", "-v"):
            self.assertRegex(self.assert_status(self.docker(flag)).out, r"^Docker version \d")

    def test_version_as_json(self) -> None:
        result = self.assert_status(self.docker("version", "--format", "{{json .}}"))
        self.assertIn("Version", json.loads(result.out)["Server"])

    def test_info(self) -> None:
        self.assertIn("glovebox", self.assert_status(self.docker("info")).out.lower())

    def test_images(self) -> None:
        result = self.assert_status(self.docker("images"))
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split()[:3], ["REPOSITORY", "TAG", "IMAGE"])
        self.assertTrue(any(line.split()[:2] == ["code-sandbox", "latest"] for line in lines[1:]))
        quiet = self.assert_status(self.docker("images", "-q"))
        self.assertNotIn("REPOSITORY", quiet.out)
        self.assertTrue(quiet.out.strip())

    def test_images_of_one_name(self) -> None:
        self.assertTrue(self.assert_status(self.docker("images", "-q", "code-sandbox")).out.strip())
        self.assertEqual(self.assert_status(self.docker("images", "-q", "nothing-such")).out, "")

    def test_image_inspect(self) -> None:
        for args in (
            ["image", "inspect", "code-sandbox"],
            ["image", "inspect", "code-sandbox:latest"],
        ):
            found = json.loads(self.assert_status(self.docker(*args)).out)
            self.assertEqual(len(found), 1)
            self.assertIn("code-sandbox:latest", found[0]["RepoTags"])
            self.assertIn("Id", found[0])
        missing = self.docker("image", "inspect", "no-such-image")
        self.assert_status(missing, 1)
        self.assertIn("No such image", missing.err)
        self.assertEqual(json.loads(missing.out), [])

    def test_pull_says_how_images_come(self) -> None:
        result = self.docker("pull", "no-such-image")
        self.assertNotEqual(result.status, 0)
        self.assertIn("glovebox image", result.err)

    def test_what_is_not_there_is_named(self) -> None:
        for name in ("ps", "exec", "build", "nonsense"):
            with self.subTest(name=name):
                result = self.docker(name)
                self.assertNotEqual(result.status, 0)
                self.assertIn(name, result.err)

    def test_the_link_beside_the_binary(self) -> None:
        link = Path(GLOVEBOX).parent / "docker"
        self.assertTrue(link.is_symlink())
        result = execute([str(link), "run", "host", "/bin/echo", "x"])
        self.assert_prints("x", result)

    def test_python_that_shells_out_to_docker(self) -> None:
        # the way code runners call it: subprocess with a timeout, input on stdin
        done = subprocess.run(
            ["docker", "run", "--rm", "-i", "--network=none", "code-sandbox", "python3", "-"],
            input=b"print('from stdin')",
            capture_output=True,
            env=self.env | {"HOME": os.environ.get("HOME", "/")},
            timeout=100,
        )
        self.assertEqual((done.returncode, done.stdout), (0, b"from stdin\n"), done.stderr)
        self.assertEqual(shutil.which("docker", path=self.env["PATH"]), f"{self.folder}/bin/docker")

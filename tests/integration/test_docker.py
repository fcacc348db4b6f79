"""Invoked as docker: scripts that shell out to docker work unmodified."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from docker_name import DockerCase
from support.case import Case
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, OWNER, ROOT, Result, execute, glovebox

REFERENCE = r"""docker run --rm --network none --read-only --tmpfs /tmp:size=100m \
  --memory 512m --cpus 1.0 --pids-limit 64 --security-opt no-new-privileges \
  -v /tmp/agent_code.py:/code/script.py:ro -v ./workspace:/data:ro -v ./output:/output \
  code-sandbox:latest timeout 30 python /code/script.py
"""

# `docker --help` of 28.2, less what runs here.
VERBS = """
bake builder buildx checkpoint compose config context history login logout manifest network
node plugin push search secret service stack swarm system trust
""".split()


class Docker(DockerCase):
    """The docker command line."""

    kernel = ("test_the_reference_line",)  # the others are about words, not kernels
    as_user = ("test_images_come_and_go_as_with_docker", "test_info", "test_images")

    def setUp(self) -> None:
        """Put an image into the store."""
        super().setUp()
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
        self.assert_refused(result, message("setting_words_unknown#2", "--nonsense"))
        result = self.docker("run", "no-such-image")
        self.assert_status(result, 125)
        self.assertTrue(result.err.startswith("docker: "), result.err)
        self.assertIn("no-such-image", result.err)

    def test_statuses(self) -> None:
        self.assert_status(self.docker("run", "code-sandbox", "sh", "-c", "exit 5"), 5)
        self.assert_status(self.docker("run", "code-sandbox", "no-such-program"), 127)
        self.assert_status(self.docker("run", "code-sandbox", "/etc/passwd"), 126)

    def test_help_of_run_ends_with_where_it_differs(self) -> None:
        text = self.assert_status(self.docker("run", "--help")).out
        end = text.partition("\nWhere it differs from docker run:\n")[2]
        words = ("no network", "512 MiB", "1 CPU", "64 processes", "uid 1000", "read-only", "noexec")
        for word in (*words, "rights of its owner"):
            self.assertIn(word, end)
        self.assertLess(len(end.splitlines()), 15)

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
        for template in ("{{json .}}", "json"):
            told = json.loads(self.assert_status(self.docker("info", "--format", template)).out)
            self.assertEqual(told["NCPU"], os.sysconf("SC_NPROCESSORS_ONLN"))
            self.assertIsInstance(told["MemTotal"], int)
            self.assertIsInstance(told["CgroupVersion"], str)
        of_docker = self.docker("info", "-f", "{{json .NCPU}} {{.NCPU}} {{json .OSType}}").out
        self.assertEqual(of_docker, f'{told["NCPU"]} {told["NCPU"]} "linux"\n')

    def test_images(self) -> None:
        result = self.assert_status(self.docker("images"))
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split()[:3], ["REPOSITORY", "TAG", "IMAGE"])
        self.assertTrue(any(line.split()[:2] == ["code-sandbox", "latest"] for line in lines[1:]))
        listed = self.assert_status(execute([GLOVEBOX, "image", "ls"], env=self.env)).out
        for line in lines[1:]:
            name, tag, identity, when = line.split(maxsplit=3)
            self.assertRegex(listed, f"{name} +{tag} +{identity} +{when.rsplit(maxsplit=1)[0]}")
        quiet = self.assert_status(self.docker("images", "-q"))
        self.assertNotIn("REPOSITORY", quiet.out)
        self.assertTrue(quiet.out.strip())

    def test_images_of_one_name(self) -> None:
        self.assertTrue(self.assert_status(self.docker("images", "-q", "code-sandbox")).out.strip())
        self.assertEqual(self.assert_status(self.docker("images", "-q", "nothing-such")).out, "")
        for name in ("code-sandbox:2", "code-sandbox2", "a.b:5000/code-sandbox:3"):
            self.assert_status(glovebox("image", "tag", "host", name, env=self.env))
        for name, tags in (
            ("code-sandbox", ["2", "latest"]),
            ("docker.io/library/code-sandbox", ["2", "latest"]),
            ("code-sandbox:2", ["2"]),
            ("code-sandbox:latest", ["latest"]),
            ("a.b:5000/code-sandbox", ["3"]),
        ):
            with self.subTest(name=name):
                listed = self.assert_status(self.docker("images", name)).out.splitlines()[1:]
                self.assertEqual([line.split()[1] for line in listed], tags)

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
        self.assertRegex(missing.err, message("image_inspect_say_none"))
        self.assertEqual(json.loads(missing.out), [])

    def test_an_image_that_is_not_here_has_a_remedy_that_works(self) -> None:
        def remedy(name: str) -> str:
            said = self.assert_refused(self.docker("run", name, "true"), f'no image "{name}').err
            return said[said.index('"', said.index(" here")) + 1 :].partition('"')[0]

        build = "glovebox image build"
        suite = f"{build} python --suite bookworm --tag python:3.11-slim"
        self.assertEqual(remedy("python:3.11-slim"), suite)
        self.assertEqual(remedy("python"), f"{build} python")
        self.assertEqual(remedy("code-interpreter"), f"{build} code-interpreter")
        for misspelt, name in (("pyton", "python"), ("slym", "slim"), ("hots", "host")):
            self.assertEqual(remedy(misspelt), name)
        self.assertEqual(remedy("python:alpine"), f"{build} python --tag python:alpine")
        suite = f"{build} slim --suite bookworm --tag debian:12-slim"
        self.assertEqual(remedy("debian:12-slim"), suite)
        self.assertEqual(remedy("ubuntu:22.04"), "glovebox image pull ubuntu:22.04")
        self.assertEqual(remedy("python:3.12"), "glovebox image pull python:3.12")
        for name in ("python", "python:3.11", "slim:3.13"):  # as a build names them
            self.assert_status(glovebox("image", "tag", "host", name, env=self.env))
        tags = {
            "python:3.11-slim": "python:3.11",
            "python:3.11.9-bookworm": "python:3.11",
            "python:3.13": "slim:3.13",
            "python:3-slim": "python",
            "python:slim": "python",
        }
        for name, here in tags.items():
            with self.subTest(name=name):
                self.assertEqual(remedy(name), f"glovebox image tag {here} {name}")
                self.assert_status(glovebox(*remedy(name).split()[1:], env=self.env))
                self.assert_status(self.docker("run", "--rm", name, "true"))
        self.assertIn("--suite bullseye", remedy("python:3.9"))

    def test_pull_says_how_images_come(self) -> None:
        self.env["PATH"] = f"{self.folder}/bin"  # where no skopeo is
        result = self.docker("pull", "-q", "python:3.11-slim")
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertRegex(result.err, "(?s)apt-get install skopeo.*python --suite bookworm")
        self.assert_status(self.docker("image", "pull", "--quiet", "code-sandbox"))
        self.assertEqual(list((self.folder / "images/tmp").glob("[!.]*")), [])

    def test_every_verb_of_dockers_runs_or_says_what_to_use_here(self) -> None:
        for name in VERBS:
            for words in ([name], ["container", name]):
                with self.subTest(words=words):
                    result = self.assert_refused(self.docker(*words, "x"), f'no "{name}" here: ')
                    self.assertGreater(len(result.err), 40)
        for name in ("history", "push"):
            with self.subTest(name=name):
                self.assert_refused(self.docker("image", name, "x"), f'no "{name}" here: ')
        self.assert_refused(self.docker("nonsense"), message("help_refuse", '"nonsense"'))
        self.assert_prints("x", self.docker("container", "run", "--rm", "host", "/bin/echo", "x"))

    def test_help_of_what_is_not_here_says_what_to_use(self) -> None:
        for name in ("compose", "swarm", "secret", "bake", "container"):
            for words in ([name, "--help"], ["help", name]):
                with self.subTest(words=words):
                    text = self.assert_status(self.docker(*words)).out
                    self.assertTrue(text.startswith(f'no "{name}" here: '), text)
        for words in (["container", "compose", "--help"], ["help", "container", "compose"]):
            text = self.assert_status(self.docker(*words)).out
            self.assertTrue(text.startswith('no "compose" here: '), text)
        push = self.assert_status(self.docker("help", "image", "push")).out
        self.assertTrue(push.startswith('no "push" here: '), push)
        self.assertIn('no "\\x1b[2J" here: ', self.docker("container", "\x1b[2J", "--help").out)
        self.assert_refused(self.docker("container"), message("verbs#without the word"))
        image = self.assert_status(self.docker("image")).out
        self.assertIn("glovebox image COMMAND", image)
        self.assertIn("Usage: docker run", self.docker("help", "container", "run").out)
        self.assertIn("image rm", self.assert_status(self.docker("help", "rmi")).out)
        listing = self.assert_status(self.docker("images", "--help")).out
        for words in (["image", "ls", "--help"], ["image", "ls", "-h"], ["help", "image", "ls"]):
            self.assertEqual(self.assert_status(self.docker(*words)).out, listing)
        self.assert_refused(self.docker("container", "nonsense"), message("docker_verbs_say#3", '"nonsense"'))
        self.assert_refused(self.docker("inspect"), "docker inspect [FLAGS] NAME...")
        for words in (["image", "inspect"], ["image", "inspect", "-f", "x"]):
            self.assert_refused(self.docker(*words), "docker image inspect [--format")
        self.assert_refused(self.docker("run"), "docker run [FLAGS]")
        self.assert_refused(self.docker("help", "nonsense"), message("help_refuse", '"nonsense"'))
        for name in ("rmi", "load", "container run"):
            self.assertIn(name, self.assert_status(self.docker("help")).out)

    def archive(self) -> str:
        """An archive of a root, which is good enough for an image that nobody runs."""
        (self.folder / "root").mkdir()
        self.file("root/file", "x")
        name = str(self.folder / "made.tar")
        subprocess.run(["tar", "-C", self.folder / "root", "-cf", name, "."], check=True)
        return name

    def test_images_come_and_go_as_with_docker(self) -> None:
        archive = self.archive()
        loaded = self.assert_status(self.docker("load", "-q", "-i", archive))
        self.assertIn("Loaded image: made:latest\n", loaded.out)
        for words in (["import", archive, "a:1"], ["image", "import", archive, "--tag", "a:2"]):
            self.assert_status(self.docker(*words))
        self.assert_status(self.docker("tag", "a:1", "a:3"))
        for words in (["images"], ["image", "ls"]):
            listed = self.docker(*words, "--format", "{{.Repository}}:{{.Tag}}")
            names = {"code-sandbox:latest", "made:latest", "a:1", "a:2", "a:3"}
            self.assertEqual(set(self.assert_status(listed).out.split()), names)
            self.assertEqual(len(self.assert_status(self.docker(*words, "-q")).out.split()), 5)
        self.assertEqual(json.loads(self.docker("inspect", "a:3").out)[0]["RepoTags"], ["a:1", "a:2", "a:3", "made:latest"])
        self.assertEqual(self.docker("inspect", "--type=image", "-f", "{{.Os}}", "a:3").out, "linux\n")
        self.assert_status(self.docker("rmi", "-f", "a:1"))
        again = self.docker("rmi", self.docker("images", "-q", "a:3").out.strip())  # every name of it
        self.assertEqual(self.assert_status(again).out.count("Untagged: "), 3, again.out)
        self.assertEqual(self.docker("images", "-q").out, "host\n")
        self.assert_status(self.docker("image", "prune", "-f"))
        self.assertIn("reclaimed space: ", self.assert_status(self.docker("image", "prune", "-af")).out)
        self.assert_refused(self.docker("import", "-c", "RUN x", archive, "b"), "--change")

    def test_formats_of_images(self) -> None:
        rows = self.docker("images", "--format", r"table {{.Repository}}\t{{.Size}}").out.splitlines()
        self.assertEqual(rows, ["REPOSITORY\tSIZE", "code-sandbox\t0B"])
        row = json.loads(self.docker("images", "--format", "json").out)
        self.assertEqual((row["Repository"], row["Tag"]), ("code-sandbox", "latest"))
        self.assert_status(self.docker("images", "--format", "{{.Nope}}"), 1)
        self.assert_refused(self.docker("images", "--tree"), "--tree")
        self.assert_status(self.docker("images", "-f", "a=b"), 1)

    def test_code_for_another_daemon_does_not_run_here(self) -> None:
        def run(*options: str, **environment: str) -> Result:
            self.env |= {"DOCKER_HOST": "", "DOCKER_CONTEXT": ""} | environment
            return self.docker(*options, "run", "host", "/bin/echo", "here")

        for host in ("tcp://10.0.0.1:2375", "ssh://me@there"):
            self.assert_refused(run("-H", host), host)
            self.assert_refused(run(f"--host={host}"), host)
            self.assert_refused(run(DOCKER_HOST=host), host)
            self.assert_prints("here", run("-H", "unix:///run/docker.sock", DOCKER_HOST=host))
        self.assert_refused(run("--context", "prod"), "prod")
        self.assert_refused(run(DOCKER_CONTEXT="prod"), "prod")
        self.assert_prints("here", run("-c", "default", DOCKER_HOST="unix:///var/run/docker.sock"))
        self.env["DOCKER_HOST"] = "tcp://10.0.0.1:2375"
        self.assert_status(self.docker("--version"))
        self.assert_status(glovebox("run", "host", "/bin/true", env=self.env))

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


class DockerInstalled(Case):
    """The name, as make install gives it: on any kernel the same."""

    def test_install_makes_the_link_when_asked_and_replaces_no_other_docker(self) -> None:
        def make(target: str, *words: str) -> subprocess.CompletedProcess[str]:
            build = Path(GLOVEBOX).resolve().parents[1]
            command = ["make", "-s", "-o", "all", target, f"B={build}", f"DESTDIR={self.folder}/d"]
            return subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True)

        programs = self.folder / "d/usr/local/bin"
        for words, there in (((), False), (("DOCKER=1",), True)):
            done = make("install", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((programs / "docker").is_symlink(), there)
        self.assert_prints("x", execute([str(programs / "docker"), "run", "host", "echo", "x"]))
        self.assertEqual(make("uninstall").returncode, 0)
        self.assertEqual([p for p in (self.folder / "d").rglob("*") if not p.is_dir()], [])
        (programs / "docker").write_text("another")
        done = make("install", "DOCKER=1")
        self.assertIn("another program", done.stdout + done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(make("uninstall").returncode, 0)
        self.assertEqual((programs / "docker").read_text(), "another")

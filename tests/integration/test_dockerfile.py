"""glovebox image build of Dockerfiles, and docker build, from outside. Needs no network and no mirror.

The base is a root of the host's own shell and tools, imported into a store of the tests' own.
"""

import fcntl
import io
import json
import os
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import threading
import unittest
from pathlib import Path

from support.case import Case
from support.messages import message, named
from support.run import GLOVEBOX, IS_ROOT, Result, execute

IMAGE = str(Path(GLOVEBOX).with_name("glovebox-image"))
DOCKER = str(Path(GLOVEBOX).with_name("docker"))
PROGRAMS = ("bash", "cat", "chmod", "chown", "id", "ln", "ls", "mkdir", "mv", "rm", "sleep", "stat", "touch", "truncate")
EXTRAS = ("etc", "dev", "proc", "tmp", "var/tmp", "root")


def copy_program(root: Path, name: str) -> None:
    """Put a program of the host's into a root, with its libraries."""
    real = os.path.realpath(shutil.which(name) or name)
    shutil.copy(real, root / "usr/bin" / name)
    listed = subprocess.run(["ldd", real], capture_output=True, text=True, check=True).stdout
    for library in set(re.findall(r"(/\S+) \(", listed)):
        to = root / library.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists():
            shutil.copy(os.path.realpath(library), to)


def make_root(root: Path) -> None:
    """Make a root with a shell, some tools and one user."""
    for name in ("usr/bin", "usr/lib", "usr/lib64", *EXTRAS):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for name in PROGRAMS:
        copy_program(root, name)
    (root / "usr/bin/sh").symlink_to("bash")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
class DockerfileCase(Case):
    """A store with the base, and a context of the test's own."""

    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Import the base."""
        super().setUpClass()
        cls.store = Path(tempfile.mkdtemp(prefix="dockerfile-"))
        cls.addClassCleanup(shutil.rmtree, cls.store, ignore_errors=True)
        root = cls.store / "root"
        make_root(root)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(root, ".")
        shutil.rmtree(root)
        archive = cls.store / "base.tar"
        archive.write_bytes(packed.getvalue())
        done = execute([IMAGE, "import", str(archive), "base:1"], env=cls.env())
        assert done.status == 0, done.err

    @classmethod
    def env(cls) -> dict[str, str]:
        """Return the environment of all commands."""
        return {"GLOVEBOX_IMAGES": str(cls.store), "TMPDIR": str(cls.store)}

    def setUp(self) -> None:
        """Make a context."""
        super().setUp()
        self.context = self.folder / "context"
        self.context.mkdir()

    def write(self, name: str, content: str = "x", mode: int = 0o644) -> Path:
        """Write a file into the context."""
        path = self.context / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(mode)
        return path

    def build(self, dockerfile: str, *args: str) -> Result:
        """Build an image with the name of the test."""
        self.write("Dockerfile", dockerfile)
        name = self.id().rsplit(".", 1)[1].replace("_", "-")
        self.name = f"{name}:1"
        return execute([GLOVEBOX, "image", "build", "-t", self.name, *args, str(self.context)], env=self.env())

    def built(self, dockerfile: str, *args: str) -> Result:
        """Build, and expect success."""
        return self.assert_status(self.build(dockerfile, *args))

    def sh(self, script: str) -> str:
        """Run a script in the image, and return what it prints."""
        done = execute([GLOVEBOX, "run", "--entrypoint", "/bin/sh", self.name, "-c", script], env=self.env())
        return self.assert_status(done).out.strip()

    def config(self) -> dict:
        """Return the configuration of the image."""
        done = execute([GLOVEBOX, "image", "inspect", self.name], env=self.env())
        return json.loads(self.assert_status(done).out)[0]["Config"]

    def names(self) -> list[str]:
        """Return the names in the store."""
        return sorted(path.name for path in (self.store / "tags").iterdir())

    def refused(self, dockerfile: str, *says: str | re.Pattern[str], args: tuple[str, ...] = ()) -> None:
        """Expect a refusal that says this, and a store as it was."""
        before = self.names()
        done = self.build(dockerfile, *args)
        self.assertEqual(done.status, 125, done.err)
        for word in says:
            self.assertRegex(done.err, named(word))
        self.assertEqual(self.names(), before)


class Files(DockerfileCase):
    """COPY and ADD."""

    def test_files_come_with_owner_mode_and_without_what_is_ignored(self) -> None:
        self.write("app/main.py", "main", 0o750)
        self.write("app/deep/er/data", "data")
        self.write("app/debug.log")
        self.write("app/keep.log", "kept")
        self.write("secret")
        self.write("one.txt", "1")
        self.write("two.txt", "2")
        self.write(".dockerignore", "**/*.log\n!app/keep.log\nsecret\n")
        (self.context / "app/link").symlink_to("main.py")
        self.built(
            "FROM base:1\n"
            "COPY app /srv/app\n"
            "COPY --chown=7:8 --chmod=640 one.txt /srv/named\n"
            "COPY *.txt /srv/many/\n"
            "COPY one.txt /srv\n"
            'COPY ["two.txt", "/srv/sp ace/"]\n'
            "RUN cd /srv && stat -c '%n %u:%g %a' app app/main.py named many many/* > seen && ls -A app > all\n"
        )
        self.assertEqual(
            self.sh("cat /srv/seen").splitlines(),
            ["app 0:0 755", "app/main.py 0:0 750", "named 7:8 640", "many 0:0 755", "many/one.txt 0:0 644", "many/two.txt 0:0 644"],
        )
        self.assertEqual(self.sh("cat /srv/all").split(), ["deep", "keep.log", "link", "main.py"])
        self.assertEqual(self.sh("cat /srv/app/link /srv/app/deep/er/data '/srv/sp ace/two.txt' /srv/one.txt"), "maindata21")

    def test_nothing_outside_of_the_context_is_copied(self) -> None:
        outside = self.file("outside", "hidden")
        (self.context / "absolute").symlink_to(outside)
        (self.context / "upward").symlink_to("../outside")
        (self.context / "dir").symlink_to("..")
        (self.context / "inside").symlink_to("file")
        self.write("file", "shown")
        os.mkfifo(self.context / "fifo")
        for source in ("absolute", "upward", "dir/outside"):
            with self.subTest(source=source):
                self.refused(f"FROM base:1\nRUN exit 1\nCOPY {source} /x\n", "line 3: COPY", "leads out")
        self.refused("FROM base:1\nCOPY ../outside /x\n", "line 2: COPY", "leads out")
        self.refused("FROM base:1\nCOPY fifo /x\n", "line 2: COPY", "fifo")
        self.refused("FROM base:1\nCOPY none /x\n", "line 2: COPY", "none")
        self.built("FROM base:1\nCOPY inside /x/\n")
        self.assertEqual(self.sh("cat /x/inside"), "shown")

    def test_a_link_of_the_root_leads_nowhere_else(self) -> None:
        self.write("f", "copied")
        self.write("tree/bin/tool", "tool")
        self.built("FROM base:1\nRUN ln -s /etc /to && ln -s ../../../../../tmp/x /up && mkdir -p /tmp/x\nCOPY f /to/\nCOPY f /up/g\nCOPY tree /\n")
        self.assertEqual(self.sh("cat /etc/f /usr/bin/tool /bin/tool"), "copiedtooltool")
        self.assertFalse(Path("/etc/f").exists())

    def test_add_unpacks_archives(self) -> None:
        with tarfile.open(self.context / "a.tar.gz", "w:gz") as tar:
            for name in ("in/file", "../../evil", "/abs"):
                tar.addfile(tarfile.TarInfo(name))
        self.write("plain", "plain")
        self.built("FROM base:1\nADD a.tar.gz /opt/a\nADD plain /opt/plain\nCOPY a.tar.gz /opt/copy\n")
        self.assertEqual(self.sh("ls /opt/a /opt/a/in; cat /opt/plain; test -s /opt/copy; ls /evil /abs 2>/dev/null; true").split(),
                         ["/opt/a:", "in", "/opt/a/in:", "file", "plain"])  # fmt: skip
        self.refused("FROM base:1\nADD https://example.org/x /x\n", "line 2: ADD", "--egress")

    def test_the_next_build_removes_what_killed_builds_have_left(self) -> None:
        empty, full, young, used = (self.store / f"glovebox-build-{name}" for name in ("empty0", "full00", "young0", "used00"))
        for folder in (empty, full, young, used):
            folder.mkdir(mode=0o700)
        (full / "build").mkdir()
        (full / "build").chmod(0o777)
        (full / "build/file").write_text("x")
        for folder in (empty, full, used):
            os.utime(folder, (1, 1))
        lock = os.open(used, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.built("FROM base:1\nRUN true\n")
        self.assertEqual(sorted(self.store.glob("glovebox-build-*")), sorted([young, used]))
        for folder in (young, used):
            folder.rmdir()

    def test_a_file_without_end_ends_the_build(self) -> None:
        # Sparse: it takes nothing, and would be copied for ever.
        os.truncate(self.write("big"), 1 << 40)
        self.refused("FROM base:1\nCOPY big /x\n", "line 2: COPY", message("pack_begin#hold", "big"))
        self.refused("FROM base:1\nADD big /x\n", "line 2: ADD", message("pack_begin#hold", "big"))
        self.refused("FROM base:1\nRUN truncate -s 1T /big\n", "truncate", "File too large")

    def test_a_pattern_is_no_longer_than_a_path(self) -> None:
        self.write("f")
        self.write(".dockerignore", "x\n" + "**/[" + "a" * 200000 + "]*b\n")
        self.refused("FROM base:1\nCOPY f /x\n", ".dockerignore, line 2", "4096")

    def test_files_can_stand_in_the_dockerfile(self) -> None:
        self.built("FROM base:1\nARG V=7\nCOPY <<EOF /etc/app.conf\nv=$V\nEOF\nCOPY <<'a' <<b /two/\n$V\na\n$V\nb\n"
                   "RUN <<EOF\nset -e\ncd /two\ncat a b > c\nEOF\n")  # fmt: skip
        self.assertEqual(self.sh("cat /etc/app.conf /two/c").splitlines(), ["v=7", "$V", "7"])


class Programs(DockerfileCase):
    """RUN, and what instructions say about it."""

    def test_the_dockerfile_of_a_seed(self) -> None:
        self.built(
            "# syntax=docker/dockerfile:1\n"
            "ARG TAG=1\n"
            "FROM base:${TAG}\n"
            "LABEL maintainer=nobody\n"
            'ENV GREETING="hello there" \\\n    # a comment\n    OTHER=$TAG\n'
            'RUN echo "$GREETING$OTHER" > /greeting && \\\n    id -u > /who\n'
            "RUN echo sandbox:x:1000:1000::/home/sandbox:/bin/sh >> /etc/passwd\n"
            "RUN mkdir /sandbox && chown 1000:1000 /sandbox\n"
            "USER sandbox\n"
            "WORKDIR /new/place\n"
            "WORKDIR ../../sandbox\n"
            'RUN ["/bin/sh", "-c", "id -u > me; pwd >> me; echo $HOME >> me"]\n'
            "EXPOSE 8080\n"
            'CMD ["sh", "-c", "cat /greeting"]\n'
        )
        done = execute([GLOVEBOX, "run", self.name], env=self.env())
        self.assertEqual(self.assert_status(done).out, "hello there\n")
        self.assertEqual(self.sh("cat /who me; test -d /new/place").split(), ["0", "1000", "/sandbox", "/home/sandbox"])
        config = self.config()
        self.assertEqual((config["User"], config["WorkingDir"]), ("sandbox", "/sandbox"))
        self.assertIn("GREETING=hello there", config["Env"])

    def test_a_directory_of_the_image_is_there_as_working_directory(self) -> None:
        self.built("FROM base:1\nWORKDIR /app\nRUN echo x > file\n")
        for flags in ((), ("--tmpfs", "/elsewhere"), ("-w", "/app")):
            with self.subTest(flags=flags):
                done = execute([GLOVEBOX, "run", *flags, self.name, "cat", "file"], env=self.env())
                self.assertEqual(self.assert_status(done).out, "x\n")

    def test_a_program_is_confined(self) -> None:
        secret = self.file("host-secret", "hidden")
        done = self.build(
            "FROM base:1\n"
            f"RUN ls / && cat /proc/self/status && echo pids $(ls /proc | cat) && cat {secret} /inputs/* /build/* 2>&1; "
            "cat /proc/net/route; exec 3<>/dev/tcp/127.0.0.1/22\n",
            "--verbose",
        )
        self.assertEqual(done.status, 125)
        self.assertNotIn("hidden", done.err)
        for name in ("inputs", "build"):
            self.assertNotRegex(done.err, rf"(?m)^{name}$")
        bounding = int(re.findall(r"CapBnd:\s+([0-9a-f]+)", done.err)[0], 16)
        for name, number in {"SYS_ADMIN": 21, "NET_ADMIN": 12, "NET_RAW": 13, "SYS_PTRACE": 19}.items():
            self.assertFalse(bounding >> number & 1, name)
        processes = [word for word in done.err.split("pids ")[1].splitlines()[0].split() if word.isdigit()]
        self.assertLess(len(processes), 6, processes)
        self.assertIn("Connection refused", done.err)

    def test_files_of_a_home_are_named(self) -> None:
        head = "FROM base:1\nRUN echo app:x:1000:1000::/home/app:/bin/sh >> /etc/passwd && mkdir -p /home/app && touch /home/app/.profile\nUSER app\n"
        self.assertNotIn("/home/app has files", self.built(head).err)
        self.write("f")
        self.assertIn("/home/app has files", self.built(head + "COPY f /home/app/\n").err)

    def test_what_a_set_id_file_is_does_not_arrive(self) -> None:
        self.built("FROM base:1\nRUN chmod 6755 /bin/cat && mkdir /open && chmod 1777 /open\n")
        self.assertEqual(self.sh("stat -c %a /bin/cat /open").split(), ["755", "755"])

    def test_listed_hosts_are_reached_and_others_are_not(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]

            def answer() -> None:
                with server.accept()[0] as client:
                    client.sendall(b"from outside\n")

            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            script = f"read -r line <> /dev/tcp/host.glovebox.internal/{port} && echo $line > /got; " \
                     f"! (exec 3<>/dev/tcp/host.glovebox.internal/{port + 1}) 2>/dev/null"  # fmt: skip
            self.built(f"FROM base:1\nRUN {script}\n", "--allow-host", str(port))
            thread.join()
        self.assertEqual(self.sh("cat /got"), "from outside")
        self.refused(f"FROM base:1\nRUN exec 3<>/dev/tcp/host.glovebox.internal/{port}\n", "line 2: RUN", "--egress")

    def test_hosts_that_were_refused_are_named(self) -> None:
        ask = "FROM base:1\nRUN exec 3<>/dev/tcp/other.internal/5432\n"
        self.refused(ask, "line 2: RUN", "[NETWORK] refused", "other.internal: ", args=("--egress", "db.internal:5432"))

    def test_limits_of_a_run_are_named_when_they_bite(self) -> None:
        hog = "RUN x=x; while :; do x=$x$x; done\n"
        many = "RUN for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; exit $?\n"
        self.refused("FROM base:1\nRUN sleep 1000\n", "line 2: RUN", "--timeout", args=("--timeout", "300ms"))
        self.refused("FROM base:1\n" + hog, "line 2: RUN", "--memory", args=("--memory", "64m"))
        self.refused("FROM base:1\n" + many, "line 2: RUN", "--pids-limit", args=("--pids-limit", "6"))
        self.built("FROM base:1\nRUN sleep 0\n", "--memory", "256m", "--pids-limit", "64", "--timeout", "1h")

    def test_a_ceiling_bounds_each_run(self) -> None:
        """A default that is more is lowered, and what is asked for beyond it is refused."""
        hog = "FROM base:1\nRUN x=x; while :; do x=$x$x; done\n"
        path = self.file("ceiling.json", '{"limits": {"memory": "64m", "cpus": 0.5, "timeout": "1m"}, "egress": []}')
        path.chmod(0o644)
        bounded = self.env() | {"GLOVEBOX_CEILING": str(path)}
        self.env = lambda: bounded
        self.refused(hog, "line 2: RUN", "--memory")
        for flags in (("--memory", "100m"), ("--timeout", "2m"), ("--egress", "example.org")):
            self.refused("FROM base:1\nRUN true\n", flags[0], str(path), args=flags)
        self.built("FROM base:1\nRUN true\n", "--memory", "48m")

    def test_each_step_is_a_line_in_a_pipe(self) -> None:
        self.assertEqual(self.built("FROM base:1\nRUN true\n", "--quiet").err, "")
        said = self.built("FROM base:1\nRUN true\nWORKDIR /a\n", "--no-cache").err.splitlines()
        self.assertEqual([line for line in said if "[" in line], [f"glovebox: [{n}/3] {step}" for n, step in enumerate(("FROM base:1", "RUN true", "WORKDIR /a"), 1)])
        self.assertGreater(len(said), 4)  # what follows the steps takes time, too
        last = self.build("FROM base:1\nRUN false\n").err.splitlines()[-2:]
        self.assertRegex(last[0], message("dockerfile_build_make#removing"))
        self.assertIn("line 2: RUN", last[1])

    def test_a_program_that_fails_ends_the_build(self) -> None:
        self.refused("FROM base:1\nRUN true\nRUN echo said; exit 7\n", "said", "line 3: RUN", "status 7")
        self.refused("FROM base:1\nUSER nobody-there\nRUN true\n", "line 3: RUN", "nobody-there")
        self.refused('FROM base:1\nRUN ["/no/such"]\n', "line 2: RUN", "/no/such")


class Hostile(DockerfileCase):
    """What a stranger's Dockerfile or image does to the build."""

    def variant(self, name: str, **links: str) -> None:
        """Import the base with links in place of some of its directories."""
        packed = io.BytesIO()
        with tarfile.open(self.store / "base.tar") as source, tarfile.open(fileobj=packed, mode="w") as to:
            for member in source:
                if member.name.lstrip("./").split("/")[0] not in links:
                    to.addfile(member, source.extractfile(member) if member.isfile() else None)
            for path, target in links.items():
                link = tarfile.TarInfo(path)
                link.type, link.linkname = tarfile.SYMTYPE, target
                to.addfile(link)
        archive = self.folder / "variant.tar"
        archive.write_bytes(packed.getvalue())
        self.assert_status(execute([IMAGE, "import", str(archive), name], env=self.env()))

    def test_nothing_is_mounted_over_the_root(self) -> None:
        # pivot_root(2) would go wrong: the program's root would not be that of its namespace.
        for name in ("dev", "proc"):
            with self.subTest(name=name):
                self.variant(f"linked-{name}:1", **{name: "/"})
                self.refused(f"FROM linked-{name}:1\nRUN true\n", "line 2: RUN", message("dockerfile_run_mount#leads", f"/{name}"))
        self.refused("FROM base:1\nRUN --mount=type=tmpfs,target=/ true\n", "line 2: RUN", message("dockerfile_run_mount#leads"))

    def test_words_that_grow_are_refused(self) -> None:
        head = f"FROM base:1\nENV A={'x' * 60000}\n"
        for what, text in {
            "ENV": "ENV " + " ".join(f"b{i}=$A" for i in range(90000)),
            "COPY": "COPY " + "$A " * 300000 + "/x/",
            "LABEL": "LABEL " + " ".join(f"b{i}=$A" for i in range(90000)),
            "RUN": "\n".join(f"ENV v{i}=$A" for i in range(400)) + "\n" + "RUN true\n" * 500,
        }.items():
            with self.subTest(what=what):
                self.refused(head + text + "\n", f"{what}: ", "32 MiB")
        self.refused("FROM base:1\nENV " + " ".join(f"b{i}=1" for i in range(90000)) + "\n", "ENV", "1000 variables")

    def test_what_a_run_leaves_for_passwd_is_not_opened(self) -> None:
        # The hook that adds the user of a recipe would wait for ever for a writer of a FIFO.
        hook = Path(__file__).parents[2] / "rootfs/hooks/dockerfile.sh"
        etc = self.folder / "stage/root/etc"
        etc.mkdir(parents=True)
        os.mkfifo(etc / "passwd")
        (etc / "group").mkdir()
        done = execute(["sh", str(hook), "export", str(self.folder / "stage"), "recipe"], timeout=20)
        self.assertEqual(done.status, 0, done.err)


class Kept(DockerfileCase):
    """Results of RUN, from one build to the next."""

    DRAW = "RUN cat /proc/sys/kernel/random/uuid > /drawn\n"

    def drawn(self, dockerfile: str, *args: str) -> str:
        """Build, and return what its RUN has drawn."""
        self.built(dockerfile, *args)
        return self.sh("cat /drawn")

    def test_a_run_is_done_again_when_something_before_it_changes(self) -> None:
        self.write("f", "one")
        head = "FROM base:1\nARG V\n"
        rest = f"COPY f /f\n{self.DRAW}"
        first = self.drawn(head + rest)
        self.assertEqual(self.drawn(head + rest + "RUN echo later > /later\n"), first)
        os.utime(self.context / "f")
        self.assertEqual(self.drawn(head + rest), first)
        seen = {first, self.drawn(head + rest, "--no-cache"), self.drawn(head + rest, "--build-arg", "V=1"),
                self.drawn(head + "ENV A=b\n" + rest), self.drawn(head + "WORKDIR /w\n" + rest),
                self.drawn(head + "USER 0:0\n" + rest), self.drawn(head + rest, "--allow-host", "9")}  # fmt: skip
        self.write("f", "two")
        seen.add(self.drawn(head + rest))
        (self.context / "f").chmod(0o600)
        seen.add(self.drawn(head + rest))
        self.assertEqual(len(seen), 9)

    def test_what_a_run_removes_and_replaces_stays_so(self) -> None:
        self.write("tree/a/b", "b")
        self.write("tree/c", "c")
        self.write("tree/removed", "removed")
        head = ("FROM base:1\nCOPY tree /tree\n"
                "RUN cd /tree && rm removed && mv a d && rm c && mkdir c && touch $'c/new\\nline' c/root && ln -s c a && ln d/b hard"
                " && mkdir -p root/removed && touch removed2 && chmod 700 d && chown 5:6 d\n")  # fmt: skip
        self.built(head)
        listing = "cd /tree && ls -R && stat -c '%n %h' d/b hard"
        first = self.sh(listing)
        self.built(head + "RUN stat -c '%u:%g %a' /tree/d > /seen\n")
        self.assertEqual(self.sh(listing), first)
        self.assertEqual(self.sh("cat /seen"), "5:6 700")
        self.assertNotRegex(first, r"(?m)^removed$\n^root")

    def test_what_another_user_has_kept_is_not_taken(self) -> None:
        layers = self.store / "tmp/.layers"
        first = self.drawn("FROM base:1\n" + self.DRAW)
        later = "FROM base:1\n" + self.DRAW + "RUN echo later > /later\n"
        self.addCleanup(os.chown, layers, 0, 0)
        self.addCleanup(layers.chmod, 0o755)
        for what in (lambda: os.chown(layers, 65534, 65534), lambda: (os.chown(layers, 0, 0), layers.chmod(0o777))):
            what()
            self.assertNotEqual(self.drawn(later, "--build-arg", "A=1"), first)
            self.assert_status(execute([GLOVEBOX, "image", "rm", self.name], env=self.env()))
        layers.chmod(0o755)
        self.assertEqual(self.drawn(later), first)

    def test_the_same_again_is_the_same_image(self) -> None:
        self.built("FROM base:1\nRUN echo x > /x\n")
        again = self.built("FROM base:1\nRUN echo x > /x\n", "-t", "other:1", "--verbose")
        self.assertNotIn("RUN", again.err)
        self.assertIn("other:1", self.names())


class Stages(DockerfileCase):
    """Several FROM."""

    FILE = (
        "FROM base:1 AS first\nRUN mkdir /out && echo one > /out/file && ln -s file /out/link\n"
        "FROM first AS unneeded\nRUN exit 1\n"
        "FROM base:1 AS last\nCOPY --from=first /out /in\nCOPY --from=0 --chmod=600 /out/link /alone\n"
        "COPY --from=base:1 /etc/passw* /other/\nRUN stat -c '%a' /alone > /mode\n"
    )

    def test_files_come_from_other_stages_and_images(self) -> None:
        self.built(self.FILE)
        self.assertEqual(self.sh("cat /in/link /mode; ls /other").split(), ["one", "600", "passwd"])
        self.built(self.FILE + "RUN echo more > /more\n")
        self.assertEqual(self.sh("cat /in/link /mode /more").split(), ["one", "600", "more"])

    def test_an_image_that_is_not_here_is_fetched(self) -> None:
        archive = self.folder / "fetched.tar"
        self.assert_status(execute([GLOVEBOX, "image", "save", "base:1", "-o", str(archive)], env=self.env()))
        skopeo = self.folder / "bin/skopeo"
        skopeo.parent.mkdir()
        skopeo.write_text(f"#!/bin/sh\nexec cat {archive} >&3\n")
        skopeo.chmod(0o755)
        self.write("Dockerfile", "FROM registry.example/team/app:3 AS x\nRUN echo in > /in\n")
        env = {**self.env(), "PATH": f"{skopeo.parent}:{os.environ['PATH']}"}
        done = execute([GLOVEBOX, "image", "build", "-q", "-t", "fetched:1", str(self.context)], env=env)
        self.assertEqual(self.assert_status(done).out, "fetched:1\n")
        self.assertIn("registry.example+team+app:3", self.names())
        skopeo.write_text("#!/bin/sh\necho no such image >&2\nexit 1\n")
        self.write("Dockerfile", "FROM registry.example/team/none:3\n")
        done = execute([GLOVEBOX, "image", "build", "-t", "none:1", str(self.context)], env=env)
        self.assertEqual(done.status, 125)
        self.assertIn("line 1: FROM", done.err)

    def test_one_stage_can_be_built(self) -> None:
        self.built(self.FILE, "--target", "first")
        self.assertEqual(self.sh("cat /out/file; test ! -e /in"), "one")
        self.refused(self.FILE, "line 4: RUN", args=("--target", "unneeded"))
        self.refused(self.FILE, "--target", "none", args=("--target", "none"))


class Refusals(DockerfileCase):
    """What is not understood changes nothing."""

    def test_the_line_is_named(self) -> None:
        for line, says in {
            "VOLUME /data": "VOLUME",
            "ONBUILD RUN x": "ONBUILD",
            "RNU x": "RUN",
            "RUN --mount=type=secret,id=x y": "--mount",
            "RUN --network=host x": "--network",
            "COPY --parents a b": "--parents",
            "COPY a": "destination",
            "ENV A": "A",
            "ENV A=${B%x}": "${B",
            "EXPOSE http": "http",
            "FROM host": "host",
            "FROM --platform=linux/s390x base:1": "s390x",
            "ARG 1-2": "1-2",
        }.items():
            with self.subTest(line=line):
                self.refused(f"FROM base:1\nRUN touch /x\n\n{line}\n", f"line 4: {line.split()[0].replace('RNU', 'no')}", says)

    def test_flags_of_recipes_and_of_dockerfiles_do_not_mix(self) -> None:
        self.refused("FROM base:1\n", "--apt", args=("--apt", "jq"))
        done = execute([IMAGE, "build", "--target", "x", "slim"], env=self.env())
        self.assertIn("Dockerfile", done.err)

    def test_an_argument_that_nobody_takes_is_named(self) -> None:
        self.assertIn("MISSPELT", self.built("FROM base:1\nARG RIGHT\n", "--build-arg", "MISSPELT=1").err)


class Docker(DockerfileCase):
    """The name docker."""

    def docker(self, *args: str, stdin: bytes = b"") -> Result:
        """Run docker in the context."""
        done = subprocess.run([DOCKER, *args], input=stdin, capture_output=True, check=False, cwd=self.context,
                              env={**os.environ, **self.env()})  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    def test_build_and_run(self) -> None:
        self.write("Dockerfile", "FROM base:1\nCMD cat /x\nARG X=1\nRUN echo $X > /x\n")
        self.write("other.df", 'FROM base:1\nENTRYPOINT ["sh", "-c", "echo other"]\n')
        self.assert_status(self.docker("build", "-t", "d:1", "-t", "d:2", "--build-arg", "X=2", "."))
        self.assertEqual(self.assert_status(self.docker("run", "--rm", "d:2")).out, "2\n")
        quiet = self.assert_status(self.docker("buildx", "build", "-q", "-f", "other.df", "."))
        self.assertEqual(self.assert_status(self.docker("run", quiet.out.strip())).out, "other\n")
        piped = self.assert_status(self.docker("build", "-t", "piped", "-", stdin=b"FROM base:1\nRUN echo in > /in\n"))
        self.assertIn("piped:latest", piped.out)


if __name__ == "__main__":
    unittest.main()

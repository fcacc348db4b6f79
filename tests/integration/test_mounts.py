"""Binds: -v, --mount, --workspace, read-only and writable, and where they may not go."""

import os
import re
import socket
import unittest
from pathlib import Path

from support.case import Case
from support.messages import message, named
from support.run import GLOVEBOX, IS_ROOT, OWNER, Result, command, execute, run


class Binds(Case):
    """A directory or file of the host appears inside."""

    def test_a_link_of_the_image_is_not_mounted_over(self) -> None:
        """What it leads to is another file, and perhaps not in the image."""
        if not Path("/usr/bin/python3").is_symlink():
            self.skipTest("cannot: python3 is not a link here")
        result = run("-v", f"{self.file('a.py')}:/usr/bin/python3", argv=["/bin/true"])
        self.assert_refused(result, "usr/bin/python3", message("root_make_bind#link"))

    kernel = (
        "test_read_only_directory",
        "test_writable_directory",
        "test_single_file",
        "test_setuid_devices_and_exec",
        "test_inside_each_other",
        "test_tmpfs_below_a_bind",
        "test_a_mount_is_not_propagated_back",
    )
    as_user = (
        "test_read_only_directory",
        "test_writable_directory",
        "test_missing_source_is_made_as_docker_does",
        "test_setuid_devices_and_exec",
        "test_many",
        "test_inside_each_other",
        "test_sources_that_are_neither_file_nor_directory",
        "test_dangerous_sources",
        "test_a_mount_is_not_propagated_back",
    )

    def test_read_only_directory(self) -> None:
        data = self.subfolder("d")
        (data / "f").write_text("content")
        for flags in (
            ["-v", f"{data}:/data:ro"],
            ["--volume", f"{data}:/data:ro,z"],
            [f"--mount=type=bind,src={data},dst=/data,readonly"],
            [f"--mount=type=bind,source={data},target=/data,ro"],
            [f"--mount=type=bind,source={data},destination=/data,readonly=true"],
            ["--workspace", data],
        ):
            with self.subTest(flags=flags):
                script = "cat /data/f; touch /data/g 2>/dev/null || echo , refused"
                self.assert_prints("content, refused", run(*flags, sh=script))
        self.assertEqual(os.listdir(data), ["f"])

    def test_writable_directory(self) -> None:
        data = self.subfolder("d")
        for number, flags in enumerate(
            (
                ["-v", f"{data}:/data"],
                ["-v", f"{data}:/data:rw"],
                [f"--mount=type=bind,src={data},dst=/data"],
            )
        ):
            with self.subTest(flags=flags):
                self.assert_status(run(*flags, sh=f"echo hi > /data/{number}"))
                self.assertEqual((data / str(number)).read_text(), "hi\n")

    def test_single_file(self) -> None:
        script = self.file("script.py", "print('from a file')")
        flags = ["-v", f"{script}:/code/script.py:ro"]
        self.assert_prints("from a file", run(*flags, argv=["python3", "/code/script.py"]))

    def test_relative_source(self) -> None:
        (self.subfolder("d") / "f").write_text("here")
        for source in ("./d", "d/../d/", "./d/."):
            with self.subTest(source=source):
                args = command("-v", f"{source}:/data:ro", sh="cat /data/f")
                result = execute(args, cwd=self.folder)
                if source.startswith("."):
                    self.assert_prints("here", result)
                else:
                    self.assertIn(result.status, (0, 125))  # without ./ Docker sees a volume name

    def as_docker(self, *words: str) -> Result:
        """The same program under its other name."""
        return execute([str(Path(GLOVEBOX).with_name("docker")), "run", *words])

    def test_missing_source_is_made_as_docker_does(self) -> None:
        missing = self.folder / "a/b"
        volume = ["-v", f"{missing}:/data"]
        self.assert_refused(run(*volume, sh="true"), str(missing), "mkdir")
        self.assertFalse(missing.parent.exists())
        result = self.as_docker(*volume, "host", "/bin/sh", "-c", "ls /data | wc -l")
        self.assertTrue(missing.is_dir())
        self.assert_prints("0", self.mapped(result))

    def test_a_workspace_is_a_directory(self) -> None:
        missing = self.folder / "missing"
        result = run("--workspace", str(missing), sh="true")
        self.assert_refused(result, "--workspace: ", str(missing), "mkdir")
        self.assert_refused(
            run("--workspace", self.file("f", "x"), sh="true"), "--workspace: ", message("mount_source_open#--workspace", "/f")
        )

    def test_no_directory_is_made_in_the_place_of_dockers_socket(self) -> None:
        socket = self.folder / "docker.sock"
        result = self.as_docker("-v", f"{socket}:/var/run/docker.sock", "host", "/bin/true")
        self.assert_refused(result, str(socket), message("mount_source_make"))
        self.assertFalse(socket.exists())

    def test_missing_source_of_mount_is_refused(self) -> None:
        missing = self.folder / "missing"
        result = run(f"--mount=type=bind,src={missing},dst=/data", argv=["/bin/true"])
        self.assert_refused(result, str(missing))
        self.assertFalse(missing.exists())

    def test_setuid_devices_and_exec(self) -> None:
        data = self.subfolder("d")
        script = "import os; f = os.statvfs('/data').f_flag; print(f & 7, f & os.ST_NOEXEC)"
        self.assert_prints("6 0", run("-v", f"{data}:/data", py=script))  # nosuid, nodev
        self.assert_prints("7 0", run("-v", f"{data}:/data:ro", py=script))

    def test_program_in_a_bind(self) -> None:
        data = self.subfolder("d")
        (data / "p").write_text("#!/bin/sh\necho ran\n")
        (data / "p").chmod(0o755)
        self.assert_prints("ran", run("-v", f"{data}:/data:ro", argv=["/data/p"]))

    def test_names_that_need_care(self) -> None:
        for name in ("with space", "quote'\"", "new\nline", "back\\slash", "ünï", "a,b", "-x"):
            folder = self.subfolder(name)
            (folder / "f").write_text("content")
            with self.subTest(name=name):
                result = run("-v", f"{folder}:/in side:ro", sh="cat '/in side/f'")
                self.assert_prints("content", result)

    def test_bytes_that_are_not_utf8(self) -> None:
        folder = os.fsencode(self.folder) + b"/\xff"
        os.mkdir(folder)
        args = [os.fsencode(a) for a in command("-v", "@:/data:ro", sh="ls /data | wc -l")]
        args = [a.replace(b"@", folder) for a in args]
        self.assert_prints("0", execute(args))

    def test_many(self) -> None:
        data = self.subfolder("d")
        flags = [f"-v={data}:/many/{n}:ro" for n in range(100)]
        self.assert_prints("100", run(*flags, sh="ls /many | wc -l"))

    def test_inside_each_other(self) -> None:
        outer, inner = self.subfolder("outer"), self.subfolder("inner")
        (outer / "sub").mkdir()
        (inner / "f").write_text("inner")
        # whatever the order of the flags, the deeper one is mounted on the other
        for flags in (
            ["-v", f"{outer}:/o:ro", "-v", f"{inner}:/o/sub:ro"],
            ["-v", f"{inner}:/o/sub:ro", "-v", f"{outer}:/o:ro"],
        ):
            with self.subTest(flags=flags):
                self.assert_prints("inner", run(*flags, sh="cat /o/sub/f"))

    def test_tmpfs_below_a_bind(self) -> None:
        (self.subfolder("d") / "t").mkdir()
        flags = ["-v", f"{self.folder}/d:/d:ro", "--tmpfs", "/d/t"]
        self.assert_prints("ok", run(*flags, sh="touch /d/t/f && echo ok"))

    def test_links_in_a_bind_lead_nowhere_else(self) -> None:
        data = self.subfolder("d")
        secret = self.file("secret", "secret")
        (data / "link").symlink_to(secret)
        (data / "up").symlink_to("../secret")
        script = "cat /data/link /data/up 2>/dev/null; cat /data/../secret 2>/dev/null; true"
        self.assert_prints("", run("-v", f"{data}:/data", sh=script))

    def test_a_source_that_is_a_link(self) -> None:
        (self.subfolder("d") / "f").write_text("behind")
        (self.folder / "link").symlink_to("d")
        self.assert_prints("behind", run("-v", f"{self.folder}/link:/d:ro", sh="cat /d/f"))

    def test_sources_that_are_neither_file_nor_directory(self) -> None:
        os.mkfifo(self.folder / "fifo")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "s"))
            for source in (self.folder / "fifo", self.folder / "s", Path("/dev/null")):
                with self.subTest(source=source):
                    self.assert_refused(run("-v", f"{source}:/x", argv=["/bin/true"]), str(source))

    def test_dangerous_sources(self) -> None:
        for source in ("/proc", "/sys", "/dev", "/proc/1", "/sys/fs/cgroup"):
            with self.subTest(source=source):
                self.assert_refused(run("-v", f"{source}:/x:ro", argv=["/bin/true"]), source)

    def test_a_mount_is_not_propagated_back(self) -> None:
        before = Path("/proc/self/mountinfo").read_text()
        run("--tmpfs", "/x", "-v", f"{self.subfolder('d')}:/d", argv=["/bin/true"])
        self.assertNotIn(str(self.folder), Path("/proc/self/mountinfo").read_text())
        self.assertNotIn(str(self.folder), before)


class Owners(Case):
    """What the sandbox writes belongs to the invoker, or as root to the directory's owner."""

    kernel = True
    as_user = True

    def owners(self, folder: Path) -> set[tuple[int, int]]:
        """Return the owners of everything in a folder."""
        return {(s.st_uid, s.st_gid) for s in (p.lstat() for p in folder.rglob("*"))}

    def run_on(self, output: Path, script: str) -> Result:
        """Run a script with a directory of the invoker's at /output."""
        return self.mapped(run("-v", f"{output}:/output", sh=script))

    WRITE = "mkdir /output/d && echo hi > /output/d/f && ln -s f /output/d/l && cat /output/d/f"

    def test_files_belong_to_the_invoker(self) -> None:
        output = self.folder / "output"
        output.mkdir()  # mode 0755: writable for its owner only
        self.assert_prints("hi", self.run_on(output, self.WRITE))
        self.assertEqual(self.owners(output), {(os.geteuid(), os.getegid())})

    def test_files_of_the_invoker_can_be_read_and_changed(self) -> None:
        output = self.folder / "output"
        output.mkdir()
        private = output / "f"
        private.write_text("before")
        private.chmod(0o600)
        script = "cat /output/f; echo after > /output/f"
        self.assert_prints("before", self.run_on(output, script))
        self.assertEqual(private.read_text(), "after\n")

    @unittest.skipUnless(IS_ROOT, "cannot: only root can give a directory away")
    def test_as_root_files_belong_to_the_directorys_owner(self) -> None:
        output = self.folder / "output"
        output.mkdir()
        os.chown(output, 1234, 2345)
        self.folder.chmod(0o755)
        self.assert_prints("hi", run("-v", f"{output}:/output", sh=self.WRITE))
        self.assertEqual(self.owners(output), {(1234, 2345)})

    @unittest.skipUnless(IS_ROOT, "cannot: only root can give a directory away")
    def test_two_directories_of_two_owners(self) -> None:
        flags = []
        for name, uid in (("a", 1234), ("b", 2345)):
            (self.folder / name).mkdir()
            os.chown(self.folder / name, uid, uid)
            flags += ["-v", f"{self.folder}/{name}:/{name}"]
        self.assert_status(self.mapped(run(*flags, sh="touch /a/f && touch /b/f")))
        self.assertEqual(self.owners(self.folder / "a"), {(1234, 1234)})
        self.assertEqual(self.owners(self.folder / "b"), {(2345, 2345)})

    @unittest.skipUnless(IS_ROOT, "cannot: only root has files that others may not read")
    def test_user_reads_of_a_read_only_mount_what_is_theirs(self) -> None:
        data = self.folder / "d"
        data.mkdir()
        self.mapped(run("-v", f"{data}:/d", argv=["/bin/true"]))
        for owner in (0, 1000):
            (data / str(owner)).write_text(f"of {owner}, ")
            (data / str(owner)).chmod(0o600)
            os.chown(data / str(owner), owner, owner)
        script = "cat /d/0 2>/dev/null; cat /d/1000 2>/dev/null; true"
        for flags, said in (
            (["-u", "1000:1000"], "of 1000,"),
            (["-u", "0:0"], "of 0,"),
            (["-u", "2000:2000"], ""),
            ([], "of 0,"),  # nobody was asked for: the sandbox stands for the mount's owner
        ):
            with self.subTest(flags=flags):
                self.assert_prints(said, run(*flags, "-v", f"{data}:/d:ro", sh=script))
        os.chown(data, 1000, 1000)  # root of a container may read what anybody owns
        self.assert_prints("of 1000,", run("-u", "root", "-v", f"{data}:/d:ro", sh=script))

    def test_user_writes_to_a_writable_mount_as_its_owner(self) -> None:
        output = self.subfolder("output")
        result = run("-u", "2000:2000", "-v", f"{output}:/output", sh="echo > /output/f")
        self.assert_status(self.mapped(result))
        self.assertEqual(self.owners(output), {OWNER})

    def test_root_inside_is_not_root_outside(self) -> None:
        output = self.subfolder("output")
        result = run("-u", "0", "-v", f"{output}:/output", sh="touch /output/f; id -u")
        if result.status == 0:
            self.assertEqual(self.owners(output), {OWNER})

    def test_no_setuid_file_can_be_made(self) -> None:
        # it would be the invoker's on the host: root's, if root runs glovebox
        output = self.subfolder("output")
        script = """
import os
def attempt(call, *args):
    try:
        call(*args)
    except OSError:
        pass
os.chdir("/output")
for name in "abc":
    open(name, "w").close()
attempt(os.chmod, "a", 0o6755)
fd = os.open("b", os.O_RDWR)
attempt(os.fchmod, fd, 0o6755)
attempt(lambda: os.chmod("c", 0o2755, dir_fd=os.open(".", os.O_RDONLY)))
attempt(os.open, "d", os.O_CREAT | os.O_WRONLY, 0o6755)
attempt(os.mknod, "e", 0o106755)
"""
        self.assert_status(run("-v", f"{output}:/output", py=script))
        modes = {path.name: oct(path.stat().st_mode & 0o6000) for path in output.iterdir()}
        self.assertEqual(set(modes.values()), {"0o0"}, modes)


class Sources(Case):
    """Paths that a shell or Windows would have understood are named as what was meant."""

    def assert_hint(self, want: str | re.Pattern[str], *flags: str) -> None:
        """Assert that a run is refused with this hint."""
        result = run(*flags, argv=["/bin/true"])
        self.assert_status(result, 125)
        self.assertRegex(result.err, named(want))
        self.assertFalse(Path("~").exists())

    def test_home(self) -> None:
        for flags in (("-v", "~/d:/d"), ("--workspace", "~/d"), ("--output", "~/d"), ("--mount", "type=bind,src=~/d,dst=/d")):
            with self.subTest(flags=flags):
                self.assert_hint('write "$HOME/d" without single quotes', *flags)
        self.assert_hint('write "$HOME" ', "-v", "~:/d")
        self.assert_hint("write the path", "-v", "~me/d:/d")

    def test_windows(self) -> None:
        self.assert_hint(message("source_hint_windows", "C:\\my data", "/mnt/c/my data"), "-v", "C:\\my data:/data")
        self.assert_hint("as /mnt/d/a/b", "-v", "D:/a/b:/data:ro")
        self.assert_hint("as /mnt/c/x", "--workspace", "c:\\x")
        self.assert_hint("as /mnt/c/x", "--mount", "type=bind,src=C:\\x,dst=/d")
        self.assert_hint(message("source_hint#Windows"), "-v", "\\\\server\\x:/data")

    def test_a_bare_name(self) -> None:
        self.assert_hint(message("volume_check_name#invalid", "./data/sub"), "-v", "data/sub:/data")


class Destinations(Case):
    """Where a mount may not go."""

    def test_hostile(self) -> None:
        data = self.subfolder("d")
        for target in (
            *(
                "/",
                "//",
                "/.",
                "/proc",
                "/proc/",
                "/proc/self",
                "/proc/sys/kernel",
                "/sys",
                "/sys/x",
            ),
            *("/dev", "/dev/null", "/dev/pts", "/dev/fd", "relative", "./x", "..", "../x", ""),
            *("/x/../proc", "/x/../..", "/../proc", "//proc", "/./proc", "/proc/../proc/1"),
        ):
            for flag in (f"-v={data}:{target}", f"--mount=type=bind,src={data},dst={target}"):
                with self.subTest(flag=flag):
                    self.assert_refused(run(flag, argv=["/bin/true"]))
            with self.subTest(tmpfs=target):
                self.assert_refused(run(f"--tmpfs={target}", argv=["/bin/true"]))

    def test_dot_dot_is_refused_or_resolved_inside(self) -> None:
        (self.subfolder("d") / "f").write_text("content")
        result = run("-v", f"{self.folder}/d:/a/../b:ro", sh="cat /b/f")
        if result.status != 125:
            self.assert_prints("content", result)

    def test_duplicates(self) -> None:
        a, b = self.subfolder("a"), self.subfolder("b")
        for flags in (
            ["-v", f"{a}:/x", "-v", f"{b}:/x"],
            ["-v", f"{a}:/x", "-v", f"{b}:/x/"],
            ["-v", f"{a}:/x", "--tmpfs", "/x"],
            ["--tmpfs", "/x", "--mount", "type=tmpfs,dst=/x"],
            ["--workspace", a, "-v", f"{b}:/data"],
            ["--output", a, "-v", f"{b}:/output"],
        ):
            with self.subTest(flags=flags):
                self.assert_refused(run(*flags, argv=["/bin/true"]))

    def test_over_links_of_the_image(self) -> None:
        # /bin is a link into /usr: a mount there must not follow it to anywhere
        data = self.subfolder("d")
        result = run("-v", f"{data}:/bin:ro", argv=["/usr/bin/true"])
        self.assertIn(result.status, (0, 125))

    def test_over_files_and_directories_of_the_image(self) -> None:
        data = self.file("f", "mine")
        self.assert_prints("mine", run("-v", f"{data}:/etc/hostname:ro", sh="cat /etc/hostname"))
        folder = self.subfolder("d")
        self.assert_prints(
            "0", run("-v", f"{folder}:/usr/share/doc:ro", sh="ls /usr/share/doc | wc -l")
        )

    def test_a_file_over_a_directory_and_the_reverse(self) -> None:
        self.assert_refused(run("-v", f"{self.file('f')}:/usr:ro", argv=["/bin/true"]))
        self.assert_refused(run("-v", f"{self.subfolder('d')}:/etc/passwd:ro", argv=["/bin/true"]))

    def test_missing_places_in_a_bind_are_not_made_on_the_host(self) -> None:
        data, other = self.subfolder("d"), self.subfolder("o")
        flags = ["-v", f"{data}:/d:ro", "-v", f"{other}:/d/new:ro"]
        result = run(*flags, argv=["/bin/true"])
        if result.status:
            self.assert_refused(result)
        self.assertEqual(os.listdir(data), [])

    def test_malformed(self) -> None:
        data = self.subfolder("d")
        for flags in (
            ["-v", ""],
            ["-v", ":"],
            ["-v", f"{data}:"],
            ["-v", ":/x"],
            ["-v", f"{data}:/x:nonsense"],
            ["-v", f"{data}:/x:ro:rw"],
            ["-v", f"{data}:/x:ro,rw"],
            ["-v", f"{data}:/x:shared"],
            ["--mount", ""],
            ["--mount", "type=bind"],
            ["--mount", f"type=bind,src={data}"],
            ["--mount", "type=bind,dst=/x"],
            ["--mount", f"type=bind,src={data},dst=/x,nonsense"],
            ["--mount", f"type=bind,src={data},dst=/x,readonly=maybe"],
            ["--mount", "type=tmpfs,src=/x,dst=/x"],
            ["--mount", "type=tmpfs,dst=/x,tmpfs-size=x"],
            ["--mount", f"src={data},dst=/x"],
        ):
            with self.subTest(flags=flags):
                self.assert_refused(run(*flags, argv=["/bin/true"]))

    def test_long_paths(self) -> None:
        data = self.subfolder("d")
        for target in ("/" + "x" * 300, "/x" * 3000):
            with self.subTest(length=len(target)):
                self.assert_refused(run("-v", f"{data}:{target}", argv=["/bin/true"]))
        self.assert_refused(run("-v", f"/{'x' * 5000}:/x", argv=["/bin/true"]))

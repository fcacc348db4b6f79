"""--output: what the sandbox leaves in /output arrives, and nothing else does."""

import os
import stat
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, OWNER, command, execute, run
from support.times import seconds


class Collected(Case):
    """Regular files and directories are copied out; everything else is listed as refused."""

    as_user = (
        "test_files_and_directories",
        "test_they_belong_to_the_invoker",
        "test_special_bits_and_modes_are_not_kept",
        "test_directories_without_rights_are_collected",
        "test_an_existing_directory_is_added_to",
        "test_links_fifos_sockets_and_devices_are_refused",
        "test_links_that_lie_in_wait_on_the_host_are_not_followed",
    )

    def collect(self, script: str, *flags: str, options: str = "", py: bool = False):
        """Run a script with --output and --json."""
        self.output = self.folder / "out"
        flag = f"--output={self.output}{options}"
        code = {"py": script} if py else {"sh": script}
        return run("--json", flag, *flags, **code)

    def names(self) -> set[str]:
        """Return everything below the output directory, relative."""
        return {str(p.relative_to(self.output)) for p in self.output.rglob("*")}

    def refused(self, result) -> dict[str, str]:
        """Return what --json lists as refused, with the reasons."""
        return {row["path"]: row["reason"] for row in result.json["refused"]}

    def test_relative_names_are_collected(self) -> None:
        out = self.subfolder("out")
        self.assert_status(run("--output", out, py="open('chart.png', 'w').write('x'); import os; os.mkdir('d'); os.chdir('d'); open('y', 'w')"))
        self.assertEqual(sorted(p.name for p in out.rglob("*")), ["chart.png", "d", "y"])

    def test_where_a_program_works(self) -> None:
        out, data = self.subfolder("out"), self.subfolder("data")
        (data / "in.csv").write_text("1")
        output, workspace = ("--output", out), ("--workspace", data)
        for flags, where in (
            ((), "/"),
            (output, "/output"),
            (workspace, "/data"),
            ((*workspace, *output), "/output"),
            ((*output, *workspace, "-w", "/tmp"), "/tmp"),
            ((*output, "-w", "/"), "/"),
            (("-v", f"{data}:/data:ro"), "/"),
            (("-v", f"{data}:/output:ro"), "/"),
            (("--tmpfs", "/workspace"), "/"),
        ):
            with self.subTest(flags=flags):
                self.assert_prints(where, run(*flags, py="import os; print(os.getcwd())"))
        self.assert_prints("1", run(*workspace, py="print(open('in.csv').read())"))

    def test_docker_works_where_docker_does(self) -> None:
        out, data = self.subfolder("out"), self.subfolder("data")
        words = ["run", "--output", str(out), "--workspace", str(data), "host", "pwd"]
        self.assert_prints("/", execute([Path(GLOVEBOX).with_name("docker"), *words]))

    def test_files_and_directories(self) -> None:
        result = self.collect("cd /output; mkdir -p a/b c; echo hi > a/b/f; printf x > g")
        self.assert_status(result)
        self.assertEqual(self.names(), {"a", "a/b", "c", "a/b/f", "g"})
        self.assertEqual((self.output / "a/b/f").read_text(), "hi\n")
        rows = sorted((r["path"], r["size"], r["kind"]) for r in result.json["files"])
        self.assertEqual(rows, [("a/b/f", 3, "new"), ("g", 1, "new")])
        self.assertEqual(result.json["refused"], [])

    def test_they_belong_to_the_invoker(self) -> None:
        self.assert_status(self.collect("mkdir /output/d; touch /output/d/f"))
        for path in (self.output / "d", self.output / "d/f"):
            owner = path.lstat()
            self.assertEqual((owner.st_uid, owner.st_gid), (os.geteuid(), os.getegid()))
            self.assertTrue(os.access(path, os.R_OK | os.W_OK))

    def test_special_bits_and_modes_are_not_kept(self) -> None:
        self.assert_status(self.collect("cd /output; touch s x; chmod 6777 s; chmod 000 x"))
        for name in ("s", "x"):
            mode = (self.output / name).stat().st_mode
            self.assertEqual(mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX), 0)
            self.assertEqual(mode & 0o022, 0)
            self.assertTrue(mode & 0o400)

    def test_directories_without_rights_are_collected(self) -> None:
        made = "cd /output; echo y > z; mkdir a b; echo n | tee a/f b/f; chmod 444 a; chmod 0 b; chmod 0 ."
        self.assert_status(self.collect(made))
        for name in ("a/f", "b/f", "z"):
            self.assertTrue((self.output / name).is_file(), name)

    def test_what_does_not_fit_on_the_disk_is_said_and_the_rest_collected(self) -> None:
        if os.geteuid():
            self.skipTest("cannot: only root may mount")
        self.output = self.folder / "full"
        self.output.mkdir()
        program = command("--json", f"--output={self.output}", sh="cd /output; seq 99999 >a; echo hi >b")
        mount = f"mount -t tmpfs -o size=8k,mode=777 none {self.output}"
        shell = f'{mount}; s=0; "$0" "$@" || s=$?; ls {self.output} >&2; exit $s'
        result = execute(["unshare", "--mount", "sh", "-ec", shell, *program])
        self.assert_status(result, 125)
        self.assertEqual(self.refused(result), {"a": "No space left on device"})
        self.assertEqual((result.json["exit_code"], result.err.splitlines()[-1]), (125, "b"))

    def test_an_existing_directory_is_added_to(self) -> None:
        out = self.folder / "out"
        out.mkdir()
        (out / "kept").write_text("kept")
        (out / "replaced").write_text("old")
        result = self.collect("cd /output; echo new > replaced; echo more > added")
        self.assert_status(result)
        self.assertEqual((out / "kept").read_text(), "kept")
        self.assertEqual((out / "replaced").read_text(), "new\n")
        kinds = {r["path"]: r["kind"] for r in result.json["files"]}
        self.assertEqual(kinds, {"replaced": "changed", "added": "new"})

    def test_links_fifos_sockets_and_devices_are_refused(self) -> None:
        result = self.collect(
            """
import os, socket
os.chdir("/output")
os.symlink("/etc/passwd", "link")
os.symlink("nowhere", "dangling")
os.symlink(".", "loop")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
open("file", "w").close()
os.link("file", "second")
try:
    os.mknod("null", 0o020666, os.makedev(1, 3))
except OSError:
    pass
""",
            py=True,
        )
        self.assert_status(result)
        self.assertLessEqual(self.names(), {"file", "second"})
        self.assertIn("file", self.names())
        refused = self.refused(result)
        for name in ("link", "dangling", "loop", "fifo", "socket"):
            self.assertIn(name, refused)
            self.assertTrue(refused[name])

    def test_links_that_lie_in_wait_on_the_host_are_not_followed(self) -> None:
        out = self.folder / "out"
        out.mkdir()
        target = self.file("target", "untouched")
        (self.folder / "elsewhere").mkdir()
        (out / "file").symlink_to(target)
        (out / "dir").symlink_to(self.folder / "elsewhere")
        result = self.collect(
            "cd /output; rm -rf file dir; echo bad > file; mkdir dir; echo bad > dir/f"
        )
        self.assertEqual(target.read_text(), "untouched")
        self.assertEqual(os.listdir(self.folder / "elsewhere"), [])
        self.assertIn(result.status, (0, 125))

    def test_names_of_any_bytes(self) -> None:
        script = """
import os
names = (b"\\xff\\xfe", b"new\\nline", b"-x", b" ", b"quote\\"'", b"\\x1b[2J", "\\u00fc".encode())
for name in names:
    open(b"/output/" + name, "w").close()
"""
        result = self.collect(script, py=True)
        self.assert_status(result)
        there = set(os.listdir(os.fsencode(self.output)))
        listed = len(result.json["files"]) + len(result.json["refused"])
        self.assertEqual(listed, 7)
        self.assertEqual(len(there), len(result.json["files"]))
        self.assertLessEqual({b"-x", b" ", "ü".encode()}, there)

    def test_deep_trees(self) -> None:
        script = """
import os
os.chdir("/output")
for _ in range(500):
    os.mkdir("d" * 50)
    os.chdir("d" * 50)
open("bottom", "w").close()
"""
        result = self.collect(script, py=True)
        self.assert_status(result)
        self.assertTrue(result.json["refused"] or result.json["files"])
        self.addCleanup(os.system, f"rm -rf '{self.output}'")

    def test_size_is_bounded(self) -> None:
        script = "head -c 3M /dev/zero > /output/f 2>/dev/null; wc -c < /output/f"
        result = self.collect(script, options=",size=1m")
        self.assertEqual(result.json["stdout"].strip(), str(1 << 20))

    def test_default_size(self) -> None:
        script = "cat /dev/zero > /output/f 2>/dev/null; wc -c < /output/f"
        result = self.collect(script, "--memory", "600m")
        self.assertEqual(result.json["stdout"].strip(), str(256 << 20))

    def test_number_of_files_is_bounded(self) -> None:
        script = "i=0; while [ $i -lt 100 ]; do : > /output/$i || break; i=$((i+1)); done; true"
        result = self.collect(script, options=",files=20")
        self.assertLessEqual(len(result.json["files"]), 20)
        self.assertLessEqual(len(self.names()), 20)
        self.assertGreaterEqual(len(self.names()), 15)

    def test_sparse_files_do_not_grow(self) -> None:
        result = self.collect("truncate -s 100G /output/sparse; echo $?", options=",size=1m")
        used = sum(p.stat().st_blocks * 512 for p in self.output.rglob("*"))
        self.assertLess(used, 64 << 20)
        self.assertTrue(result.json["refused"] or result.json["files"])

    def test_what_was_there_at_the_deadline_is_collected(self) -> None:
        result = self.collect("echo hi > /output/f; sleep 1000", "--timeout", seconds(2))
        self.assert_status(result, 124)
        self.assertEqual(self.names(), {"f"})

    def test_files_of_a_failed_program_are_collected(self) -> None:
        self.assert_status(self.collect("echo hi > /output/f; exit 9"), 9)
        self.assertEqual(self.names(), {"f"})

    def test_nothing_written(self) -> None:
        result = self.collect("true")
        self.assert_status(result)
        self.assertEqual(result.json["files"], [])
        self.assertEqual(self.names() if self.output.exists() else set(), set())

    def test_without_json_stderr_lists_what_was_refused(self) -> None:
        result = run(f"--output={self.folder}/o", sh="ln -s /etc/passwd /output/link; echo hi")
        self.assert_prints("hi", result)
        self.assertIn("link", result.err)

    def test_escape_sequences_in_names_do_not_reach_the_terminal(self) -> None:
        script = "ln -s x \"/output/$(printf '\\033[2J')\"; mkfifo \"/output/$(printf 'a\\nb')\""
        result = run(f"--output={self.folder}/o", sh=script)
        self.assertNotIn(b"\x1b", result.stderr)


class DirectBind(Case):
    """-v DIR:/output is what Docker users know: a bind, with whatever the program makes."""

    kernel = True
    as_user = True

    def test_files_appear_at_once(self) -> None:
        out = self.subfolder("out")
        self.assert_prints("seen", run("-v", f"{out}:/output", sh="echo x > /output/f; echo seen"))
        self.assertEqual((out / "f").read_text(), "x\n")

    def test_json_lists_what_appeared_or_changed(self) -> None:
        out = self.subfolder("out")
        (out / "old").write_text("old")
        (out / "same").write_text("same")
        old = (out / "old").stat()
        os.utime(out / "old", ns=(old.st_atime_ns, old.st_mtime_ns - 10**10))
        os.chown(out / "old", *OWNER)
        script = "echo changed > /output/old; mkdir /output/d; echo x > /output/d/new"
        result = run("--json", "-v", f"{out}:/output", sh=script)
        self.assert_status(result)
        kinds = {r["path"]: r["kind"] for r in result.json["files"]}
        self.assertEqual(kinds, {"old": "changed", "d/new": "new"})

    def test_output_made_by_an_absolute_path(self) -> None:
        out = Path(self.folder, "made/by/us")
        self.assert_status(run(f"--output={out}", sh="echo x > /output/f"))
        self.assertEqual((out / "f").read_text(), "x\n")

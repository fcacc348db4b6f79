"""Volumes by name: made on their first use, kept after their sandboxes, removed when none uses them."""

import fcntl
import json
import os
import shutil
from pathlib import Path

from staying import WAITS, Staying
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, Result, command, execute, parallel, run, unique
from support.times import wait_until

IN_USE = "remove {}: volume is in use - [{}]"


class Volumes(Staying):
    """The commands under the name docker, with docker's statuses and texts, and volumes in runs."""

    as_user = True

    def setUp(self) -> None:
        """Make the name docker."""
        super().setUp()
        self.program = str(self.folder / "docker")
        Path(self.program).symlink_to(os.path.realpath(GLOVEBOX))
        self.place = self.folder / "state/glovebox/volumes"
        self.mapped(run("-v", "vol:/data", argv=["true"], env={"XDG_STATE_HOME": f"{self.folder}/other"}))

    def volume(self, *args: str) -> Result:
        """Run a command on volumes."""
        return self.ours("volume", *args)


    def once(self, *flags: str, sh: str) -> Result:
        """Run a shell script in a sandbox that does not stay."""
        return run(*flags, sh=sh, env=self.env)

    def names(self, *flags: str) -> list[str]:
        """Return the names that ls -q prints."""
        return self.assert_status(self.volume("ls", "-q", *flags)).out.split()

    def refused_by_daemon(self, text: str, result: Result) -> None:
        """Assert docker's answer to a request that fails."""
        self.assert_status(result, 1)
        self.assertEqual(result.err, f"Error response from daemon: {text}\n")

    # -- in sandboxes

    def test_files_stay_and_are_the_callers(self) -> None:
        self.assert_status(self.once("-v", "vol:/data", sh="echo kept >/data/file; mkdir /data/folder"))
        self.assert_prints("kept", self.once("-v", "vol:/elsewhere", sh="cat /elsewhere/file"))
        self.assert_prints("kept", self.once("--mount", "type=volume,src=vol,dst=/d,readonly", sh="cat /d/file"))
        for name in ("", "_data", "_data/file", "_data/folder"):
            self.assertEqual((self.place / "vol" / name).stat().st_uid, os.geteuid())
        for folder in (self.place, self.place / "vol"):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_read_only(self) -> None:
        self.assert_status(self.once("-v", "vol:/data", sh="touch /data/file"))
        result = self.once("-v", "vol:/data:ro", sh="cat /data/file && touch /data/file")
        self.assertIn("Read-only file system", self.assert_status(result, 1).err)

    def test_another_user_inside(self) -> None:
        self.assert_status(self.once("-v", "vol:/data", "-u", "4321:4321", sh="echo kept >/data/file"))
        self.assert_prints("kept\n0", self.once("-v", "vol:/data", "-u", "0", sh="cat /data/file; stat -c %u /data/file"))

    def test_it_survives_the_sandbox_and_its_restart(self) -> None:
        name = self.stay("-v", "vol:/data", sh="echo line >>/data/file; " + WAITS)
        file = self.place / "vol/_data/file"
        self.assertTrue(wait_until(lambda: file.exists() and file.read_text() == "line\n"))
        self.assert_status(self.ours("restart", "-t", "0", name))
        self.assertTrue(wait_until(lambda: file.read_text() == "line\nline\n"))
        self.assert_prints("line\nline", self.inside(name, "cat /data/file"))
        self.assert_status(self.ours("rm", "-f", name))
        self.assertEqual(self.names(), ["vol"])

    def test_create_makes_it(self) -> None:
        name = unique("staying")
        line = ("create", "--name", name, "-v", "vol:/data", "host", "cat", "/data/file")
        self.assert_status(self.ours(*line))
        self.assertEqual(self.names(), ["vol"])
        self.assert_status(self.volume("rm", "vol"), 1)
        (self.place / "vol/_data/file").write_text("from outside\n")
        self.assert_prints("from outside", self.ours("start", "-a", name))

    def test_explain_makes_nothing(self) -> None:
        self.assert_status(run("--explain", "-v", "vol:/data", argv=["true"], env=self.env))
        self.assertFalse(self.place.exists())
        self.assert_status(self.volume("create", "vol"))
        result = self.assert_status(run("--explain", "-v", "vol:/data", argv=["true"], env=self.env))
        self.assertIn(f"/data <- {self.place}/vol/_data", result.out)

    def test_a_run_that_is_refused_makes_nothing(self) -> None:
        for flags in (["-v", "vol:data"], ["-v", "vol:/x", "-v", "/nowhere:/y", "--memory=1x"], ["-v", "a/b:/x"]):
            self.assert_refused(run(*flags, argv=["true"], env=self.env))
        self.assertFalse(self.place.exists())

    def test_what_is_written_to_output_is_listed(self) -> None:
        result = self.once("--json", "-v", "vol:/output", sh="echo a >/output/file")
        self.assertEqual(result.json["files"], [{"path": "file", "size": 2, "kind": "new"}])

    def test_a_session_has_none(self) -> None:
        for words in (("new", "-v", "vol:/data", "host"), ("repl", "--mount", "type=volume,src=vol,dst=/data")):
            result = execute([GLOVEBOX, "session", *words], env=self.env)
            self.assert_refused(result, message("session_spec_check_flags#volumes"), "vol")
        self.assertFalse(self.place.exists())

    # -- commands

    def test_create(self) -> None:
        self.assert_prints("vol", self.volume("create", "vol"))
        (self.place / "vol/_data/file").touch()
        self.assert_prints("vol", self.volume("create", "--label", "a=b", "-d", "local", "vol"))
        self.assertEqual(self.names("-f", "label=a"), [], "one that exists stays as it is")
        self.assertTrue((self.place / "vol/_data/file").exists())
        result = self.assert_status(self.volume("create"))
        self.assertRegex(result.out, r"\A[0-9a-f]{64}\n\Z")
        self.assertEqual(self.names(), sorted(["vol", result.out.strip()]))

    def test_names_that_are_none(self) -> None:
        for name in ("a/b", "../x", ".x", "_x", "a b", "é", "a\n"):
            said = self.assert_status(self.volume("create", name), 1).err
            self.assertIn("includes invalid characters", said)
            self.assert_status(self.volume("rm", name), 1)
            self.assert_status(self.volume("inspect", name), 1)
        self.assertIn("create x: volume name is too short", self.assert_status(self.volume("create", "x"), 1).err)
        self.assert_status(self.volume("create", 256 * "x"), 1)
        self.assert_status(self.volume("create", 255 * "x"))

    def test_what_is_refused(self) -> None:
        self.assert_refused(self.volume("create", "-d", "nfs", "vol"), "--driver")
        self.assert_refused(self.volume("create", "-o", "type=tmpfs", "vol"), "--opt")
        self.assert_refused(self.volume("create", "vol", "more"))
        self.assert_refused(self.volume("rm"))
        self.assert_refused(self.volume("inspect"))
        self.assertFalse(self.place.exists())
        for filter_ in ("nonsense", "x=y", "dangling=perhaps"):
            self.assert_status(self.volume("ls", "-f", filter_), 1)

    def test_ls(self) -> None:
        self.assertEqual(self.assert_status(self.volume("ls")).out, "DRIVER    VOLUME NAME\n")
        for name in ("one", "two"):
            self.volume("create", "--label", f"number={name}", "--label", "bare", name)
        text = "DRIVER    VOLUME NAME\nlocal     one\nlocal     two\n"
        self.assertEqual(self.assert_status(self.volume("ls")).out, text)
        self.assertEqual(self.assert_status(self.volume("list")).out, text)
        self.assertEqual(self.names("-f", "name=w"), ["two"])
        self.assertEqual(self.names("-f", "name=w", "-f", "name=on"), ["one", "two"])
        self.assertEqual(self.names("-f", "label=number=one", "-f", "label=bare"), ["one"])
        self.assertEqual(self.names("-f", "label=nothing"), [])
        self.assertEqual(self.names("-f", "driver=local", "-f", "dangling=true"), ["one", "two"])
        row = self.assert_status(self.volume("ls", "--format", "{{.Name}} {{.Driver}} {{.Mountpoint}}", "-f", "name=one"))
        self.assertEqual(row.out, f"one local {self.place}/one/_data\n")
        row = json.loads(self.assert_status(self.volume("ls", "--format", "json", "-f", "name=one")).out)
        self.assertEqual(row["Labels"], "number=one,bare=")

    def test_inspect(self) -> None:
        self.volume("create", "--label", "a=b", "vol")
        [told] = json.loads(self.assert_status(self.volume("inspect", "vol")).out)
        self.assertRegex(told.pop("CreatedAt"), r"^\d{4}-\d\d-\d\dT")
        wanted = {"Driver": "local", "Labels": {"a": "b"}, "Mountpoint": f"{self.place}/vol/_data"}
        self.assertEqual(told, wanted | {"Name": "vol", "Options": None, "Scope": "local"})
        self.assert_prints(f"{self.place}/vol/_data", self.volume("inspect", "-f", "{{.Mountpoint}}", "vol"))
        result = self.volume("inspect", "vol", "none")
        self.refused_by_daemon("get none: no such volume", result)
        self.assertEqual(len(json.loads(result.out)), 1)

    def test_rm(self) -> None:
        self.refused_by_daemon("get none: no such volume", self.volume("rm", "none"))
        self.assert_prints("none", self.volume("rm", "-f", "none"))
        for name in ("one", "two", "three"):
            self.volume("create", name)
        result = self.assert_status(self.volume("rm", "one", "none", "two"), 1)
        self.assertEqual(result.out, "one\ntwo\n")
        self.assertEqual(self.names(), ["three"])
        self.assert_prints("three", self.volume("remove", "three"))
        self.assertEqual(list(self.place.iterdir()), [])

    def test_prune(self) -> None:
        nameless = self.volume("create").out.strip()
        self.volume("create", "named")
        self.volume("create", "--label", "a=b", "labelled")
        name = self.stay("-v", "used:/data")
        self.assert_prints(f"Deleted Volumes:\n{nameless}", self.volume("prune", "-f"))
        self.assert_prints("Deleted Volumes:\nlabelled", self.volume("prune", "--all", "-f", "--filter", "label=a=b"))
        self.assert_prints("Deleted Volumes:\nnamed", self.volume("prune", "-af"))
        self.assert_prints("", self.volume("prune", "-af"))
        self.assertEqual(self.names(), ["used"])
        self.assert_status(self.ours("rm", "-f", name))
        self.assert_prints("Deleted Volumes:\nused", self.volume("prune", "-af"))

    # -- in use

    def test_one_that_a_record_names_is_in_use(self) -> None:
        name = self.stay("-v", "vol:/data", "-v", "other:/other:ro", "-v", f"{self.folder}:/dir:ro")
        record = self.described(name)
        self.refused_by_daemon(IN_USE.format("vol", record["Id"]), self.volume("rm", "-f", "vol"))
        [volume] = [mount for mount in record["Mounts"] if mount.get("Name") == "vol"]
        wanted = {"Type": "volume", "Name": "vol", "Source": f"{self.place}/vol/_data", "Destination": "/data"}
        self.assertEqual(volume, wanted | {"Driver": "local", "Mode": "", "RW": True, "Propagation": ""})
        types = {mount["Destination"]: (mount["Type"], mount["RW"]) for mount in record["Mounts"]}
        self.assertEqual(types, {"/data": ("volume", True), "/other": ("volume", False), "/dir": ("bind", False)})
        for flags in ((), ("-a",)):
            told = self.assert_status(self.ours("ps", *flags, "--format", "{{.Mounts}}")).out
            self.assertEqual(sorted(told.strip().split(",")), sorted(["vol", "other", str(self.folder)]))
        self.assertEqual(self.names("-f", "dangling=true"), [])
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.refused_by_daemon(IN_USE.format("vol", record["Id"]), self.volume("rm", "vol"))
        self.assertIn("vol", self.ours("ps", "-a", "--format", "{{.Mounts}}").out)
        self.assert_status(self.ours("rm", "-v", name))
        self.assertEqual(self.names("-f", "dangling=1"), ["other", "vol"])
        self.assert_prints("vol\nother", self.volume("rm", "vol", "other"))

    def test_one_whose_monitor_was_killed_is_in_use_until_its_record_is_removed(self) -> None:
        name = self.stay("-v", "vol:/data")
        os.kill(self.state(name)["Pid"], 9)
        wait_until(lambda: self.state(name)["Status"] == "dead")
        self.assert_status(self.volume("rm", "vol"), 1)
        self.assert_status(self.ours("rm", name))
        self.assert_prints("vol", self.volume("rm", "vol"))

    def test_one_of_a_run_in_the_foreground_is_in_use(self) -> None:
        line = command("-v", "vol:/data", sh="echo ready; sleep 1000")
        process = self.start_ready(line, env=os.environ | self.env)
        self.refused_by_daemon(IN_USE.format("vol", "a run without --detach"), self.volume("rm", "vol"))
        self.assertEqual(self.names("-f", "dangling=true"), [])
        self.assert_prints("", self.volume("prune", "-af"))
        process.terminate()
        process.wait()
        self.assertEqual(self.names("-f", "dangling=true"), ["vol"])
        self.assert_prints("vol", self.volume("rm", "vol"))

    def test_a_sandbox_that_did_not_start_uses_none(self) -> None:
        self.assert_status(self.detached("-v", "vol:/data", argv=["/nowhere"]), 127)
        self.assert_prints("vol", self.volume("rm", "vol"))

    # -- at the same time

    def test_many_make_the_same(self) -> None:
        results = parallel(lambda n: self.once("-v", "vol:/data", sh=f"touch /data/{n}"), range(8), 8)
        self.assertEqual([result.status for result in results], 8 * [0], results)
        self.assert_prints("\n".join(map(str, range(8))), self.once("-v", "vol:/data", sh="ls /data"))
        self.assertEqual(sorted(os.listdir(self.place / "vol")), ["_data", "volume"])

    def test_many_remove_what_many_use(self) -> None:
        def either(n: int) -> Result:
            if n % 2:
                return self.volume("rm", "-f", "vol")
            return self.once("-v", "vol:/data", sh=f"echo a >/data/{n} && cat /data/{n}")

        for n, result in enumerate(parallel(either, range(40), 6)):
            if n % 2 == 0:
                self.assert_prints("a", self.assert_status(result))
            elif result.status:
                self.assertIn("volume is in use", result.err)
        self.assert_prints("vol", self.volume("rm", "-f", "vol"))
        self.assertEqual(list(self.place.iterdir()), [])

    def test_one_that_is_being_removed_is_waited_for(self) -> None:
        self.volume("create", "vol")
        with (self.place / "vol/volume").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = self.start_ready(["sh", "-c", 'echo ready; exec "$@"', "sh", *command("-v", "vol:/data", sh="ls /data")], env=os.environ | self.env)
            shutil.rmtree(self.place / "vol")
        self.assertEqual(process.wait(), 0, process.stderr.read())
        self.assertEqual(sorted(os.listdir(self.place / "vol")), ["_data", "volume"])

    def test_a_removal_that_was_killed_leaves_nothing_of_it(self) -> None:
        self.volume("create", "--label", "old", "vol")
        (self.place / "vol/_data").rmdir()
        self.assertEqual(self.names(), [])
        self.assert_status(self.volume("inspect", "vol"), 1)
        self.assert_prints("vol", self.volume("create", "vol"))
        self.assertEqual(self.names("-f", "label=old"), [])
        self.assertEqual(self.names(), ["vol"])

    # -- what a program leaves

    def test_removal_follows_no_link_and_goes_to_any_depth(self) -> None:
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "file").touch()
        deep = 'i=0; while [ $i -lt 1200 ]; do mkdir d && cd d || exit; i=$((i+1)); done; touch file'
        script = f"cd /data && ln -s {outside} link && ln -s {outside}/file file && mkfifo fifo && mkdir shut && touch shut/f && chmod 0 shut && mkdir deep && cd deep && {deep}"
        self.assert_status(self.once("-v", "vol:/data", sh=f"{script}; chmod 0 /data"))
        self.assert_prints("vol", self.volume("rm", "vol"))
        self.assertEqual(list(self.place.iterdir()), [])
        self.assertTrue((outside / "file").exists())

    def test_a_link_in_the_place_of_a_volume_is_not_followed(self) -> None:
        outside = self.folder / "outside"
        (outside / "_data").mkdir(parents=True)
        (outside / "volume").touch()
        (outside / "_data/file").touch()
        self.volume("create", "vol")
        shutil.rmtree(self.place / "vol")
        (self.place / "vol").symlink_to(outside)
        self.assert_refused(run("-v", "vol:/data", argv=["true"], env=self.env), "vol")
        self.assert_status(self.volume("rm", "vol"), 1)
        (self.place / "vol").unlink()
        self.volume("create", "vol")
        (self.place / "vol/_data").rmdir()
        (self.place / "vol/_data").symlink_to(outside)
        self.assert_refused(run("-v", "vol:/data", argv=["true"], env=self.env), "vol")
        self.assertTrue((outside / "_data/file").exists())

    def test_files_of_other_users_are_removed(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root has files of others")
        self.volume("create", "vol")
        data = self.place / "vol/_data"
        (data / "theirs").mkdir()
        (data / "theirs/file").touch()
        for path in (data / "theirs/file", data / "theirs", data):
            os.chown(path, 12345, 12345)
        (data / "theirs").chmod(0o1500)
        self.assert_prints("vol", self.volume("rm", "vol"))

    def test_the_directory_of_volumes_must_be_the_callers(self) -> None:
        self.place.mkdir(parents=True)
        self.place.chmod(0o777)
        self.assert_refused(run("-v", "vol:/data", argv=["true"], env=self.env), "must be yours alone")


ESCAPES = """
import fcntl, os, struct
folder = os.open("/d", os.O_RDONLY)
has = struct.unpack("IIIII8x", fcntl.ioctl(folder, 0x801C581F, bytes(28)))  # FS_IOC_FSGETXATTR
for flags, project in ((has[0], 0), (0, has[3])):
    try:
        fcntl.ioctl(folder, 0x401C5820, struct.pack("IIIII8x", flags, *has[1:3], project, has[4]))
    except OSError as error:
        print(error.strerror)
"""
FILLS = "head -c 3000000 /dev/zero >/d/f; for i in $(seq 1200); do true >/d/$i || exit 3; done"


class Sizes(Staying):
    """A volume has a size where the file system enforces it, and is refused elsewhere."""

    kernel = ("test_it_is_enforced",)
    as_user = ("test_it_is_refused_where_nothing_enforces_it",)

    def test_it_is_refused_where_nothing_enforces_it(self) -> None:
        for flags in (("--size", "1m"), ("-o", "size=1m")):
            result = self.ours("volume", "create", *flags, "vol")
            self.assert_refused(result, message("volume_quota_check_enforced"))
        self.assertEqual(list((self.folder / "state/glovebox/volumes").iterdir()), [])
        for flags in (("--size", "1"), ("-o", "size=many"), ("-o", "device=/x"), ("-o", "size")):
            self.assert_refused(self.ours("volume", "create", *flags, "vol"))
        self.assert_status(self.ours("volume", "create", "vol"))
        self.assert_refused(self.ours("volume", "create", "--size", "1m", "vol"), "exists with another size")

    def test_it_is_enforced(self) -> None:
        if not IS_ROOT or not shutil.which("mkfs.ext4", path="/usr/sbin:/sbin"):
            self.skipTest("cannot: only root, with mkfs.ext4, makes a file system with quotas")
        place = self.subfolder("disk")
        image = self.file("image")
        os.truncate(image, 64 << 20)
        mount = f"mount -o loop,prjquota {image} {place}"
        execute(["busybox", "modprobe", "loop"]) if shutil.which("busybox") else None
        made = execute(["/usr/sbin/mkfs.ext4", "-q", "-O", "project,quota", "-E", "quotatype=prjquota", str(image)])
        if made.status or execute(["unshare", "--mount", "sh", "-c", mount]).status:
            self.skipTest("cannot: this kernel mounts no ext4 with project quotas")
        (self.folder / "escapes.py").write_text(ESCAPES)
        script = f"""{mount}
            $G volume create --size 1m vol
            $G volume create -o size=1m vol
            $G volume inspect -f '{{{{json .Options}}}}' vol
            $G run -v vol:/d host sh -c '{FILLS}' 2>/dev/null || echo full $?
            stat -c %s {place}/glovebox/volumes/vol/_data/f
            $G run --security-opt seccomp=unconfined -v vol:/d -v {self.folder}/escapes.py:/e.py:ro host python3 /e.py
            $G run -v free:/d host sh -c '{FILLS}'
            stat -c %s {place}/glovebox/volumes/free/_data/f
            $G volume rm vol free
            ls {place}/glovebox/volumes"""
        env = {"XDG_STATE_HOME": str(place), "G": GLOVEBOX}
        result = self.assert_status(execute(["unshare", "--mount", "sh", "-ec", script], env=env))
        lines = result.out.splitlines()
        size = int(lines.pop(4))
        self.assertTrue(900_000 < size <= 1 << 20, result.out)
        escapes = 2 * ["Invalid argument"]
        self.assertEqual(lines, ["vol", "vol", '{"size":"1048576"}', "full 3", *escapes, "3000000", "vol", "free"])

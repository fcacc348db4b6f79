"""glovebox-image from outside: archives good and hostile, tags, verify, interruption.

Needs no network, no root and no mmdebstrap; every test has a store of its own.
"""

import fcntl
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import stat
import subprocess
import tarfile
import tempfile
import time
import unittest
from collections.abc import Callable

from support.messages import message, named, sentence
from support.run import GLOVEBOX, ROOT
from support.times import DEADLINE

PROGRAM = pathlib.Path(GLOVEBOX).resolve().with_name("glovebox-image")
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
OTHER_ARCH = {"amd64": "arm64", "arm64": "amd64"}[ARCH]


class Tar:
    """A tar archive put together entry by entry."""

    def __init__(self, mode: str = "w") -> None:
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode=mode, format=tarfile.PAX_FORMAT)

    def add(
        self,
        name: str,
        kind: bytes = tarfile.REGTYPE,
        data: bytes = b"",
        mode: int = 0o644,
        link: str = "",
    ) -> "Tar":
        info = tarfile.TarInfo(name)
        info.type = kind
        info.mode = mode
        info.linkname = link
        info.mtime = 1600000000
        info.uid = info.gid = 4711
        info.size = len(data) if kind == tarfile.REGTYPE else 0
        self.tar.addfile(info, io.BytesIO(data))
        return self

    def file(self, name: str, data: bytes = b"x", mode: int = 0o644) -> "Tar":
        return self.add(name, data=data, mode=mode)

    def dir(self, name: str, mode: int = 0o755) -> "Tar":
        return self.add(name, tarfile.DIRTYPE, mode=mode)

    def symlink(self, name: str, target: str) -> "Tar":
        return self.add(name, tarfile.SYMTYPE, link=target)

    def hardlink(self, name: str, target: str) -> "Tar":
        return self.add(name, tarfile.LNKTYPE, link=target)

    def bytes(self) -> bytes:
        self.tar.close()
        return self.buffer.getvalue()


def docker_save(
    layers: list[bytes], config: dict | None = None, tags: list[str] | None = None, arch: str = ARCH
) -> bytes:
    """What `docker save` wrote before version 25."""
    document = json.dumps({"architecture": arch, "os": "linux", "config": config or {}}).encode()
    name = hashlib.sha256(document).hexdigest() + ".json"
    tar = Tar()
    paths = []
    for layer in layers:
        paths.append(hashlib.sha256(layer).hexdigest() + "/layer.tar")
        tar.file(paths[-1], layer)
    tar.file(name, document)
    tar.file(
        "manifest.json",
        json.dumps(
            [
                {
                    "Config": name,
                    "RepoTags": tags if tags is not None else ["demo:1"],
                    "Layers": paths,
                }
            ]
        ).encode(),
    )
    return tar.bytes()


class Oci:
    """An OCI layout archive."""

    def __init__(self) -> None:
        self.tar = Tar().file("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        self.manifests: list[dict] = []

    def blob(self, data: bytes) -> dict:
        digest = hashlib.sha256(data).hexdigest()
        self.tar.file("blobs/sha256/" + digest, data)
        return {"digest": "sha256:" + digest, "size": len(data)}

    def image(self, layers: list[bytes], config: dict | None = None, arch: str = ARCH) -> "Oci":
        manifest = {
            "schemaVersion": 2,
            "config": self.blob(
                json.dumps({"architecture": arch, "config": config or {}}).encode()
            ),
            "layers": [self.blob(layer) for layer in layers],
        }
        entry = self.blob(json.dumps(manifest).encode())
        entry["platform"] = {"os": "linux", "architecture": arch}
        self.manifests.append(entry)
        return self

    def bytes(self) -> bytes:
        self.tar.file(
            "index.json", json.dumps({"schemaVersion": 2, "manifests": self.manifests}).encode()
        )
        return self.tar.bytes()


class ImageTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="glovebox-image-")
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.store = self.dir / "store"
        self.env = {**os.environ, "GLOVEBOX_IMAGES": str(self.store)}

    def image(self, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(PROGRAM), *args], input=stdin, env=self.env, capture_output=True, timeout=60
        )

    def ok(self, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
        result = self.image(*args, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def refused(self, *args: str, stdin: bytes = b"", says: str | re.Pattern[str] = "") -> str:
        result = self.image(*args, stdin=stdin)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, 125, text)
        last = text.splitlines()[-1]
        self.assertTrue(last.startswith("glovebox: "), text)
        self.assertRegex(last, named(says))
        return text

    def root(self, name: str = "x:latest") -> pathlib.Path:
        return (self.store / "tags" / name).resolve() / "rootfs"

    def document(self, name: str = "x:latest") -> dict:
        return json.loads((self.root(name).parent / "image.json").read_text())

    def imported(self, archive: bytes, name: str = "x:latest") -> pathlib.Path:
        self.ok("import", "-", name, stdin=archive)
        return self.root(name)

    def paths(self, root: pathlib.Path) -> list[str]:
        return sorted(str(p.relative_to(root)) for p in root.rglob("*"))

    def assert_store_clean(self, trees: int = 0) -> None:
        """Nothing half-made: no work directory, no tree beyond those expected."""
        self.assertEqual([p for p in os.listdir(self.store / "tmp") if p not in (".lock", ".bases", ".kept", ".layers", ".layers.lock")], [])
        self.assertEqual(len(os.listdir(self.store / "trees")), trees)


class PlainRoots(ImageTest):
    as_user = (
        "test_owners_of_the_archive_are_not_kept",
        "test_modes_let_everybody_read_and_only_the_owner_write",
        "test_missing_parents_are_made",
    )

    def test_a_list_that_cannot_be_written_is_an_error(self) -> None:
        for words in (["ls"], ["--help"], ["ls", "--help"]):
            with open("/dev/full", "wb") as file:
                command = [PROGRAM, *words]
                done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE)
            wanted = f"glovebox: {sentence('io_finish')}: No space left on device\n".encode()
            self.assertEqual((done.returncode, done.stderr), (125, wanted))

    def test_files_links_and_directories_arrive(self) -> None:
        root = self.imported(
            Tar()
            .dir("./")
            .dir("./bin")
            .file("./bin/tool", b"#!x", 0o755)
            .symlink("./tool", "bin/tool")
            .hardlink("./again", "bin/tool")
            .bytes()
        )
        self.assertEqual(self.paths(root), ["again", "bin", "bin/tool", "tool"])
        self.assertEqual((root / "tool").read_bytes(), b"#!x")
        self.assertEqual((root / "again").stat().st_ino, (root / "bin/tool").stat().st_ino)
        self.assertEqual((root / "bin/tool").stat().st_mtime, 1600000000)

    def test_compressed_roots_arrive(self) -> None:
        for mode in ("w:gz", "w:bz2", "w:xz"):
            with self.subTest(mode):
                self.assertEqual(self.paths(self.imported(Tar(mode).file("a").bytes())), ["a"])

    def test_names_beyond_ascii_arrive(self) -> None:
        root = self.imported(Tar().file("caf\u00e9/\u65e5\u672c").file("new\nline").bytes())
        self.assertEqual(self.paths(root), ["caf\u00e9", "caf\u00e9/\u65e5\u672c", "new\nline"])
        self.ok("verify", "x")

    def test_the_name_is_the_files_when_none_is_given(self) -> None:
        (self.dir / "my-root.tar").write_bytes(Tar().file("a").bytes())
        self.ok("import", str(self.dir / "my-root.tar"))
        self.assertTrue(self.root("my-root:latest").is_dir())

    def test_the_name_may_come_as_a_tag(self) -> None:
        content = Tar().file("a").bytes()
        self.ok("import", "-", "--tag", "z:1", stdin=content)
        self.ok("import", "--tag=z:2", "-", stdin=content)
        self.assertTrue(self.root("z:1").samefile(self.root("z:2")))
        self.refused("import", "-", "y", "--tag", "z:3", stdin=content, says="two names: --tag z:3 and y")

    def test_stdin_needs_a_name(self) -> None:
        self.refused("import", "-", stdin=Tar().file("a").bytes(), says="needs a name")
        self.assert_store_clean()

    def test_missing_parents_are_made(self) -> None:
        self.assertEqual(
            self.paths(self.imported(Tar().file("a/b/c").bytes())), ["a", "a/b", "a/b/c"]
        )

    def test_the_later_of_two_entries_wins(self) -> None:
        root = self.imported(
            Tar()
            .file("a", b"1")
            .file("a", b"2")
            .file("d/x")
            .file("d", b"3")
            .file("e")
            .dir("e")
            .file("e/y")
            .bytes()
        )
        self.assertEqual((root / "a").read_bytes(), b"2")
        self.assertEqual((root / "d").read_bytes(), b"3")
        self.assertTrue((root / "e/y").is_file())

    def test_modes_let_everybody_read_and_only_the_owner_write(self) -> None:
        root = self.imported(
            Tar()
            .dir("tmp", 0o1777)
            .file("private", mode=0o600)
            .file("tool", mode=0o700)
            .file("open", mode=0o666)
            .file("etc/shadow", mode=0o644)
            .bytes()
        )
        modes = {
            p: oct(stat.S_IMODE((root / p).stat().st_mode))
            for p in ("tmp", "private", "tool", "open", "etc/shadow")
        }
        self.assertEqual(
            modes,
            {
                "tmp": "0o755",
                "private": "0o644",
                "tool": "0o755",
                "open": "0o644",
                "etc/shadow": "0o600",
            },
        )

    def test_an_etc_without_hosts_gets_some(self) -> None:
        root = self.imported(Tar().file("etc/passwd").bytes())
        self.assertIn("127.0.0.1\tlocalhost", (root / "etc/hosts").read_text())
        self.assertEqual(stat.S_IMODE((root / "etc/hosts").stat().st_mode), 0o644)

    def test_hosts_of_the_archive_stay(self) -> None:
        root = self.imported(Tar().file("etc/hosts", b"mine").bytes())
        self.assertEqual((root / "etc/hosts").read_text(), "mine")
        root = self.imported(Tar().file("etc/x").symlink("etc/hosts", "/outside/hosts").bytes())
        self.assertEqual(self.paths(root), ["etc", "etc/hosts", "etc/x"])

    def test_hosts_are_made_in_the_root_wherever_etc_leads(self) -> None:
        root = self.imported(Tar().dir("usr/etc").symlink("etc", "/usr/etc").bytes())
        self.assertEqual(self.paths(root), ["etc", "usr", "usr/etc", "usr/etc/hosts"])
        for link in ("../../../../etc", "/nowhere"):
            root = self.imported(Tar().file("a").symlink("etc", link).bytes())
            self.assertEqual(self.paths(root), ["a", "etc"])

    def test_owners_of_the_archive_are_not_kept(self) -> None:
        self.assertEqual((self.imported(Tar().file("a").bytes()) / "a").stat().st_uid, os.geteuid())


class HostileRoots(ImageTest):
    def left_out(self, archive: bytes, says: str | re.Pattern[str]) -> pathlib.Path:
        result = self.ok("import", "-", "x", stdin=archive)
        self.assertRegex(result.stderr.decode(), named(says))
        return self.root()

    def test_names_with_dotdot_are_left_out(self) -> None:
        for name in ("../evil", "a/../../evil", "..", "a/.."):
            with self.subTest(name):
                self.left_out(Tar().file("ok").file(name).bytes(), message("place_set#leads"))
        self.assertEqual(list(self.dir.rglob("evil")), [])

    def test_absolute_names_are_left_out(self) -> None:
        target = self.dir / "evil"
        self.left_out(Tar().file("ok").file(str(target)).bytes(), "absolute")
        self.assertFalse(target.exists())

    def test_a_planted_symlink_leads_nowhere_outside(self) -> None:
        outside = self.dir / "outside"
        outside.mkdir()
        for target in (
            str(outside),
            "../" * 30 + str(outside)[1:],
            "/proc/self/cwd",
            "/proc/self/root",
        ):
            with self.subTest(target):
                self.ok("import", "-", "x", stdin=Tar().symlink("s", target).file("s/evil").bytes())
                self.assertEqual(list(outside.iterdir()), [])

    def test_a_symlink_over_which_a_file_is_written_is_replaced(self) -> None:
        outside = self.dir / "outside"
        outside.write_text("safe")
        root = self.imported(Tar().symlink("s", str(outside)).file("s", b"evil").bytes())
        self.assertEqual(outside.read_text(), "safe")
        self.assertFalse((root / "s").is_symlink())

    def test_links_inside_the_root_are_followed_as_at_run_time(self) -> None:
        root = self.imported(
            Tar().dir("usr/bin").symlink("bin", "/usr/bin").file("bin/tool").bytes()
        )
        self.assertTrue((root / "usr/bin/tool").is_file())

    def test_symlink_loops_are_left_out(self) -> None:
        self.left_out(
            Tar().file("ok").symlink("a", "b").symlink("b", "a").file("a/x").bytes(),
            "cannot be made",
        )

    def test_hard_links_to_outside_are_left_out(self) -> None:
        secret = self.dir / "secret"
        secret.write_text("secret")
        for target in (str(secret), "../" * 30 + str(secret)[1:], "missing", "d"):
            with self.subTest(target):
                root = self.left_out(Tar().dir("d").hardlink("h", target).bytes(), "hard link")
                self.assertFalse((root / "h").exists())

    def test_hard_links_through_planted_links_stay_inside(self) -> None:
        secret = self.dir / "secret"
        secret.write_text("secret")
        root = self.left_out(
            Tar().symlink("s", str(self.dir)).hardlink("h", "s/secret").bytes(), "hard link"
        )
        self.assertFalse((root / "h").exists())
        self.assertEqual(secret.stat().st_nlink, 1)

    def test_a_hard_link_to_itself_is_harmless(self) -> None:
        root = self.imported(Tar().file("a", b"1").hardlink("a", "a").bytes())
        self.assertEqual((root / "a").read_bytes(), b"1")

    def test_devices_fifos_are_left_out(self) -> None:
        root = self.left_out(
            Tar()
            .file("ok")
            .add("c", tarfile.CHRTYPE)
            .add("b", tarfile.BLKTYPE)
            .add("f", tarfile.FIFOTYPE)
            .bytes(),
            "a device",
        )
        self.assertEqual(self.paths(root), ["ok"])

    def test_setuid_and_setgid_are_cleared_and_counted(self) -> None:
        tar = Tar()
        for i in range(25):
            tar.file(f"su{i}", mode=0o6755)
        result = self.ok("import", "-", "x", stdin=tar.bytes())
        text = result.stderr.decode()
        self.assertEqual(text.count("cleared su"), 10)
        self.assertRegex(text, message("extract_report#cleared", 15))
        self.assertEqual(stat.S_IMODE((self.root() / "su3").stat().st_mode), 0o755)

    def test_lines_about_hostile_names_cannot_forge_output(self) -> None:
        result = self.ok(
            "import", "-", "x", stdin=Tar().file("ok").file("../a\nglovebox: \x1b[2Jfine").bytes()
        )
        self.assertNotIn("\x1b", result.stderr.decode())
        self.assertEqual(len(result.stderr.decode().splitlines()), 1)

    def test_an_archive_beyond_the_size_limit_is_refused(self) -> None:
        self.refused(
            "import",
            "--max-size",
            "1m",
            "-",
            "x",
            stdin=Tar("w:gz").file("a", bytes(3 << 20)).bytes(),
            says="--max-size",
        )
        self.assert_store_clean()

    def test_a_sparse_bomb_counts_in_full(self) -> None:
        header = tarfile.TarInfo("bomb")
        header.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "bomb",
            "GNU.sparse.realsize": str(1 << 50),
        }
        content = b"1\n0\n0\n".ljust(512, b"\0")
        header.size = len(content)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            tar.addfile(header, io.BytesIO(content))
        self.refused("import", "-", "x", stdin=buffer.getvalue())
        self.assert_store_clean()

    def test_too_deep_a_tree_is_refused_and_removed(self) -> None:
        tar = (
            Tar()
            .dir("/".join(["a"] * 150))
            .symlink("s", "/".join(["a"] * 150))
            .dir("s/" + "/".join(["b"] * 150))
        )
        self.refused("import", "-", "x", stdin=tar.bytes(), says="nested deeper")
        self.assert_store_clean()

    def test_names_too_long_are_left_out(self) -> None:
        self.left_out(
            Tar().file("ok").file("n" * 300).file("/".join(["d" * 200] * 30)).bytes(), "too long"
        )


class DamagedArchives(ImageTest):
    def test_garbage_is_refused(self) -> None:
        for data in (b"", b"garbage", os.urandom(5000), b"\x1f\x8b" + bytes(50)):
            with self.subTest(data[:8]):
                self.refused("import", "-", "x", stdin=data)
                self.assert_store_clean()

    def test_truncated_archives_are_refused(self) -> None:
        plain = Tar().file("a", os.urandom(100000)).bytes()
        for data in (plain[:50000], gzip.compress(plain)[:50000]):
            self.refused("import", "-", "x", stdin=data)
            self.assert_store_clean()

    def test_a_directory_is_refused_with_the_way(self) -> None:
        self.refused("import", str(self.dir), "x", says="is a directory")

    def test_a_missing_file_is_refused_without_side_effect(self) -> None:
        self.refused("import", "/nowhere/x.tar", "x", says="No such file")
        self.assertFalse(self.store.exists())


class Layers(ImageTest):
    lower = (
        Tar()
        .dir("etc")
        .file("etc/a", b"1")
        .file("etc/b")
        .file("d/x")
        .file("d/y")
        .file("gone/z")
        .bytes()
    )

    def test_layers_apply_in_order_with_whiteouts(self) -> None:
        upper = (
            Tar().file("etc/a", b"2").file("etc/.wh.b", b"").file(".wh.gone", b"").file("c").bytes()
        )
        self.ok("import", "-", stdin=docker_save([self.lower, upper]))
        root = self.root("demo:1")
        self.assertEqual(self.paths(root), ["c", "d", "d/x", "d/y", "etc", "etc/a", "etc/hosts"])
        self.assertEqual((root / "etc/a").read_bytes(), b"2")

    def test_an_opaque_directory_hides_only_lower_layers(self) -> None:
        for first in (True, False):
            tar = Tar().dir("d")
            if first:
                tar.file("d/.wh..wh..opq", b"")
            tar.file("d/new")
            if not first:
                tar.file("d/.wh..wh..opq", b"")
            root = self.imported(docker_save([self.lower, tar.bytes()]))
            self.assertEqual(self.paths(root / "d"), ["new"])

    def test_a_whiteout_and_the_new_file_in_one_layer(self) -> None:
        upper = Tar().file("etc/b", b"new").file("etc/.wh.b", b"").bytes()
        root = self.imported(docker_save([self.lower, upper]))
        self.assertEqual((root / "etc/b").read_bytes(), b"new")

    def test_whiteouts_cannot_reach_outside(self) -> None:
        victim = self.dir / "victim"
        victim.mkdir()
        (victim / "f").write_text("x")
        lower = Tar().symlink("s", str(victim)).file("keep").bytes()
        upper = (
            Tar()
            .file("s/.wh.f", b"")
            .file("s/.wh..wh..opq", b"")
            .file(".wh...", b"")
            .file(".wh..", b"")
            .bytes()
        )
        self.imported(docker_save([lower, upper]))
        self.assertTrue((victim / "f").exists())

    def test_a_layer_writes_through_a_lower_layers_directory_link(self) -> None:
        lower = Tar().dir("usr/bin").symlink("bin", "usr/bin").bytes()
        root = self.imported(docker_save([lower, Tar().file("bin/tool").bytes()]))
        self.assertTrue((root / "bin").is_symlink())
        self.assertTrue((root / "usr/bin/tool").is_file())

    def test_compressed_layers_apply(self) -> None:
        self.assertEqual(
            self.paths(self.imported(docker_save([gzip.compress(Tar().file("a").bytes())]))), ["a"]
        )

    def test_image_configuration_is_applied(self) -> None:
        config = {
            "Env": ["PATH=/x", 'A=\u00e9"\\'],
            "Cmd": ["python3", "-i"],
            "Entrypoint": ["/e"],
            "User": "app",
            "WorkingDir": "/w",
        }
        self.imported(docker_save([Tar().file("a").bytes()], config))
        self.assertEqual(self.document()["config"], config)

    def test_null_configuration_is_empty(self) -> None:
        self.imported(
            docker_save([Tar().file("a").bytes()], {"Cmd": None, "Env": None, "Entrypoint": None})
        )
        self.assertEqual(self.document()["config"]["Cmd"], [])

    def test_the_same_tree_with_another_configuration_is_another_image(self) -> None:
        layer = Tar().file("a").bytes()
        self.imported(docker_save([layer], {"Cmd": ["1"]}), "one:latest")
        self.imported(docker_save([layer], {"Cmd": ["2"]}), "two:latest")
        self.assertEqual(self.document("one:latest")["config"]["Cmd"], ["1"])
        self.assertEqual(self.document("two:latest")["config"]["Cmd"], ["2"])

    def test_an_archive_of_podman_or_skopeo_is_imported(self) -> None:
        layer = Tar().file("a", b"1").bytes()
        name = hashlib.sha256(layer).hexdigest()
        config = json.dumps({"architecture": ARCH, "config": {"User": "7"}}).encode()
        manifest = [{"Config": f"{'c' * 64}.json", "RepoTags": None, "Layers": [f"{name}.tar"]}]
        tar = Tar().file(f"{name}.tar", layer).file(f"{'c' * 64}.json", config)
        tar.symlink(f"{'d' * 64}/layer.tar", f"../{name}.tar")
        tar.file("manifest.json", json.dumps(manifest).encode()).file("repositories", b"{}")
        root = self.imported(tar.bytes())
        self.assertEqual(self.paths(root), ["a"])
        self.assertEqual(self.document()["config"]["User"], "7")

    def test_an_oci_archive_is_imported(self) -> None:
        archive = (
            Oci()
            .image(
                [gzip.compress(self.lower), Tar().file("etc/.wh.a", b"").bytes()], {"Cmd": ["c"]}
            )
            .bytes()
        )
        root = self.imported(archive)
        self.assertFalse((root / "etc/a").exists())
        self.assertEqual(self.document()["config"]["Cmd"], ["c"])

    def test_an_oci_index_yields_this_machines_image(self) -> None:
        archive = (
            Oci()
            .image([Tar().file("other").bytes()], arch=OTHER_ARCH)
            .image([Tar().file("mine").bytes()])
            .bytes()
        )
        self.assertEqual(self.paths(self.imported(archive)), ["mine"])

    def test_a_changed_oci_blob_is_refused(self) -> None:
        archive = Oci().image([Tar().file("a", b"unmistakable").bytes()]).bytes()
        self.refused(
            "import",
            "-",
            "x",
            stdin=archive.replace(b"unmistakable", b"UNMISTAKABLE"),
            says="damaged",
        )
        self.assert_store_clean()

    def test_another_architecture_is_refused(self) -> None:
        self.refused(
            "import",
            "-",
            "x",
            stdin=docker_save([self.lower], arch=OTHER_ARCH),
            says="this machine is",
        )

    def test_several_images_in_one_archive_are_refused(self) -> None:
        tar = Tar().file("manifest.json", json.dumps([{"Config": "a"}, {"Config": "b"}]).encode())
        self.refused("import", "-", "x", stdin=tar.bytes(), says="2 images")

    def test_damaged_documents_are_refused(self) -> None:
        for text in (
            b"",
            b"{",
            b"[]",
            b"{}",
            b"[1]",
            b'[{"Config":"c.json","Layers":5}]',
            b'[{"Config":"../../../etc/passwd","Layers":[]}]',
            b'[{"Config":7,"Layers":[]}]',
            b'[{"Layers":["/etc/passwd"]}]',
        ):
            with self.subTest(text):
                self.refused("import", "-", "x", stdin=Tar().file("manifest.json", text).bytes())
                self.assert_store_clean()

    def test_layer_paths_cannot_leave_the_archive(self) -> None:
        document = json.dumps({"config": {}}).encode()
        for path in ("/etc/passwd", "../../../../../../etc/passwd", "repositories"):
            tar = (
                Tar()
                .file("0" * 64 + ".json", document)
                .symlink("repositories", "/etc/passwd")
                .file(
                    "manifest.json",
                    json.dumps(
                        [{"Config": "0" * 64 + ".json", "RepoTags": None, "Layers": [path]}]
                    ).encode(),
                )
            )
            with self.subTest(path):
                self.refused("import", "-", "x", stdin=tar.bytes(), says="no file")

    def test_a_relative_working_directory_is_refused(self) -> None:
        self.refused(
            "import",
            "-",
            "x",
            stdin=docker_save([self.lower], {"WorkingDir": "w"}),
            says="WorkingDir",
        )


class Verify(ImageTest):
    def setUp(self) -> None:
        super().setUp()
        self.tree = self.imported(Tar().file("a", b"1").file("d/b", b"2").symlink("s", "a").bytes())

    def differs(self, *lines: str) -> None:
        result = self.image("verify", "x")
        self.assertEqual(result.returncode, 1, result.stderr)
        for line in lines:
            self.assertIn(line, result.stdout.decode().splitlines())

    def test_an_untouched_image_is_ok(self) -> None:
        self.assertIn(b"x:latest: ok", self.ok("verify").stdout)

    def test_a_changed_file_is_reported(self) -> None:
        (self.tree / "a").write_bytes(b"9")
        self.differs("changed rootfs/a")

    def test_an_added_file_is_reported(self) -> None:
        (self.tree / "d/new").write_bytes(b"")
        self.differs("added rootfs/d/new")

    def test_a_missing_file_is_reported(self) -> None:
        (self.tree / "d/b").unlink()
        self.differs("missing rootfs/d/b")

    def test_a_changed_mode_and_link_are_reported(self) -> None:
        (self.tree / "a").chmod(0o4755)
        (self.tree / "s").unlink()
        (self.tree / "s").symlink_to("b")
        self.differs("changed rootfs/a", "changed rootfs/s")

    def test_a_changed_configuration_is_reported(self) -> None:
        path = self.tree.parent / "image.json"
        path.write_text(path.read_text().replace('"Cmd":[]', '"Cmd":["evil"]'))
        self.differs("changed config")

    def test_a_changed_manifest_is_reported(self) -> None:
        path = self.tree.parent / "manifest"
        (self.tree / "a").write_bytes(b"9")
        path.write_text(path.read_text().replace("./rootfs/s", "./rootfs/t"))
        result = self.image("verify", "x")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"changed manifest", result.stdout)

    def test_many_differences_are_summed_up(self) -> None:
        for i in range(30):
            (self.tree / f"n{i}").write_bytes(b"")
        self.differs("and 10 more")

    def test_an_unknown_image_is_refused(self) -> None:
        self.refused("verify", "nothere", says='no image "nothere:latest"')


# In the place of skopeo: $ARCHIVE arrives, and the arguments are kept.
SKOPEO = """#!/bin/sh
echo "$@" >"$ARGUMENTS"
echo Copying blob
cat "$ARCHIVE" >/dev/fd/3
exit "$STATUS"
"""


class Pull(ImageTest):
    """Images of a registry, which skopeo asks."""

    def setUp(self) -> None:
        super().setUp()
        program = self.dir / "skopeo"
        program.write_text(SKOPEO)
        program.chmod(0o755)
        archive = self.dir / "archive"
        archive.write_bytes(docker_save([Tar().file("hello", b"hi").bytes()], {"User": "7"}, []))
        self.env |= {
            "PATH": f"{self.dir}:/usr/bin:/bin",
            "ARGUMENTS": str(self.dir / "arguments"),
            "ARCHIVE": str(archive),
            "STATUS": "0",
        }

    def asked(self) -> list[str]:
        return (self.dir / "arguments").read_text().split()

    def test_what_skopeo_brings_is_an_image(self) -> None:
        done = self.ok("pull", "docker.io/library/thing:2")
        self.assertIn(b"thing:2 sha256:", done.stdout)
        self.assertEqual(done.stderr, b"Copying blob\n")
        self.assertEqual((self.root("thing:2") / "hello").read_bytes(), b"hi")
        self.assertEqual(self.document("thing:2")["config"]["User"], "7")
        self.assertEqual(self.asked(), ["copy", "docker://thing:2", "docker-archive:/dev/fd/3"])
        self.assert_store_clean(trees=1)

    def test_what_a_registry_says_moves_no_cursor(self) -> None:
        evil = r"printf '\033[2J\033]0;owned\007\302\2335n blob\n'"
        (self.dir / "skopeo").write_text(f"#!/bin/sh\n{evil}\n{evil} >&2\nexit 1\n")
        said = self.refused("pull", "thing", says=message("fetched_check#could"))
        self.assertEqual(said.count("?[2J?]0;owned???5n blob\n"), 2, said)
        self.assertNotIn("\033", said)

    def test_flags(self) -> None:
        self.ok("pull", "-q", "localhost:5000/thing")
        self.assertEqual(self.asked()[1], "docker://localhost:5000/thing:latest")
        self.assertEqual(self.asked()[3:], ["--src-tls-verify=false", "--quiet"])
        self.refused("pull", "-a", "thing", says="--all-tags")
        self.refused("pull", "UPPER", says="lower case")
        self.refused("pull", "--max-size", "2k", "thing", says="--max-size")

    def test_what_skopeo_did_not_finish_is_no_image(self) -> None:
        self.env["STATUS"] = "1"  # behind an archive that looks whole
        self.refused("pull", "thing", says=message("fetched_check#could", "thing:latest"))
        self.assert_store_clean()

    def test_without_skopeo(self) -> None:
        (self.dir / "skopeo").unlink()
        self.env["PATH"] = str(self.dir)
        said = self.refused("pull", "thing", says="apt-get install skopeo")
        self.assertRegex(said, message("fetched_no_program#import"))
        self.assertNotIn("image pull", said)
        self.assert_store_clean()

    def test_skopeo_ends_with_a_pull_that_is_killed(self) -> None:
        (self.dir / "skopeo").write_text("#!/bin/sh\nexec sleep 4711\n")
        process = subprocess.Popen([str(PROGRAM), "pull", "thing"], env=self.env, stderr=subprocess.PIPE)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (pids := children.read_text().split()):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertRegex(said.decode(), message("main_run"))
        self.assertFalse(pathlib.Path(f"/proc/{pids[0]}").exists())
        self.assert_store_clean()


# "open sesame" as htpasswd -B writes it (bcrypt, the only kind that Debian's registry takes).
CREDENTIALS = "ada:$2b$04$GV2s3BD8XB4uPOvtOQ3b/eVxqi25.1xPz3.3gS.nDjCHf.jqm.mOe\n"


class Registry(ImageTest):
    """The same with skopeo itself and Debian's registry, on loopback."""

    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("skopeo") or not shutil.which("docker-registry"):
            self.skipTest("cannot: skopeo and docker-registry are not installed")
        (self.dir / ".config/containers").mkdir(parents=True)
        policy = {"default": [{"type": "insecureAcceptAnything"}]}
        (self.dir / ".config/containers/policy.json").write_text(json.dumps(policy))
        self.env |= {"HOME": str(self.dir), "XDG_RUNTIME_DIR": str(self.dir / "run")}
        with socket.create_server(("127.0.0.1", 0)) as chosen:
            self.at = f"127.0.0.1:{chosen.getsockname()[1]}"

    def serve(self, *pushing: str, **more: object) -> None:
        """Start a registry that has an image."""
        settings = more | {
            "version": 0.1,
            "storage": {"filesystem": {"rootdirectory": str(self.dir / "registry")}},
            "http": {"addr": self.at},
        }
        (self.dir / "registry.yml").write_text(json.dumps(settings))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        serve = ["docker-registry", "serve", self.dir / "registry.yml"]
        registry = subprocess.Popen(serve, **quiet)
        self.addCleanup(registry.wait)
        self.addCleanup(registry.kill)
        self.push(*pushing)

    def push(self, *flags: str) -> None:
        """Put an image there, as soon as somebody answers."""
        layer = Tar().file("hello", b"hi").bytes()
        ids = ["sha256:" + hashlib.sha256(layer).hexdigest()]
        config = {"architecture": ARCH, "os": "linux", "config": {"User": "7"}, "history": [{}]}
        document = json.dumps(config | {"rootfs": {"type": "layers", "diff_ids": ids}}).encode()
        manifest = [{"Config": "c.json", "RepoTags": ["thing:1"], "Layers": ["layer.tar"]}]
        tar = Tar().file("layer.tar", layer).file("c.json", document)
        archive = self.dir / "archive"
        archive.write_bytes(tar.file("manifest.json", json.dumps(manifest).encode()).bytes())
        command = ["skopeo", "copy", "--dest-tls-verify=false", *flags, f"docker-archive:{archive}"]
        command.append(f"docker://{self.at}/thing:1")
        end = time.monotonic() + DEADLINE
        while subprocess.run(command, env=self.env, capture_output=True, check=False).returncode:
            self.assertLess(time.monotonic(), end, "the registry does not answer")
            time.sleep(0.1)

    def test_an_image_is_fetched(self) -> None:
        self.serve()
        self.ok("pull", f"{self.at}/thing:1")
        name = f"{self.at}+thing:1"
        self.assertEqual((self.root(name) / "hello").read_bytes(), b"hi")
        self.assertEqual(self.document(name)["config"]["User"], "7")

    def test_one_for_which_skopeo_has_credentials(self) -> None:
        (self.dir / "htpasswd").write_text(CREDENTIALS)
        access = {"htpasswd": {"realm": "here", "path": str(self.dir / "htpasswd")}}
        self.serve("--dest-creds=ada:open sesame", auth=access)
        self.refused("pull", f"{self.at}/thing:1", says=message("fetched_check#could"))
        self.assert_store_clean()
        (self.dir / "run").mkdir(mode=0o700)
        login = ["skopeo", "login", "--tls-verify=false", "--username=ada", "--password-stdin", self.at]
        subprocess.run(login, env=self.env, input=b"open sesame", capture_output=True, check=True)
        self.ok("pull", f"{self.at}/thing:1")
        self.assertEqual((self.root(f"{self.at}+thing:1") / "hello").read_bytes(), b"hi")

    def test_what_is_not_there_or_was_changed_is_refused(self) -> None:
        self.serve()
        self.refused("pull", f"{self.at}/nothing", says=message("fetched_check#could"))
        for blob in (self.dir / "registry").rglob("blobs/*/*/*/data"):
            blob.write_bytes(blob.read_bytes()[:-3] + b"xyz")
        self.refused("pull", f"{self.at}/thing:1", says=message("fetched_check#could"))
        self.assert_store_clean()


class Tags(ImageTest):
    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.tree = self.imported(Tar().file("a").bytes())

    def test_a_tree_goes_with_its_last_tag(self) -> None:
        self.ok("tag", "x", "reg.example:5000/team/y:v1")
        self.ok("rm", "x")
        self.assertTrue(self.tree.is_dir())
        self.ok("rm", "reg.example:5000/team/y:v1")
        self.assertFalse(self.tree.exists())
        self.assert_store_clean()

    def test_the_names_that_remain_are_said(self) -> None:
        self.ok("tag", "x", "y:v1")
        self.ok("tag", "x", "z")
        self.imported(Tar().file("b").bytes(), "other:latest")
        self.assertEqual(self.ok("rm", "z").stdout, b"untagged z:latest; still here as x:latest, y:v1\n")
        self.assertEqual(self.ok("rm", "x").stdout, b"untagged x:latest; still here as y:v1\n")
        self.assertEqual(self.ok("rm", "y:v1").stdout, b"removed y:v1\n")

    def test_df_and_prune_of_everything(self) -> None:
        self.imported(Tar().file("b", b"x" * 300000).bytes(), "x:latest")  # the first has no name now
        kept = self.store / "tmp/.kept"
        kept.mkdir()
        (kept / ("0" * 64 + ".tar")).write_bytes(bytes(100000))
        (kept / ("0" * 64 + ".status")).write_text("x")
        layers = self.store / "tmp/.layers"  # what a RUN has changed
        layers.mkdir()
        (layers / ("1" * 64 + ".tar")).write_bytes(bytes(50000))
        rows = {line.split()[0]: line.split() for line in self.ok("df").stdout.decode().splitlines()[1:]}
        self.assertEqual([rows[name][1] for name in ("images", "untagged", "bases", "total")], ["1", "1", "2", "4"])
        self.assertRegex(rows["images"][2], "^3[0-9]{2}kB$")
        self.assertRegex(rows["bases"][2], "^1[0-9]{2}kB$")
        self.assertEqual(self.ok("prune").stdout, b"removed 1 untagged\n")
        for name, directory in ((".bases", kept), (".layers.lock", layers)):
            with (self.store / "tmp" / name).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH)
                self.refused("prune", "--bases", says=message("leftovers_lock#bases"))
            self.assertTrue(os.listdir(directory))
        (kept / ("0" * 64 + ".tar")).write_bytes(bytes(100000))
        said = self.ok("prune", "--all", "--bases").stdout.decode()
        self.assertRegex(said, r"removed x:latest\nremoved 0 untagged\nremoved 2 bases \(1..kB\)\n")
        self.assertEqual(os.listdir(kept) + os.listdir(layers), [])
        self.assert_store_clean()

    def test_what_is_used_is_not_pruned(self) -> None:
        tar = Tar().symlink("bin", "usr/bin").symlink("lib", "usr/lib").symlink("lib64", "usr/lib64").dir("usr")
        self.imported(tar.bytes(), "used:1")
        self.ok("tag", "used:1", "used:2")
        words = [GLOVEBOX, "run", "--memory", "0", "--cpus", "0", "--pids-limit", "0", "-i", "-v", "/usr:/usr:ro", "used:1", "sh", "-c", "echo on; cat"]
        with subprocess.Popen(words, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sandbox:
            self.assertEqual(sandbox.stdout.readline(), b"on\n")
            self.assertEqual(
                self.ok("prune", "-af").stdout.decode().splitlines(),
                ["kept used:1, which is in use", "kept used:2, which is in use", "removed x:latest", "removed 0 untagged"],
            )
            self.imported(Tar().file("b").bytes(), "used:1")
            self.imported(Tar().file("b").bytes(), "used:2")
            self.assertEqual(self.ok("prune").stdout, b"removed 0 untagged; 1 stays, in use\n")
            self.assertEqual(sandbox.communicate(b"still")[0], b"still")
        self.assertEqual(sandbox.returncode, 0)
        self.assertEqual(self.ok("prune").stdout, b"removed 1 untagged\n")

    def test_a_quota_bounds_the_store(self) -> None:
        more = Tar().file("b", b"x" * 300000).bytes()
        self.assertIn("200kB", self.ok("df", "--quota", "200000").stdout.decode())
        self.refused("import", "-", "y", stdin=more, says="its quota is 200kB")
        self.assert_store_clean(trees=1)
        self.ok("tag", "x", "y")
        self.ok("import", "-", "x", stdin=Tar().file("a").bytes())
        self.assertNotIn("quota", self.ok("df", "--quota", "0").stdout.decode())
        self.ok("import", "-", "y", stdin=more)

    def test_two_at_once_do_not_evade_the_quota(self) -> None:
        self.ok("df", "--quota", "500000")
        both = [
            subprocess.Popen([str(PROGRAM), "import", "-", name], env=self.env, stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for name in "yz"
        ]  # fmt: skip
        for n, process in enumerate(both):
            tar = Tar().file("b", bytes([n]) * 300000).bytes()
            process.stdin.write(tar[:300000])
            process.stdin.flush()
        self.until(lambda: len(os.listdir(self.store / "tmp")) == 3, "their work directories")
        with (self.store / "tmp/.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for n, process in enumerate(both):
                process.stdin.write(Tar().file("b", bytes([n]) * 300000).bytes()[300000:])
                process.stdin.close()
            for process in both:
                self.until(lambda pid=process.pid: self.waits_for_a_lock(pid), "both wait for the lock")
        said = [process.stderr.read().decode() for process in both]
        self.assertEqual(sorted(process.wait() for process in both), [0, 125], said)
        self.assertIn("its quota is 500kB", said[0] + said[1])
        self.assert_store_clean(trees=2)

    def until(self, seen: Callable[[], bool], what: str) -> None:
        """Wait for what comes of itself."""
        end = time.monotonic() + 60
        while not seen():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    @staticmethod
    def waits_for_a_lock(pid: int) -> bool:
        """Tell whether a process is in flock(2)."""
        lines = pathlib.Path("/proc/locks").read_text().splitlines()
        return any("->" in line and line.split()[5] == str(pid) for line in lines)

    def test_a_damaged_image_does_not_keep_the_others(self) -> None:
        self.imported(Tar().file("b").bytes(), "whole:1")
        (self.tree.parent / "image.json").write_text("{")
        self.assertEqual(self.ok("prune", "-af").stdout, b"removed whole:1\nremoved x:latest\nremoved 0 untagged\n")
        self.assert_store_clean()

    def test_removal_follows_no_link(self) -> None:
        victim = self.dir / "victim"
        victim.mkdir()
        (victim / "f").write_text("x")
        self.imported(Tar().symlink("v", str(victim)).bytes(), "y:latest")
        self.ok("rm", "y")
        self.assertTrue((victim / "f").exists())

    def test_the_same_content_is_kept_once(self) -> None:
        self.imported(Tar().file("a").bytes(), "y:latest")
        self.assert_store_clean(trees=1)

    def test_a_tag_moves_to_the_new_image(self) -> None:
        result = self.ok("import", "-", "x", stdin=Tar().file("b").bytes())
        self.assertTrue((self.root() / "b").exists())
        self.assertIn("--untagged", result.stderr.decode())
        self.assertTrue(self.tree.is_dir())
        self.assertIn("removed 1", self.ok("rm", "--untagged").stdout.decode())
        self.assertFalse(self.tree.exists())
        self.assert_store_clean(trees=1)

    def test_host_may_be_tagged_but_not_replaced(self) -> None:
        self.ok("tag", "host", "code-sandbox")
        self.refused("tag", "x", "host")
        self.refused("rm", "host")
        self.refused("import", "-", "host", stdin=Tar().file("a").bytes())
        self.assertIn("code-sandbox", self.ok("ls").stdout.decode())
        self.ok("rm", "code-sandbox")

    def test_unknown_and_malformed_names_are_refused(self) -> None:
        self.refused("rm", "nothere", says="image ls")
        self.refused("tag", "nothere", "y", says='"nothere:latest"')
        for name in ("UPPER", "../x", "a//b", "", "x:", "x:..", "x@sha256:" + "0" * 64, "a" * 300):
            with self.subTest(name):
                self.refused("tag", "x", name, says="not valid")

    def test_ls_lists_host_and_images(self) -> None:
        lines = self.ok("ls").stdout.decode().splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "TAG", "ID", "CREATED", "SIZE", "SHARED", "OWNER"])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["host", "x"])

    def test_ls_json_is_valid(self) -> None:
        rows = json.loads(self.ok("ls", "--json").stdout)
        self.assertEqual([row["reference"] for row in rows], ["host:latest", "x:latest"])
        self.assertEqual(rows[1]["root"], str(self.tree))

    def test_a_damaged_image_is_named_and_can_be_removed(self) -> None:
        (self.tree.parent / "image.json").write_text("{")
        self.refused("ls", says="x:latest is damaged")
        self.ok("rm", "x")
        self.assert_store_clean()


class Interruption(ImageTest):
    as_user = ("test_what_a_kill_left_goes_with_the_next_import",)

    def start(self) -> subprocess.Popen:
        """An import that waits for the rest of its archive, with some of it unpacked."""
        process = subprocess.Popen(
            [str(PROGRAM), "import", "-", "x"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.env,
        )
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdin.write(Tar().file("a", bytes(1 << 20)).bytes()[: 1 << 19])
        process.stdin.flush()
        deadline = time.monotonic() + 10
        while not list(self.store.glob("tmp/*/spool")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return process

    def test_a_signal_leaves_nothing(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                process = self.start()
                process.send_signal(number)
                self.assertEqual(process.wait(10), 128 + number)
                self.assert_store_clean()

    def test_what_a_kill_left_goes_with_the_next_import(self) -> None:
        process = self.start()
        process.kill()
        process.wait()
        self.assertEqual(os.listdir(self.store / "trees"), [])
        self.imported(Tar().file("a").bytes())
        self.assert_store_clean(trees=1)

    def test_the_work_of_a_living_import_is_left_alone(self) -> None:
        self.start()
        before = set(os.listdir(self.store / "tmp"))
        self.imported(Tar().file("a").bytes())
        self.assertEqual(set(os.listdir(self.store / "tmp")), before)


class Sharing(ImageTest):
    """Which images other users may reach: the mode of the directory around each tree."""

    as_user = ("test_a_new_image_is_closed", "test_a_shared_name_stays_shared")

    def mode(self, name: str = "x:latest") -> int:
        return stat.S_IMODE(self.root(name).parent.stat().st_mode)

    def test_a_new_image_is_closed(self) -> None:
        self.imported(Tar().file("a").bytes())
        self.assertEqual(self.mode(), 0o700)
        self.assertEqual(stat.S_IMODE((self.store / "trees").stat().st_mode), 0o711)
        self.assertEqual(self.ok("share", "x").stdout, b"shared x:latest\n")
        self.assertEqual(self.mode(), 0o755)
        self.assertEqual(self.ok("share", "--off", "x").stdout, b"closed x:latest\n")
        self.assertEqual(self.mode(), 0o700)

    def test_lists_say_it(self) -> None:
        self.imported(Tar().file("a").bytes())
        self.imported(Tar().file("b").bytes(), "y:latest")
        self.ok("share", "y")
        listed = json.loads(self.ok("ls", "--json").stdout)
        shared = {image["reference"]: image["shared"] for image in listed}
        self.assertEqual(shared, {"host:latest": True, "x:latest": False, "y:latest": True})
        rows = [line.split() for line in self.ok("ls").stdout.decode().splitlines()]
        self.assertEqual([(row[0], row[-2]) for row in rows], [("NAME", "SHARED"), ("host", "yes"), ("x", "no"), ("y", "yes")])

    def test_a_shared_name_stays_shared(self) -> None:
        self.imported(Tar().file("a").bytes())
        self.ok("share", "x")
        said = self.ok("import", "-", "x:latest", stdin=Tar().file("b").bytes()).stderr.decode()
        self.assertRegex(said, message("store_set_tag#2"))
        self.assertEqual(self.mode(), 0o755)
        self.ok("share", "--off", "x")
        said = self.ok("import", "-", "x:latest", stdin=Tar().file("c").bytes()).stderr.decode()
        self.assertNotIn("shared", said)
        self.assertEqual(self.mode(), 0o700)

    def test_an_image_whose_tag_is_not_set_stays_closed(self) -> None:
        self.imported(Tar().file("a").bytes())
        self.imported(Tar().file("b").bytes(), "y:latest")
        self.ok("share", "x")
        (self.store / "tmp/.tag/in-the-way").mkdir(parents=True)
        self.refused("tag", "y", "x", says="tag x:latest")
        self.assertEqual(self.mode("y:latest"), 0o700)

    def test_all_names_of_an_image_are_one(self) -> None:
        self.imported(Tar().file("a").bytes())
        self.ok("tag", "x", "y")
        self.ok("share", "x", "y")
        self.ok("share", "--off", "y")
        self.assertEqual(self.mode(), 0o700)

    def test_what_cannot_be_shared(self) -> None:
        self.ok("tag", "host", "mine")
        for name in ("host", "mine"):
            self.refused("share", name, says=message("tree_mode_open#host"))
        self.refused("share", "nothere", says='no image "nothere:latest"')
        self.refused("share", says="usage: glovebox image share")


class CommandLine(ImageTest):
    def test_every_command_has_help(self) -> None:
        names = [
            line.split()[0]
            for line in self.ok("--help").stdout.decode().splitlines()
            if line.startswith("  ")
        ]
        self.assertEqual(names, ["build", "df", "import", "load", "ls", "prune", "pull", "rm", "save", "share", "tag", "verify", "inspect"])
        for name in names:
            self.assertIn(f"Usage: glovebox image {name}", self.ok(name, "--help").stdout.decode())

    def test_bad_words_are_named(self) -> None:
        self.refused("frobnicate", says="frobnicate")
        self.refused("ls", "--frob", says="--frob")
        self.refused("rm", says="usage")
        self.refused("import", "--max-size", "much", "x.tar", says="--max-size")
        self.refused("import", "--max-size", says="needs an argument")

    def test_bad_recipes_are_refused_before_anything_is_made(self) -> None:
        recipe = self.dir / "r.json"
        for text, says in (
            ('{"atp": []}', '"atp"'),
            ('{"apt": ["-oEvil=1"]}', "Debian package"),
            ('{"base": "./r.json"}', "bases"),
            ("{", "JSON"),
            ('{"suite": "-x"}', "suite"),
        ):
            with self.subTest(text):
                recipe.write_text(text)
                self.refused("build", str(recipe), says=says)
        self.refused("build", "nothere", says='no recipe "nothere": there are code-interpreter, python, slim;')
        self.refused("build", "pyhton", says='did you mean "python"?')
        self.refused("build", "slim", "--pip", "--index-url=http://evil", says="not a package")
        self.assertFalse(self.store.exists())

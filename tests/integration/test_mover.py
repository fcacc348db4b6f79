"""The mover (runtime/mover): files as a tar stream, from and to Python's tarfile, and from strangers."""

import ctypes
import errno
import io
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import tarfile
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, ROOT, run
from support.times import DEADLINE

MOVER = Path(GLOVEBOX).resolve().parent.parent / "guest/mover"
DONE, FAILED, USAGE, LEFT_OUT, NO_ROOM = range(5)
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
WHEN = 1_000_000_000
RENAME_EXCHANGE = 2
END = bytes(1024)


def mover(*args: str | bytes | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the mover to its end."""
    return subprocess.run([MOVER, *args], input=stdin, capture_output=True, timeout=DEADLINE, check=False)


def header(name: bytes, size: int = 0, kind: bytes = b"0", link: bytes = b"", **fields: bytes) -> bytes:
    """Return a header block as no library would write it; `fields` replace what is at their place."""
    places = {"mode": 100, "length": 124, "mtime": 136, "magic": 257, "prefix": 345, "checksum": 148}
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = b"%011o\0" % size
    block[136:148] = b"%011o\0" % WHEN
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257:265] = b"ustar\00000"
    for field, value in fields.items():
        block[places[field] : places[field] + len(value)] = value
    if "checksum" not in fields:
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(data: bytes) -> bytes:
    """Return data with what fills its last block."""
    return data + bytes(-len(data) % 512)


def member(name: bytes, data: bytes = b"", kind: bytes = b"0", link: bytes = b"", **fields: bytes) -> bytes:
    """Return a header with its data."""
    return header(name, len(data), kind, link, **fields) + padded(data)


def pax(*records: bytes) -> bytes:
    """Return a pax header with these "key=value"."""
    data = b""
    for record in records:
        length = next(n for n in range(len(record) + 3, len(record) + 12) if n == len(b"%d %s\n" % (n, record)))
        data += b"%d %s\n" % (length, record)
    return member(b"PaxHeader", data, b"x")


def library_tar(format_: int, add: Callable[[tarfile.TarFile], None]) -> bytes:
    """Return what tarfile writes in a format."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format_) as tar:
        add(tar)
    return stream.getvalue()


def read_tar(data: bytes) -> dict[str, tarfile.TarInfo]:
    """Return what tarfile reads, by name."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {info.name: info for info in tar}


def tree(top: Path) -> dict[bytes, tuple[object, ...]]:
    """Return all there is to compare below a directory, and of itself but its name."""
    found = {}
    for folder, folders, files in os.walk(os.fsencode(top)):
        for name in [b"", *folders, *files]:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            content: object = None
            if stat.S_ISREG(st.st_mode):
                content = Path(os.fsdecode(path)).read_bytes()
            elif stat.S_ISLNK(st.st_mode):
                content = os.readlink(path)
            found[os.path.relpath(path, os.fsencode(top))] = (st.st_mode, int(st.st_mtime), content)
    return found


def contents(top: Path) -> dict[bytes, tuple[object, ...]]:
    """Return the same without the times."""
    return {name: (mode, content) for name, (mode, _, content) in tree(top).items()}


class MoverCase(unittest.TestCase):
    """A test with a directory to unpack into, `self.inside`, and one beside it that stays as it is."""

    maxDiff = 4000

    def setUp(self) -> None:
        """Make both; every path from inside that leads out leads to what is looked at in the end."""
        self.folder = Path(tempfile.mkdtemp(prefix="mover-"))
        self.addCleanup(self.remove)
        self.inside = self.folder / "inside"
        self.outside = self.folder / "outside"
        self.inside.mkdir()
        (self.outside / "sub").mkdir(parents=True)
        (self.outside / "file").write_bytes(b"untouched")

    def remove(self) -> None:
        """Remove the folder with what is in it, whatever its modes are; rm can with any depth."""
        subprocess.run(["chmod", "-R", "u+rwx", self.folder], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def start(self, args: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start the mover; it ends, at the latest, with the test."""
        process = subprocess.Popen([MOVER, *args], **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_ends(self, result: subprocess.CompletedProcess[bytes], status: int = DONE) -> str:
        """Assert how it ended, and that it said so in lines of its own."""
        said = result.stderr.decode()
        self.assertEqual(result.returncode, status, said)
        self.assertEqual(bool(said), status != DONE, said)
        for line in said.splitlines():
            self.assertRegex(line, r"^(failed|left out|usage): [ -~]+$")
        self.assertLessEqual(said.count("\n"), 102)
        return said

    def put(self, data: bytes, status: int = DONE) -> str:
        """Unpack a tar; what is outside stays as it was."""
        before = tree(self.outside)
        said = self.assert_ends(mover("put", self.inside, stdin=data), status)
        self.assertEqual(tree(self.outside), before)
        return said

    def get(self, path: str | bytes | Path, *name: str, status: int = DONE) -> bytes:
        """Return the tar of what is at a path."""
        result = mover("get", path, *name)
        self.assert_ends(result, status)
        return result.stdout

    def inside_names(self) -> set[str]:
        """Return the names of all that was unpacked."""
        return {os.fsdecode(name) for name in tree(self.inside)} - {"."}

    def make_tree(self) -> Path:
        """Make a directory with a file, an empty one, a large one, directories and links."""
        top = self.folder / "tree"
        (top / "a/b").mkdir(parents=True)
        (top / "empty").mkdir()
        (top / "a/b/file").write_bytes(b"hello\n")
        (top / "a/none").write_bytes(b"")
        (top / "large").write_bytes(random.Random(1).randbytes(300_001))
        for size in (511, 512, 513, 32767, 32768, 65535, 65536, 65537):
            (top / f"size{size}").write_bytes(b"x" * size)
        (top / "a/link").symlink_to("../large")
        (top / "out").symlink_to("/etc/passwd")
        (top / "a/none").chmod(0o400)
        (top / "a/b").chmod(0o555)
        for number, path in enumerate([*top.rglob("*"), top]):
            os.utime(path, (0, WHEN + number), follow_symlinks=False)
        for path in (top / "a/b", top / "a", top / "empty", top):
            os.utime(path, (0, WHEN))
        return top


class RoundTrip(MoverCase):
    """What one has written the other reads."""

    def test_tarfile_reads_what_get_writes(self) -> None:
        top = self.make_tree()
        with tarfile.open(fileobj=io.BytesIO(self.get(top))) as tar:
            infos = tar.getmembers()
            tar.extractall(self.inside)
        self.assertEqual(contents(self.inside / "tree"), contents(top))  # it keeps no time of a link
        for info in infos:
            self.assertEqual(info.mtime, int((self.folder / info.name).lstat().st_mtime))
        self.assertEqual({(info.uid, info.gid, info.uname, info.gname) for info in infos}, {(0, 0, "", "")})

    def test_put_reads_what_tarfile_writes(self) -> None:
        top = self.make_tree()
        for name, format_ in FORMATS.items():
            with self.subTest(name):
                self.put(library_tar(format_, lambda tar, name=name: tar.add(top, name)))
                self.assertEqual(tree(self.inside / name), tree(top))

    def test_put_reads_what_get_writes(self) -> None:
        top = self.make_tree()
        self.put(self.get(top, "x/y/z"))
        self.assertEqual(tree(self.inside / "x/y/z"), tree(top))

    def test_old_tars(self) -> None:
        old = {"magic": bytes(8), "prefix": b"not a prefix"}
        self.put(member(b"d/", kind=b"\0", mode=b"0000755", **old) + member(b"d/f", b"data", b"\0", **old) + END)
        self.assertEqual((self.inside / "d/f").read_bytes(), b"data")
        self.assertEqual(self.inside_names(), {"d", "d/f"})

    def test_any_byte_in_names_and_links(self) -> None:
        top = self.folder / "tree"
        top.mkdir()
        for byte in set(range(1, 256)) - {ord("/"), ord(".")}:
            for name in (bytes([byte]), b"a" * 90 + bytes([byte])):
                path = os.path.join(os.fsencode(top), name)
                with open(path, "wb") as file:
                    file.write(name)
                os.symlink(name, path + b"-link")
        self.put(self.get(top, "mover"))
        self.assertEqual(tree(self.inside / "mover"), tree(top))
        with tarfile.open(fileobj=io.BytesIO(self.get(top, "library"))) as tar:
            tar.extractall(self.inside)
        self.assertEqual(contents(self.inside / "library"), contents(top))  # it keeps no time of a link
        for name, format_ in FORMATS.items():
            self.put(library_tar(format_, lambda tar, name=name: tar.add(top, name)))
            self.assertEqual(tree(self.inside / name), tree(top))

    def test_names_of_each_length(self) -> None:
        top = self.folder / "t"
        for length in [*range(96, 104), *range(150, 160), 253, 254, 255]:
            folder = top / ("d" * length)
            folder.mkdir(parents=True)
            for rest in [1, *range(96, 104), 255]:
                (folder / ("f" * rest)).write_bytes(b"%d" % rest)
            (folder / "l").symlink_to("l/" * length)
        data = self.get(top)
        self.assertEqual(set(read_tar(data)), {"t", *(os.fsdecode(b"t/" + name) for name in tree(top) if name != b".")})
        self.put(data)
        self.assertEqual(tree(self.inside / "t"), tree(top))

    def test_the_longest_path(self) -> None:
        name = "/".join(["p" * 254] * 16) + "/" + "q" * 10 + "/last"
        name += "x" * (4095 - len(name))
        self.assertEqual(len(name), 4095)
        data = library_tar(tarfile.PAX_FORMAT, lambda tar: tar.addfile(tarfile.TarInfo(name)))
        self.put(data)
        found = read_tar(self.get(str(self.inside) + "/" + name.partition("/")[0], name.partition("/")[0]))
        self.assertIn(name, found)
        self.put(pax(b"path=" + name.encode() + b"x") + member(b"x") + END, FAILED)
        self.put(member(b"L", b"x" * 4096, b"L") + member(b"x") + END, FAILED)
        self.put(member(b"", b"y" * 256, b"L") + member(b"x") + END, FAILED)

    def test_what_is_longer_is_left_out(self) -> None:
        here = os.open(self.inside, os.O_RDONLY | os.O_DIRECTORY)
        for _ in range(18):
            os.mkdir("p" * 250, dir_fd=here)
            deeper = os.open("p" * 250, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = deeper
        os.close(here)
        self.assertEqual(len(read_tar(self.get(self.inside, status=LEFT_OUT))), 1 + 4095 // 251)

    def test_deep_trees(self) -> None:
        (self.folder / "/".join("d" * 255)).mkdir(parents=True)
        data = self.get(self.folder / "d")
        self.assertEqual(len(read_tar(data)), 255)
        self.put(data)
        self.assertEqual(tree(self.inside / "d"), tree(self.folder / "d"))
        (self.folder / "/".join("d" * 257)).mkdir(parents=True)
        self.assertEqual(len(read_tar(self.get(self.folder / "d", status=LEFT_OUT))), 256)

    def test_deeper_trees_are_unpacked(self) -> None:
        name = "/".join("a" * 2000)
        self.put(library_tar(tarfile.GNU_FORMAT, lambda tar: tar.addfile(tarfile.TarInfo(name))))
        depth = 0
        here = os.open(self.inside, os.O_RDONLY | os.O_DIRECTORY)
        while stat.S_ISDIR(os.stat("a", dir_fd=here).st_mode):
            deeper = os.open("a", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = deeper
            depth += 1
        os.close(here)
        self.assertEqual(depth, 1999)

    def test_times(self) -> None:
        for mtime in (0, 1, -1, -12345, WHEN, 8**11 - 1, 8**11, 10_000_000_000, WHEN + 0.25, -1.75):
            for name in ("gnu", "pax"):
                with self.subTest(mtime, format=name):
                    info = tarfile.TarInfo("f")
                    info.mtime = mtime if name == "pax" else int(mtime)
                    self.put(library_tar(FORMATS[name], lambda tar, info=info: tar.addfile(info)))
                    ns = int(info.mtime * 1_000_000_000)
                    self.assertEqual((self.inside / "f").stat().st_mtime_ns, ns)
                    self.assertEqual(read_tar(self.get(self.inside / "f"))["f"].mtime, ns // 1_000_000_000)

    def test_modes(self) -> None:
        data = b"".join(member(b"%o" % mode, mode=b"%07o" % (mode | 0o7000)) for mode in range(0o1000))
        self.put(data + END)
        for mode in range(0o1000):
            self.assertEqual(stat.S_IMODE((self.inside / f"{mode:o}").stat().st_mode), mode)
        (self.inside / "777").chmod(0o6777)
        self.assertEqual(read_tar(self.get(self.inside / "777"))["777"].mode, 0o777)

    def test_directories_without_rights(self) -> None:
        data = b"".join(
            member(b"d%o/" % mode, kind=b"5", mode=b"%07o" % mode) + member(b"d%o/f" % mode) for mode in (0, 0o555, 0o7070)
        )
        self.put(data + END)
        for mode in (0, 0o555, 0o070):
            name = "d7070" if mode == 0o070 else f"d{mode:o}"
            st = (self.inside / name).stat()
            self.assertEqual((stat.S_IMODE(st.st_mode), st.st_mtime), (mode, WHEN))

    def test_a_large_sparse_file(self) -> None:
        with (self.folder / "sparse").open("wb") as file:
            file.truncate(1 << 28)
            file.seek(200_000_000)
            file.write(b"data")
        with subprocess.Popen([MOVER, "get", self.folder / "sparse"], stdout=subprocess.PIPE) as getting:
            subprocess.run([MOVER, "put", self.inside], stdin=getting.stdout, timeout=DEADLINE, check=True)
        self.assertEqual(getting.returncode, DONE)
        st = (self.inside / "sparse").stat()
        self.assertEqual(st.st_size, 1 << 28)
        self.assertLess(st.st_blocks * 512, 1 << 24)
        with (self.inside / "sparse").open("rb") as file:
            file.seek(199_999_999)
            self.assertEqual(file.read(6), b"\0data\0")


class Get(MoverCase):
    """What is written for which path."""

    def names(self, path: str | Path, *name: str) -> list[str]:
        """Return the names in the tar, as they stand there."""
        data = self.get(path, *name)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return [info.name + ("/" if data[info.offset_data - 512 :].split(b"\0")[0].endswith(b"/") else "") for info in tar]

    def setUp(self) -> None:
        """Make a directory with a file, and links to both."""
        super().setUp()
        (self.inside / "d").mkdir()
        (self.inside / "d/f").write_bytes(b"data")
        (self.inside / "link").symlink_to("d")

    def test_names_of_the_top(self) -> None:
        for path, name, expected in (
            ("d", (), ["d/", "d/f"]),
            ("d/", (), ["d/", "d/f"]),
            ("d/.", (), ["./", "./f"]),
            ("d/f", (), ["f"]),
            ("d/f", ("x/y",), ["x/y"]),
            ("d", ("x//",), ["x/", "x/f"]),
            ("d/.", ("x",), ["x/", "x/f"]),
            ("link/.", (), ["./", "./f"]),
            ("link/", (), ["link/", "link/f"]),
            ("d/../d/..", (), ["./"]),
        ):
            with self.subTest(path, name=name):
                found = self.names(f"{self.inside}/{path}", *name)
                self.assertEqual(found[: len(expected)], expected)

    def test_a_link_is_not_followed(self) -> None:
        info = read_tar(self.get(self.inside / "link"))["link"]
        self.assertEqual((info.type, info.linkname), (tarfile.SYMTYPE, "d"))

    def test_what_is_not_there_fails(self) -> None:
        self.assertTrue(self.assert_ends(mover("get", self.inside / "none"), FAILED).endswith("none: No such file or directory\n"))
        self.assert_ends(mover("get", f"{self.inside}/d/f/."), FAILED)
        self.assert_ends(mover("get", ""), FAILED)
        self.assert_ends(mover("get", self.inside, ""), FAILED)

    def test_a_file_with_several_names_is_written_once(self) -> None:
        (self.inside / "d/f").write_bytes(b"x" * 100_000)
        long = "n" * 150
        for name in ("d/g", f"d/{long}", "h"):
            os.link(self.inside / "d/f", self.inside / name)
        (self.folder / "to").mkdir()
        data = self.get(f"{self.inside}/.")
        self.assertLess(len(data), 110_000)
        self.assert_ends(mover("put", self.folder / "to", stdin=data))
        for folder in (self.folder / "to", self.folder / "library"):
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                tar.extractall(self.folder / "library")
            self.assertEqual((folder / "h").stat().st_nlink, 4)
            self.assertEqual((folder / "d/f").read_bytes(), b"x" * 100_000)

    def test_more_files_with_several_names_than_are_remembered(self) -> None:
        for number in range(4200):
            (self.inside / f"d/a{number}").write_bytes(b"%d" % number)
            os.link(self.inside / f"d/a{number}", self.inside / f"d/b{number}")
        (self.folder / "to").mkdir()
        self.assert_ends(mover("put", self.folder / "to", stdin=self.get(f"{self.inside}/.")))
        self.assertEqual(contents(self.folder / "to/d"), contents(self.inside / "d"))

    def test_devices_fifos_and_sockets_are_left_out(self) -> None:
        for number in range(150):
            os.mkfifo(self.inside / f"d/fifo{number}")
        os.mknod(self.inside / "d/socket", stat.S_IFSOCK | 0o600)
        result = mover("get", self.inside / "d")
        lines = self.assert_ends(result, LEFT_OUT).splitlines()
        self.assertEqual(len(lines), 101)
        self.assertRegex(lines[0], "fifo|socket")
        self.assertIn(" 51 ", lines[-1])
        self.assertEqual(set(read_tar(result.stdout)), {"d", "d/f"})
        self.assert_ends(mover("get", "/dev/null"), FAILED)

    def test_reasons_are_the_c_librarys(self) -> None:
        rows = re.findall(r'\{(E[A-Z]+), +"(.+?)" *\}', (ROOT / "runtime/mover/reason.c").read_text())
        self.assertGreater(len(rows), 20)
        self.assertEqual([(name, os.strerror(getattr(errno, name))) for name, _ in rows], rows)

    def test_a_name_on_stderr_is_one_line(self) -> None:
        os.mkfifo(self.inside / "d/a\nb\x1b[2J\\")
        self.assertIn(r"a\012b\033[2J\134", self.assert_ends(mover("get", self.inside / "d"), LEFT_OUT))

    def test_what_cannot_be_read_is_left_out(self) -> None:
        shutil.copy(MOVER, self.folder / "mover")
        self.folder.chmod(0o755)
        (self.inside / "d/secret").write_bytes(b"x")
        (self.inside / "d/secret").chmod(0)
        (self.inside / "d/closed").mkdir(mode=0)
        user = {"user": 1234, "group": 1234, "extra_groups": []} if IS_ROOT else {}
        command = ["./mover", "get", "inside/d"]  # as another user, who may not come from above
        result = subprocess.run(command, cwd=self.folder, capture_output=True, check=False, timeout=DEADLINE, **user)
        said = self.assert_ends(result, LEFT_OUT)
        self.assertEqual(len(said.splitlines()), 2)
        self.assertEqual(set(read_tar(result.stdout)), {"d", "d/f"})

    def change_while_read(self, change: Callable[[Path], None]) -> tuple[bytes, int]:
        """Change a file of 1 MiB after its header is written and before its data are; return the tar and the status."""
        path = self.inside / "d/f"
        path.write_bytes(b"x" * (1 << 20))
        with subprocess.Popen([MOVER, "get", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as process:
            self.addCleanup(process.kill)
            assert process.stdout
            start = process.stdout.read(512)
            change(path)
            rest = b"".join(iter(lambda: process.stdout.read(65536), b""))
        return start + rest, process.returncode

    def test_a_file_that_shrinks(self) -> None:
        data, status = self.change_while_read(lambda path: os.truncate(path, 0))
        self.assertEqual(status, LEFT_OUT)
        self.assertEqual(len(data), 512 + (1 << 20) + 1024)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            content = tar.extractfile("f").read()
        self.assertEqual(content.lstrip(b"x"), bytes(len(content.lstrip(b"x"))))
        self.assertTrue(content.endswith(bytes(1 << 19)))

    def test_a_file_that_grows(self) -> None:
        def grow(path: Path) -> None:
            with path.open("ab") as file:
                file.write(b"y" * (1 << 20))

        data, status = self.change_while_read(grow)
        self.assertEqual(status, DONE)
        self.assertEqual(data[512:], b"x" * (1 << 20) + END)

    def test_a_reader_that_is_gone(self) -> None:
        read_end, write_end = os.pipe()
        os.close(read_end)
        for sink, statuses in ((os.fdopen(write_end, "wb"), (-signal.SIGPIPE, FAILED)), (open("/dev/full", "wb"), (NO_ROOM,))):
            with sink as out:
                process = self.start(["get", str(self.inside)], stdout=out, stderr=subprocess.DEVNULL)
                self.assertIn(process.wait(DEADLINE), statuses)

    def test_into_a_file(self) -> None:
        (self.inside / "d/f").write_bytes(b"x" * 500_000)
        for mode in ("wb", "ab"):
            path = self.folder / mode
            with path.open(mode) as out:
                subprocess.run([MOVER, "get", self.inside / "d"], stdout=out, timeout=DEADLINE, check=True)
            self.assertEqual(read_tar(path.read_bytes())["d/f"].size, 500_000)

    def test_pipes_that_do_not_block(self) -> None:
        (self.inside / "d/f").write_bytes(os.urandom(3_000_000))
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        os.set_blocking(write_end, False)
        (self.folder / "to").mkdir()
        with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb") as sink:
            putting = self.start(["put", str(self.folder / "to")], stdin=source)
            getting = self.start(["get", str(self.inside / "d")], stdout=sink)
        self.assertEqual((getting.wait(DEADLINE), putting.wait(DEADLINE)), (DONE, DONE))
        self.assertEqual(tree(self.folder / "to/d"), tree(self.inside / "d"))


class Stat(MoverCase):
    """What is at a path."""

    def fields(self, path: str | Path) -> list[str]:
        """Return the fields of the line."""
        result = mover("stat", path)
        self.assert_ends(result)
        self.assertEqual(result.stdout.count(b"\n"), 1)
        return result.stdout.decode().split()

    def test_each_type(self) -> None:
        (self.inside / "f \n").write_bytes(b"four")
        (self.inside / "f \n").chmod(0o4751)
        (self.inside / "link").symlink_to("f \n")
        (self.inside / "out").symlink_to(self.inside)
        os.mkfifo(self.inside / "fifo", 0o600)
        os.utime(self.inside / "f \n", (0, -5))
        self.assertEqual(self.fields(self.inside / "f \n"), ["file", "4751", "4", "-5", b"f \n".hex()])
        link = self.fields(self.inside / "link")
        self.assertEqual((link[0], link[4], link[5]), ("link", b"link".hex(), b"f \n".hex()))
        self.assertEqual(self.fields(self.inside)[0], "dir")
        self.assertEqual(self.fields(self.inside / "fifo")[0], "other")
        self.assertEqual(self.fields("/")[4], b".".hex())
        followed = self.fields(f"{self.inside}/out/")
        self.assertEqual((followed[0], followed[4]), ("dir", b"out".hex()))

    def test_what_is_not_there(self) -> None:
        result = mover("stat", self.inside / "none")
        self.assert_ends(result, FAILED)
        self.assertEqual(result.stdout, b"")

    def test_usage(self) -> None:
        for words in ("", "get", "put", "stat", "put a b c", "stat a b", "get a b c", "ge a", "gets a", "a"):
            with self.subTest(words):
                self.assert_ends(mover(*words.split()), USAGE)


class Put(MoverCase):
    """What becomes of what is there already."""

    def test_names(self) -> None:
        data = b"".join(member(name, name) for name in (b"/abs", b"//e/f", b"./g//h", b"i/./j", b"k/.", b"...", b"..x/y.."))
        self.put(data + member(b"./", kind=b"5", mode=b"0000000\0") + member(b"/", kind=b"5") + END)
        self.assertEqual(self.inside_names(), {"abs", "e", "e/f", "g", "g/h", "i", "i/j", "k", "...", "..x", "..x/y.."})
        self.assertNotEqual(stat.S_IMODE(self.inside.stat().st_mode), 0)

    def test_a_file_is_replaced(self) -> None:
        (self.inside / "f").write_bytes(b"old and longer")
        os.link(self.inside / "f", self.inside / "other")
        self.put(member(b"f", b"new") + END)
        self.assertEqual((self.inside / "f").read_bytes(), b"new")
        self.assertEqual((self.inside / "other").read_bytes(), b"old and longer")

    def test_a_directory_stays(self) -> None:
        (self.inside / "d").mkdir()
        (self.inside / "d/old").touch()
        (self.inside / "d").chmod(0o700)
        self.put(member(b"d/", kind=b"5", mode=b"0000777") + member(b"d/new") + END)
        self.assertEqual(self.inside_names(), {"d", "d/old", "d/new"})
        self.assertEqual(stat.S_IMODE((self.inside / "d").stat().st_mode), 0o700)
        for kind, link in ((b"0", b""), (b"2", b"x"), (b"1", b"d/old")):
            self.put(member(b"d", kind=kind, link=link) + END, FAILED)
        self.assertTrue((self.inside / "d/old").exists())

    def test_a_link_is_replaced_and_never_followed(self) -> None:
        for kind, link in ((b"0", b""), (b"2", b"new"), (b"5", b""), (b"1", b"target")):
            with self.subTest(kind):
                (self.inside / "target").write_bytes(b"t")
                (self.inside / "link").symlink_to(self.outside / "file")
                self.put(member(b"link", kind=kind, link=link) + END)
                self.assertNotEqual((self.inside / "link").resolve(), (self.outside / "file").resolve())
                subprocess.run(["rm", "-r", self.inside / "link"], check=True)

    def test_hard_links(self) -> None:
        (self.inside / "there").write_bytes(b"before")
        data = member(b"d/a", b"data") + member(b"b", kind=b"1", link=b"d/a") + member(b"c", kind=b"1", link=b"/./there")
        self.put(data + member(b"b", kind=b"1", link=b"b") + member(b"d/a", kind=b"1", link=b"b") + END)
        self.assertTrue((self.inside / "b").samefile(self.inside / "d/a"))
        self.assertEqual((self.inside / "c").read_bytes(), b"before")
        self.put(member(b"x", kind=b"1", link=b"none") + END, FAILED)
        self.assertFalse((self.inside / "x").exists())

    def test_what_is_no_file_is_left_out_and_the_rest_unpacked(self) -> None:
        for number, (kind, extra) in enumerate({
            b"3": b"", b"4": b"", b"6": b"", b"S": b"", b"Q": padded(b"data"), b"V": b"",
        }.items()):  # fmt: skip
            with self.subTest(kind):
                said = self.put(header(b"odd", len(extra) and 4, kind) + extra + member(b"f%d" % number) + END, LEFT_OUT)
                self.assertIn(": odd", said)
                self.assertTrue((self.inside / f"f{number}").exists())
                self.assertFalse((self.inside / "odd").exists())

    def test_sparse_files_are_left_out(self) -> None:
        sparse = bytearray(header(b"odd", 4, b"S"))
        sparse[482] = 1
        sparse[148:156] = b" " * 8
        sparse[148:156] = b"%06o\0 " % sum(sparse)
        more = bytes(504) + b"\1" + bytes(7)
        data = bytes(sparse) + more + bytes(512) + padded(b"data") + member(b"f1")
        data += pax(b"GNU.sparse.major=1", b"GNU.sparse.name=odd") + member(b"GNUSparseFile.0/odd", b"1\n") + member(b"f2")
        self.put(data + END, LEFT_OUT)
        self.assertEqual(self.inside_names(), {"f1", "f2"})

    def test_what_goes_before_a_member(self) -> None:
        data = member(b"", b"17 path=elsewhere\n", b"g") + member(b"plain", b"1")
        data += pax(b"comment=x", b"path=named", b"size=3", b"mtime=5.5") + header(b"x", 0) + padded(b"abc")
        data += pax(b"path=named", b"path=") + member(b"taken-back")
        data += member(b"", b"long\0rest", b"L") + pax(b"atime=1") + member(b"x", b"4")
        data += member(b"", b"target", b"K") + member(b"link", kind=b"2", link=b"x") + member(b"last", b"5")
        self.put(data + END)
        self.assertEqual(self.inside_names(), {"plain", "named", "taken-back", "long", "link", "last"})
        self.assertEqual((self.inside / "named").read_bytes(), b"abc")
        self.assertEqual((self.inside / "named").stat().st_mtime, 5.5)
        self.assertEqual(os.readlink(self.inside / "link"), "target")
        self.assertEqual((self.inside / "last").stat().st_mtime, WHEN)

    def test_nothing_but_what_was_asked_for(self) -> None:
        (self.inside / "other").write_bytes(b"untouched")
        wanted = member(b"./want/", kind=b"5", mode=b"0000755") + member(b"want/f", b"1") + member(b"want/h", kind=b"1", link=b"want/f")
        self.assert_ends(mover("put", self.inside, "want", stdin=member(b"./", kind=b"5") + wanted + END))
        names = self.inside_names()
        self.assertEqual(names, {"other", "want", "want/f", "want/h"})
        for more in (
            member(b"other", b"x"), member(b"new"), member(b"wanted"), member(b"wan"), member(b"other/want"), member(b"a/../want"),
            member(b"want/h2", kind=b"1", link=b"other"), member(b"other", kind=b"2", link=b"want"), pax(b"path=other") + member(b"want/f"),
        ):  # fmt: skip
            self.assert_ends(mover("put", self.inside, "want", stdin=wanted + more + END), FAILED)
            self.assertEqual(self.inside_names(), names)
            self.assertEqual((self.inside / "other").read_bytes(), b"untouched")

    def test_the_stream_is_read_to_its_end(self) -> None:
        for start in (END, b"x" * 512, member(b"../x")):
            with subprocess.Popen([MOVER, "put", self.inside], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                assert process.stdin
                process.stdin.write(start + bytes(5_000_000))  # BrokenPipeError if it is not
                process.stdin.close()
                self.assertEqual(process.wait(DEADLINE), DONE if start == END else FAILED)
        self.assert_ends(mover("put", self.inside / "none", stdin=bytes(5_000_000)), FAILED)

    def test_a_limit_for_files_is_an_error(self) -> None:
        limited = ["prlimit", "--fsize=100000", MOVER, "put", self.inside]
        result = subprocess.run(limited, input=member(b"f", b"x" * 200_000) + END, capture_output=True, timeout=DEADLINE, check=False)
        self.assertIn(" f: File too large", self.assert_ends(result, FAILED))

    def test_few_descriptors_are_enough_for_a_flat_tree(self) -> None:
        limited = ["prlimit", "--nofile=16", MOVER, "put", self.inside]
        data = b"".join(member(b"a/b/%d/f" % number) for number in range(100)) + END
        self.assert_ends(subprocess.run(limited, input=data, capture_output=True, timeout=DEADLINE, check=False))


def hostile() -> Iterator[tuple[str, bytes, int]]:
    """Yield tars with what they are, and how the mover ends. None changes what is outside."""
    out = b"../outside"
    yield "a name with ..", member(out + b"/new") + END, FAILED
    yield ".. in the middle", member(b"a/../../outside/file", b"x") + END, FAILED
    yield ".. at the end", member(b"a/..", kind=b"5") + END, FAILED
    yield ".. in a prefix", member(b"outside/file", b"x", prefix=b"..") + END, FAILED
    yield ".. in pax", pax(b"path=" + out + b"/file") + member(b"a", b"x") + END, FAILED
    yield ".. in a long name", member(b"", out + b"/file", b"L") + member(b"a", b"x") + END, FAILED
    yield "through a link of its own", member(b"l", kind=b"2", link=out) + member(b"l/file", b"x") + END, FAILED
    yield "through an absolute one", member(b"l", kind=b"2", link=b"/tmp") + member(b"l/x/y", b"x") + END, FAILED
    yield "through a link to a link", b"".join((
        member(b"a", kind=b"2", link=b"."), member(b"b", kind=b"2", link=b"a/.."), member(b"b/outside/file", b"x"), END)), FAILED  # fmt: skip
    yield "a directory instead of a link", b"".join((
        member(b"l", kind=b"2", link=out), member(b"l/", kind=b"5", mode=b"0000777"), member(b"l/file", b"x"), END)), DONE  # fmt: skip
    yield "a link for a directory", b"".join((
        member(b"d/", kind=b"5"), member(b"d", kind=b"2", link=out), member(b"d/file", b"x"), END)), FAILED  # fmt: skip
    yield "a file over a link", member(b"l", kind=b"2", link=out + b"/file") + member(b"l", b"x") + END, DONE
    yield "a hard link out", member(b"h", kind=b"1", link=out + b"/file") + member(b"h", b"x") + END, FAILED
    yield "a hard link through a link", b"".join((
        member(b"l", kind=b"2", link=out), member(b"h", kind=b"1", link=b"l/file"), END)), FAILED  # fmt: skip
    yield "a hard link to a link", b"".join((
        member(b"l", kind=b"2", link=out + b"/file"), member(b"h", kind=b"1", link=b"l"), member(b"h", b"x"), END)), DONE  # fmt: skip
    yield "a hard link to a directory", member(b"d", kind=b"5") + member(b"h", kind=b"1", link=b"d") + END, FAILED
    yield "a hard link without a target", member(b"h", kind=b"1") + END, FAILED
    yield "a hard link to the directory itself", member(b"h", kind=b"1", link=b"./") + END, FAILED
    yield "a link to nothing", member(b"l", kind=b"2") + END, FAILED
    yield "a file without a name", member(b"", b"x") + END, FAILED
    yield "a file named .", member(b".", b"x") + END, FAILED
    yield "a file with a slash is a directory", member(b"f/", b"x" * 600) + member(b"g") + END, DONE
    yield "a NUL in a pax name", pax(b"path=a\0b") + member(b"f") + END, FAILED
    yield "a part of 256 bytes", pax(b"path=" + b"x" * 256) + member(b"f") + END, FAILED
    yield "a pax header of a gibibyte", header(b"p", 1 << 30, b"x") + bytes(100_000), FAILED
    yield "a pax header of 65537 bytes", header(b"p", 65537, b"x") + bytes(100_000), FAILED
    yield "a long name of 8 EiB", header(b"p", 0, b"L", length=b"\x80\0\0\0" + b"\x7f" + b"\xff" * 7) + bytes(100_000), FAILED
    for number, record in enumerate((
        b"x", b"5", b"5 ", b"5 a=b\n", b"7 a=b\n", b"0 a=b\n", b"6 a=b\n6 ", b"99999999999999999999 a=b\n", b"-6 a=b\n", b"5 ab\n",
        b"12 size=-10\n", b"11 size=0x1\n", b"27 size=9223372036854775808\n", b"11 mtime=a\n", b"14 mtime=1.2x\n", b"10 mtime=\x00\n",
        b"6 a=b\n" + bytes(10), b"4 =\n" + b"3 \n",
    )):  # fmt: skip
        yield f"malformed pax {number}", member(b"", record, b"x") + member(b"f") + END, FAILED
    yield "a checksum", member(b"f", checksum=b"0000001\0") + END, FAILED
    yield "no octal checksum", member(b"f", checksum=b"99999999") + END, FAILED
    yield "no octal size", member(b"f", length=b"12345678901\0") + END, FAILED
    yield "no octal mode", member(b"f", mode=b"abcdefg\0") + END, FAILED
    yield "no octal time", member(b"f", mtime=b"0x\0") + END, FAILED
    yield "a negative size", member(b"f", length=b"\xff" * 12) + END, FAILED
    yield "a size of 2^63", member(b"f", length=b"\x80\0\0\0\x80" + bytes(7)) + END, FAILED
    yield "a size of 2^95", member(b"f", length=b"\x80" + b"\xff" * 11) + END, FAILED
    yield "a size of 2^63 - 1", member(b"f", length=b"\x80\0\0\0\x7f" + b"\xff" * 7) + END, FAILED
    yield "the same, of an unknown type", member(b"f", kind=b"Q", length=b"\x80\0\0\0\x7f" + b"\xff" * 7) + END, FAILED
    yield "a time of 2^63 - 1", member(b"f", mtime=b"\x80\0\0\0\x7f" + b"\xff" * 7) + END, DONE
    yield "a time of -2^63", member(b"f", mtime=b"\xff\xff\xff\xff\x80" + bytes(7)) + END, DONE
    yield "a pax time beyond", pax(b"mtime=-9223372036854775807.999999999999") + member(b"f") + END, DONE
    yield "text", b"This is no tar.\n" * 100, FAILED
    yield "nothing", b"", FAILED
    yield "half a block", b"x" * 100, FAILED
    yield "zeros for long", bytes(20_000_000), DONE
    yield "rubbish behind the end", member(b"f") + END + os.urandom(10_000), DONE
    yield "pax headers for long", pax(b"path=x") * 5000 + member(b"f") + END, DONE
    yield "nothing behind a pax header", pax(b"path=x") + END, DONE
    yield "a sparse map without an end", header(b"s", 0, b"S") [:482] + b"\1" + bytes(29), FAILED
    yield "500 devices", b"".join(member(b"\x1b[2J\n%d" % i, kind=b"3") for i in range(500)) + END, LEFT_OUT


class Hostile(MoverCase):
    """Tars that no library writes."""

    def test_each(self) -> None:
        for what, data, status in hostile():
            with self.subTest(what):
                shutil.rmtree(self.inside)
                self.inside.mkdir()
                self.put(data, status)

    def test_links_that_are_there(self) -> None:
        (self.inside / "l").symlink_to(self.outside)
        (self.inside / "up").symlink_to("..")
        (self.inside / "proc").symlink_to("/proc/self/fd/0")
        for name in (b"l/new", b"l/sub/new", b"up/outside/new", b"up/new", b"proc/x"):
            self.put(member(name, b"x") + END, FAILED)
        self.put(member(b"h", kind=b"1", link=b"l/file") + END, FAILED)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"inside", "outside"})

    def test_links_lead_out_without_the_walk(self) -> None:
        """Of tar(1), which is told to enter them."""
        (self.inside / "l").symlink_to(self.outside)
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", self.inside], input=member(b"l/new", b"x") + END, check=True)
        self.assertTrue((self.outside / "new").exists())

    def sample(self) -> bytes:
        """Return a tar with a member of each kind."""
        return b"".join((
            member(b"d/", kind=b"5", mode=b"0000500"), member(b"d/f", b"x" * 700), member(b"", b"L" * 300, b"L"), member(b"n", b"y"),
            pax(b"path=p/q", b"mtime=1.5"), member(b"m", b"z" * 1025), member(b"l", kind=b"2", link=b"../outside"),
            member(b"h", kind=b"1", link=b"d/f"), END,
        ))  # fmt: skip

    def test_cut_anywhere(self) -> None:
        data = self.sample()
        last = len(data) - 1024 + 512
        for cut in sorted({*range(0, last, 97), *range(0, last, 512), *range(511, last, 512), *range(1, last, 512)}):
            with self.subTest(cut):
                self.put(data[:cut], FAILED)

    def test_random_changes(self) -> None:
        data = self.sample()
        source = random.Random(1)
        for number in range(300):
            changed = bytearray(data)
            for _ in range(source.randint(1, 8)):
                changed[source.randrange(len(changed))] = source.choice((0, 0x2E, 0x2F, 0x37, 0x80, 0xFF, source.randrange(256)))
            for block in range(0, len(changed), 512):  # as a stranger would, who wants to be read
                if changed[block + 257 : block + 262] == b"ustar":
                    changed[block + 148 : block + 156] = b" " * 8
                    changed[block + 148 : block + 156] = b"%06o\0 " % sum(changed[block : block + 512])
            with self.subTest(number):
                before = tree(self.outside)
                result = mover("put", self.inside, stdin=bytes(changed))
                self.assertIn(result.returncode, (DONE, FAILED, LEFT_OUT), result.stderr)
                self.assertEqual(tree(self.outside), before)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"inside", "outside"})


class Race(MoverCase):
    """Somebody changes the directory meanwhile."""

    def test_a_directory_that_becomes_a_link(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        there = os.open(self.inside, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, there)
        (self.inside / "d/sub").mkdir(parents=True)
        (self.inside / "other").symlink_to(self.outside)
        data = b"".join(member(b"d/sub/%d" % number, b"x") + member(b"e%d" % number) for number in range(300)) + END
        over = threading.Event()
        swaps = 0

        def swap() -> None:
            nonlocal swaps
            while not over.is_set():
                swaps += libc.renameat2(there, b"d", there, b"other", RENAME_EXCHANGE) == 0

        thread = threading.Thread(target=swap)
        thread.start()
        before = tree(self.outside)
        try:
            for _ in range(60):
                result = mover("put", self.inside, stdin=data)
                self.assertIn(result.returncode, (DONE, FAILED))
        finally:
            over.set()
            thread.join()
        self.assertEqual(tree(self.outside), before)
        self.assertGreater(swaps, 0)


class Inside(Case):
    """With the rights of a sandbox's program, under its filter."""

    def test_both_ways(self) -> None:
        data = member(b"d/", kind=b"5", mode=b"0000555") + member(b"d/f", b"x" * 100_000) + member(b"d/f2", kind=b"1", link=b"d/f")
        data += member(b"d/f", b"new") + member(b"l", kind=b"2", link=b"d/f") + member(b"h", kind=b"1", link=b"d/f2") + END
        script = "mkdir /tmp/o && /data/mover put /tmp/o && /data/mover get /tmp/o/. && /data/mover stat /tmp/o/l >&2"
        result = run("-i", "-v", f"{MOVER}:/data/mover:ro", sh=script, stdin=data)
        self.assert_status(result)
        found = read_tar(result.stdout)
        self.assertEqual(set(found), {".", "./d", "./d/f", "./d/f2", "./l", "./h"})
        self.assertEqual((found["./d/f"].size, found["./h"].size, found["./d"].mode), (3, 100_000, 0o555))
        self.assertIn("link 777 3 ", result.err)


if __name__ == "__main__":
    unittest.main()

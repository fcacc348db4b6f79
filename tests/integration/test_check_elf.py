"""Each property that tools/check-elf promises is missed in a program that lacks it."""

import os
import struct
import subprocess
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, ROOT, TESTING, execute

# Uses a buffer on its stack, and prints.
SOURCE = r"""
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[64] = "";

	strncat(text, argv[argc - 1], sizeof(text) - 1);
	fprintf(stderr, "%s %d\n", text, argc);
	return 0;
}
"""
COMPILE = "-O2 -g -fPIE -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
LINK = "-static-pie -Wl,-z,relro,-z,now,-z,noexecstack,--build-id"
PT_LOAD, PT_GNU_STACK = 1, 0x6474E551
DT_DEBUG, DT_RUNPATH, DT_TEXTREL = 21, 29, 22


class CheckElf(Case):
    """A small program, built as the appliance is, and then with one thing wrong."""

    def setUp(self) -> None:
        super().setUp()
        self.source = self.file("main.c", SOURCE)
        machine = subprocess.run(["gcc", "-dumpmachine"], stdout=subprocess.PIPE, text=True, check=True)
        self.compile = COMPILE + (" -fcf-protection" if machine.stdout.startswith("x86_64") else "")

    def call(self, *argv: object) -> None:
        self.assert_status(execute([str(a) for a in argv], cwd=self.folder))

    def build(self, more_compile: str = "", more_link: str = "", link: str = LINK) -> Path:
        """Return a stripped program; its object and its debug file lie beside it."""
        self.call("gcc", *self.compile.split(), *more_compile.split(), "-c", "-o", "main.o", self.source)
        self.call("gcc", *link.split(), *more_link.split(), "-o", "program.debug", "main.o")
        self.call("objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program.debug", "program")
        return self.folder / "program"

    def check(self, *flags: object) -> str:
        """Return what it says of the program, with all that lies beside it."""
        argv = [ROOT / "tools/check-elf", "--debug", "program.debug", "--objects", "main.o", *flags, "program"]
        done = execute([str(a) for a in argv], cwd=self.folder)
        self.assertEqual(done.status, 1 if done.err else 0, done.err)
        return done.err

    def assert_missed(self, text: str, *flags: object) -> None:
        lines = self.check(*flags).splitlines()
        self.assertTrue(any(text in line for line in lines), (text, lines))

    def patch(self, find: str, kind: int, flags: int) -> None:
        """Set the flags of the first segment of that kind, or rename an entry of the dynamic section."""
        path = self.folder / "program"
        data = bytearray(path.read_bytes())
        (start,), (size, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
        for at in range(start, start + size * count, size):
            segment, _, offset = struct.unpack_from("<IIQ", data, at)
            (length,) = struct.unpack_from("<Q", data, at + 32)
            if find == "segment" and segment == kind:
                struct.pack_into("<I", data, at + 4, flags)
                break
            if find == "dynamic" and segment == 2:
                tags = range(offset, offset + length, 16)
                entry = next(e for e in tags if struct.unpack_from("<Q", data, e)[0] == kind)
                struct.pack_into("<Q", data, entry, flags)
        path.write_bytes(data)

    def test_a_hardened_program_passes(self) -> None:
        self.build()
        self.assertEqual(self.check(), "")

    def test_how_it_was_linked(self) -> None:
        wrong = {
            "is not a PIE": "-static -no-pie",
            "is not static": "-pie",
            "has no full RELRO": "-static-pie -Wl,-z,norelro",
            "has an executable stack": "-static-pie -Wl,-z,execstack",
            "has another build id": "-static-pie -Wl,--build-id=none",
        }
        for text, link in wrong.items():
            with self.subTest(text):
                self.build(link=f"-Wl,-z,relro,-z,now,-z,noexecstack,--build-id {link}")
                self.assert_missed(text)

    def test_lazy_binding_is_no_full_relro(self) -> None:
        self.build(link="-pie -Wl,-z,relro,-z,lazy,-z,noexecstack,--build-id")
        self.assert_missed("has no full RELRO")

    def test_a_library_path(self) -> None:
        for kind in ("--enable-new-dtags", "--disable-new-dtags"):
            with self.subTest(kind):
                self.build(more_link=f"-Wl,-rpath,/tmp,{kind}")
                self.assert_missed("has a library path")

    def test_what_a_linker_would_not_write(self) -> None:
        wrong = {
            "has a segment that is writable and executable": ("segment", PT_LOAD, 7),
            "has an executable stack": ("segment", PT_GNU_STACK, 7),
            "has text relocations": ("dynamic", DT_DEBUG, DT_TEXTREL),
            "has a library path": ("dynamic", DT_DEBUG, DT_RUNPATH),
        }
        for text, patch in wrong.items():
            with self.subTest(text):
                self.build()
                self.patch(*patch)
                self.assert_missed(text)

    def test_symbols_and_the_file_that_has_them(self) -> None:
        program = self.build()
        debug = self.folder / "program.debug"
        whole = debug.read_bytes()
        program.write_bytes(whole)
        self.assert_missed("is not stripped")
        self.build()
        debug.write_bytes(whole + b"\0")
        self.assert_missed("another checksum")
        self.call("objcopy", "--strip-all", "program.debug")
        self.assert_missed("has no symbols")
        self.build(more_compile="-DOTHER=1 -O1")
        self.call("cp", "program", "kept")
        self.build()
        self.call("cp", "kept", "program")
        self.assert_missed("has another build id")

    def test_how_its_objects_were_compiled(self) -> None:
        wrong = {
            "without -fstack-protector-strong": "-fno-stack-protector",
            "compiled without -fstack-protector-strong": "-fstack-protector",
            "without -fstack-clash-protection": "-fno-stack-clash-protection",
            "calls fprintf as it is": "-U_FORTIFY_SOURCE",
            "compiled without": "-g0",
        }
        if "-fcf-protection" in self.compile:
            wrong["without -fcf-protection"] = "-fcf-protection=none -fcf-protection=branch"  # since GCC 14 they add up
        for text, flag in wrong.items():
            with self.subTest(flag):
                self.build(more_compile=flag)
                self.assert_missed(text)

    def test_notes_that_the_tool_chain_has(self) -> None:
        if "-fcf-protection" not in self.compile:
            self.skipTest("cannot: this machine's compiler has no -fcf-protection")
        self.build()
        for flag, missing in (("full", False), ("none", True)):
            library = f"-nostdlib -shared -xc -fcf-protection={flag}"
            self.call("gcc", *library.split(), "-o", "program", os.devnull)
            self.assertEqual("lacks the note IBT" in self.check("--notes-of", "main.o"), missing)

    def test_no_object_is_no_proof(self) -> None:
        self.build()
        (self.folder / "empty").mkdir()
        self.assert_missed("no object is there", "--objects", "empty")

    def test_word_of_another_build(self) -> None:
        self.build()
        self.assertEqual(self.check("--lacks", "OTHER_WORD"), "")
        self.assert_missed("has strncat", "--lacks", "strncat")


class Shipped(Case):
    """What tests leave out cannot be left out of what people run."""

    def test_programs_have_no_code_for_leaving_a_layer_out(self) -> None:
        words = (b"GLOVEBOX_OMIT", b"confine_omitted", b"GLOVEBOX_SETTLE_GATE", b"GLOVEBOX_STOP_AT")
        build = Path(GLOVEBOX).resolve().parents[1]
        shipped = [path for folder in ("bin", "guest") for path in (build / folder).iterdir() if path.is_file()]
        self.assertTrue(shipped)
        found = [(path.name, word) for path in shipped for word in words if word in path.read_bytes()]
        self.assertEqual(found, [])
        testing = Path(TESTING).read_bytes()
        self.assertEqual([word for word in words[:2] if word not in testing], [])

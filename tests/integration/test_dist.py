"""What make dist leaves: the source tarball, and what it says is in the rest (tools/sbom)."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from support import spdx
from support.case import Case
from support.run import ROOT

ONE = ROOT / "build/appliance"
DEP5 = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"


def load(path: Path) -> Any:
    """Import a program of ours that has no suffix."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
dist = load(ROOT / "tools/dist")


class Tarball(Case):
    """The sources, wherever they are."""

    EPOCH = 1_700_000_000

    def git(self, *argv: str) -> None:
        person = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *person, *argv], cwd=self.tree, check=True, stdout=subprocess.DEVNULL)

    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("git"):
            self.skipTest("cannot: there is no git")
        self.addCleanup(setattr, dist, "ROOT", dist.ROOT)
        self.tree = self.folder / "tree"
        for name, mode in (("CHANGELOG.md", 0o664), ("tools/run", 0o775), ("tests/\u00e4 b", 0o600), (".dot", 0o644)):
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
            path.chmod(mode)
        (self.tree / "link").symlink_to("tools/run")
        self.git("init", "--quiet")
        self.git("add", "-A")
        self.git("commit", "--quiet", "--date", f"{self.EPOCH} +0000", "-m", "x")
        for name in ("build/x.o", "tools/__pycache__/x.pyc", "note"):  # not of the sources
            (self.tree / name).parent.mkdir(exist_ok=True)
            (self.tree / name).touch()

    def pack(self, tree: Path) -> bytes:
        dist.ROOT = tree
        path = self.folder / "x-1.tar.gz"
        dist.source_tarball(path, dist.source_files(Path("build")), self.EPOCH)
        return path.read_bytes()

    def test_it_holds_what_git_tracks_and_nothing_of_who_made_it(self) -> None:
        self.pack(self.tree)
        with tarfile.open(self.folder / "x-1.tar.gz") as tar:
            rows = tar.getmembers()
        names = [".dot", "CHANGELOG.md", "link", "tests/\u00e4 b", "tools/run"]
        self.assertEqual([row.name for row in rows], [f"x-1/{name}" for name in names])
        self.assertEqual({(row.uid, row.gid, row.uname, row.mtime) for row in rows}, {(0, 0, "", self.EPOCH)})
        self.assertEqual({row.mode for row in rows if row.isfile()}, {0o644, 0o755})

    def test_it_is_made_again_of_itself_to_the_byte(self) -> None:
        first = self.pack(self.tree)
        old = os.umask(0o077)
        self.addCleanup(os.umask, old)
        subprocess.run(["tar", "-xzf", "x-1.tar.gz"], cwd=self.folder, check=True)
        (self.folder / "x-1/build").mkdir()
        (self.folder / "x-1/build/x.o").touch()
        self.assertEqual(self.pack(self.folder / "x-1"), first)
        self.assertEqual(dist.source_epoch(), self.EPOCH)

    def test_the_time_is_that_of_the_last_commit_unless_the_caller_has_one(self) -> None:
        dist.ROOT = self.tree
        said = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=self.tree, capture_output=True, check=True)
        self.assertEqual(dist.source_epoch(), int(said.stdout))
        self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH")
        os.environ["SOURCE_DATE_EPOCH"] = "5"
        self.assertEqual(dist.source_epoch(), 5)


class Release(Case):
    """Which programs are in it."""

    def made(self) -> list[str]:
        words = ["dist", "--build", "build", "--version", "1", "--machine", "x86_64"]
        one = unittest.mock.Mock()
        with (
            unittest.mock.patch.multiple(dist, ROOT=self.folder, add_program=one, source_tarball=unittest.mock.Mock()),
            unittest.mock.patch.object(sys, "argv", words),
            unittest.mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "5"}),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            dist.main()
        return [call.args[2] for call in one.call_args_list]

    def test_the_program_for_arm64_is_in_it_if_it_was_made(self) -> None:
        self.addCleanup(os.umask, os.umask(0o022))
        self.assertEqual(self.made(), ["glovebox-1-x86_64"])
        (self.folder / "build/appliance-arm64").mkdir()
        (self.folder / "build/appliance-arm64/glovebox").touch()
        self.assertEqual(self.made(), ["glovebox-1-x86_64", "glovebox-1-aarch64"])


class Parts(Case):
    """What is in a program or an image, in a document that other programs read."""

    def sbom(self, *argv: object) -> dict[str, Any]:
        """Return the document, which is right, and the same each time."""
        command = [str(ROOT / "tools/sbom"), *map(str, argv)]
        env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        texts = {subprocess.run(command, env=env, capture_output=True, check=True).stdout for _ in range(2)}
        self.assertEqual(len(texts), 1)
        document: dict[str, Any] = json.loads(texts.pop())
        self.assertEqual(spdx.faults(document), [])
        self.assertEqual(document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        return document

    def image(self, files: dict[str, str]) -> dict[str, Any]:
        root = self.folder / "root"
        for name, text in {"etc/os-release": 'ID=debian\nVERSION_CODENAME="trixie"\n', **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (self.folder / "x-1-m.glovebox.tar.zst").write_bytes(b"archive")
        return self.sbom("image", "--root", root, "--version", "1", self.folder / "x-1-m.glovebox.tar.zst")

    def test_an_images_packages(self) -> None:
        status = (
            "Package: zlib1g\nStatus: install ok installed\nArchitecture: amd64\nSource: zlib (1:1.2)\nVersion: 1:1.2+b1\n\n"
            "Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n\n"
            "Package: tool\nStatus: install ok installed\nArchitecture: all\nDescription: x\n y: z\nVersion: 2~rc1\n"
        )
        said = DEP5 + "License: Expat\n\nFiles: *\nLicense: GPL-2+ or BSD-3-clause\n\nFiles: x\nLicense: odd, and more\n its text\n"
        document = self.image({"var/lib/dpkg/status": status, "usr/share/doc/zlib1g/copyright": said})
        rows = {row["name"]: row for row in document["packages"]}
        self.assertEqual(rows.keys(), {"x", "zlib1g", "tool"})
        licence = "MIT AND (GPL-2.0-or-later OR BSD-3-Clause) AND LicenseRef-zlib1g-odd-and-more"
        self.assertEqual(rows["zlib1g"]["licenseDeclared"], licence)
        self.assertEqual(document["hasExtractedLicensingInfos"][0]["extractedText"], "its text")
        (where,) = rows["zlib1g"]["externalRefs"]
        url = "pkg:deb/debian/zlib1g@1%3A1.2%2Bb1?arch=amd64&distro=trixie&upstream=zlib%401:1.2"
        self.assertEqual(where["referenceLocator"], url)
        self.assertEqual((rows["tool"]["licenseDeclared"], rows["tool"]["versionInfo"]), ("NOASSERTION", "2~rc1"))

    def test_an_images_wheels_belong_to_the_package_that_brought_them(self) -> None:
        status = "Package: python3-a\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
        ours, theirs = "usr/lib/python3/dist-packages/a-1.dist-info", "opt/lib/python3.13/site-packages/B_c-2.dist-info"
        document = self.image(
            {
                "var/lib/dpkg/status": status,
                "var/lib/dpkg/info/python3-a.list": f"/.\n/{ours}\n/{ours}/METADATA\n",
                f"{ours}/METADATA": "Metadata-Version: 2.1\nName: a\nVersion: 1\nClassifier: License :: OSI Approved :: MIT License\n",
                f"{theirs}/METADATA": "Name: B_c\nVersion: 2\nLicense: Apache\n and more\nLicense-Expression: MIT\n\nName: no\n",
            }
        )
        parents = {row["relatedSpdxElement"]: row["spdxElementId"] for row in document["relationships"]}
        self.assertEqual(parents["SPDXRef-Package-a-1"], "SPDXRef-Package-python3-a-1")
        self.assertEqual(parents["SPDXRef-Package-B-c-2"], "SPDXRef-Package-x-1")
        self.assertEqual({row["name"]: row["licenseDeclared"] for row in document["packages"]}["B_c"], "MIT")

    def test_a_link_out_of_an_image_is_not_followed(self) -> None:
        outside = self.file("secret", (DEP5 + "\nFiles: *\nLicense: Expat\n").encode())
        (self.folder / "root/usr/share/doc/tool").mkdir(parents=True)
        (self.folder / "root/usr/share/doc/tool/copyright").symlink_to(outside)
        status = "Package: tool\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n"
        document = self.image({"var/lib/dpkg/status": status})
        self.assertEqual({row["licenseDeclared"] for row in document["packages"]}, {"NOASSERTION"})

    def test_what_is_linked_into_the_one_file(self) -> None:
        if not (ONE / "glovebox.map").exists():
            self.skipTest("cannot: there is no build/appliance/glovebox.map (make appliance)")
        document = self.sbom("program", "--map", ONE / "glovebox.map", "--sources", ONE, ONE / "glovebox")
        names = {row["name"] for row in document["packages"]}
        self.assertLessEqual({"glovebox", "cjson", "curl", "libc6-dev", "libarchive-dev", "libgnutls28-dev", "libseccomp-dev"}, names)
        files = {Path(row["fileName"]).name for row in document["files"]}
        self.assertLessEqual({"libc.a", "libarchive.a", "libzstd.a", "rcrt1.o", "cJSON.c"}, files)

    def make_deb(self, folder: Path, control: str, files: tuple[str, ...] = ()) -> Path:
        """Make a package with these fields and empty files."""
        tree = folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        for name in files:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).touch()
        (tree / "DEBIAN/control").write_text(f"{control}Maintainer: x <x@example.org>\nDescription: x\n")
        path = folder / "x_1_all.deb"
        subprocess.run(["dpkg-deb", "--build", tree, path], check=True, stdout=subprocess.DEVNULL)
        return path

    def test_what_is_linked_into_the_programs_of_a_package(self) -> None:
        if not shutil.which("dpkg-deb"):
            self.skipTest("cannot: there is no dpkg-deb")
        using = "Built-Using: libseccomp (= 2.5.4-1), odd (= 1:2~3)\n"
        deb = self.make_deb(self.folder, f"Package: x\nVersion: 1\nArchitecture: all\n{using}")
        document = self.sbom("package", deb)
        rows = {row["name"]: row for row in document["packages"]}
        self.assertEqual(rows.keys(), {"x", "libseccomp", "odd"})
        self.assertEqual(rows["libseccomp"]["licenseDeclared"], "LGPL-2.1-only")
        (where,) = rows["odd"]["externalRefs"]
        self.assertEqual(where["referenceLocator"], "pkg:deb/debian/odd@1%3A2~3?arch=source")
        linked = {row["relatedSpdxElement"] for row in document["relationships"] if row["relationshipType"] == "STATIC_LINK"}
        self.assertEqual(linked, {rows[name]["SPDXID"] for name in ("libseccomp", "odd")})

    def test_a_library_of_another_machine_is_that_of_the_package_that_was_unpacked(self) -> None:
        if not shutil.which("dpkg-deb"):
            self.skipTest("cannot: there is no dpkg-deb")
        control = "Package: libx-dev\nVersion: 2+b1\nSource: x (2)\nArchitecture: arm64\n"
        unpacked = self.folder / "libraries"
        (unpacked / "packages").mkdir(parents=True)
        deb = self.make_deb(self.folder, control, ("usr/lib/libx.a",))
        subprocess.run(["dpkg-deb", "-x", deb, unpacked / "root"], check=True)
        deb.rename(unpacked / "packages/libx.deb")
        for compiled in ("cjson/cJSON.c", "libcurl/lib/.libs/libcurl.a"):
            (self.folder / compiled).parent.mkdir(parents=True)
            (self.folder / compiled).touch()
        ours = f"LOAD {ROOT}/build/arm64/main.o\n{ROOT}/build/arm64/libglovebox.a(err.o)\n"
        mapped = self.file("map", f"{ours}{unpacked}/root/usr/lib/libx.a(x.o)\n".encode())
        program = self.file("glovebox", b"program")
        document = self.sbom("program", "--map", mapped, "--sources", self.folder, "--unpacked", unpacked, program)
        rows = {row["name"]: row for row in document["packages"]}
        self.assertEqual(rows.keys(), {"glovebox", "cjson", "curl", "libx-dev"})
        (where,) = rows["libx-dev"]["externalRefs"]
        self.assertIn("libx-dev@2%2Bb1?arch=arm64", where["referenceLocator"])
        self.assertIn("./usr/lib/libx.a", {row["fileName"] for row in document["files"]})

    def test_a_fault_in_a_document_is_seen(self) -> None:
        good = self.image({"var/lib/dpkg/status": "Package: a\nStatus: x ok installed\nArchitecture: all\nVersion: 1\n"})
        for path, value, says in (
            (("dataLicense",), "MIT", "another version"),
            (("packages", 0, "SPDXID"), "SPDXRef-Other", "a relationship with nothing"),
            (("packages", 1, "SPDXID"), good["packages"][0]["SPDXID"], "twice"),
            (("packages", 0, "licenseDeclared"), "MIT AND", "no expression"),
            (("packages", 0, "licenseDeclared"), "GPL", "no licence: GPL"),
            (("relationships", 0, "relationshipType"), "KNOWS", "no relationship"),
            (("relationships",), [], "belongs to nothing"),
        ):
            with self.subTest(says):
                bad = json.loads(json.dumps(good))
                place = bad
                for key in path[:-1]:
                    place = place[key]
                place[path[-1]] = value
                self.assertIn(says, "\n".join(spdx.faults(bad)))


if __name__ == "__main__":
    unittest.main()

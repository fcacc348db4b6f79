"""The Engine's socket: images, builds and volumes. The base is a root of the test's own; no registry is asked."""

import gzip
import io
import shutil
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support.engine import Answer, EngineCase
from support.run import IS_ROOT
from test_dockerfile import make_root

TAR = {"Content-Type": "application/x-tar"}
WHOLE = r"\Asha256:[0-9a-f]{64}\Z"


def packed(files: dict[str, str]) -> bytes:
    """Return a tar of these files; a name that ends with @ is a link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name.rstrip("@"))
            if name.endswith("@"):
                entry.type, entry.linkname = tarfile.SYMTYPE, text
                tar.addfile(entry)
            else:
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


class ImagesCase(EngineCase):
    """A store of the test's own, which has base:1."""

    base: bytes

    @classmethod
    def setUpClass(cls) -> None:
        """Pack the root."""
        super().setUpClass()
        folder = Path(tempfile.mkdtemp(prefix="engine-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        make_root(folder / "root")
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            tar.add(folder / "root", ".")
        cls.base = out.getvalue()

    def setUp(self) -> None:
        """Import the root through the socket."""
        super().setUp()
        answer = self.send("/images/create?fromSrc=-&repo=base&tag=1", self.base)
        self.id = answer.lines[-1]["status"]
        self.assertRegex(self.id, WHOLE)

    def start_engine(self, *flags: str) -> Any:
        """Start it with a store of its own."""
        self.env |= {"GLOVEBOX_IMAGES": f"{self.folder}/images"}
        return super().start_engine(*flags)

    def send(self, path: str, body: bytes, status: int = 200) -> Answer:
        """POST an archive."""
        return self.assert_answer(self.engine.request("POST", path, body, TAR), status)

    def inspected(self, name: str, status: int = 200) -> Any:
        """Return what is said of an image."""
        return self.assert_answer(self.engine.get(f"/images/{name}/json"), status).json

    def names(self, **filters: Any) -> list[str]:
        """Return all names that are listed."""
        query = {"filters": filters} if filters else {}
        rows = self.assert_answer(self.engine.get("/images/json", **query)).json
        return sorted(name for row in rows for name in row["RepoTags"])

    def tag(self, name: str, repo: str, tag: str = "") -> None:
        """Give an image one more name."""
        self.assert_answer(self.engine.post(f"/images/{name}/tag", repo=repo, tag=tag), 201)


class ImageTest(ImagesCase):
    """What is said of images, and their names."""

    def test_an_image_has_docker_s_fields(self) -> None:
        """Clients read these."""
        image = self.inspected("base:1")
        self.assertEqual((image["Id"], image["RepoTags"], image["RepoDigests"]), (self.id, ["base:1"], []))
        self.assertEqual((image["Os"], image["RootFS"]["Type"]), ("linux", "layers"))
        self.assertGreater(image["Size"], 1 << 20)
        self.assertRegex(image["Created"], r"\A20\d\d-\d\d-\d\dT.*Z\Z")
        wanted = {"Env", "Cmd", "Entrypoint", "User", "WorkingDir", "Labels"}
        self.assertLessEqual(wanted, set(image["Config"]))
        (row,) = self.engine.get("/images/json").json
        self.assertEqual((row["Id"], row["RepoTags"], row["Size"]), (self.id, ["base:1"], image["Size"]))
        self.assertGreater(row["Created"], 1 << 30)
        (layer,) = self.assert_answer(self.engine.get("/images/base:1/history")).json
        self.assertEqual((layer["Id"], layer["Tags"], layer["Size"]), (self.id, ["base:1"], image["Size"]))

    def test_every_form_of_a_name_finds_it(self) -> None:
        """A name with and without its registry, an id, and the beginning of one."""
        self.tag("base:1", "python", "3.11-slim")
        self.tag(self.id, "docker.io/library/python")
        digits = self.id.removeprefix("sha256:")
        forms = ("python", "python:3.11-slim", "docker.io/library/python:3.11-slim", self.id, digits)
        for name in (*forms, digits[:12], self.id[:17]):
            self.assertEqual(self.inspected(name)["Id"], self.id, name)
        self.assertEqual(self.inspected("python")["RepoTags"], ["base:1", "python:3.11-slim", "python:latest"])
        self.assertEqual(len(self.engine.get("/images/json").json), 1)

    def test_the_words_where_there_is_none(self) -> None:
        """Clients pull by them."""
        for name, says in (("nope", "No such image: nope:latest"), ("a/b:3", "No such image: a/b:3")):
            self.assertEqual(self.inspected(name, 404)["message"], says)
            self.assertEqual(self.assert_answer(self.engine.delete(f"/images/{name}"), 404).message, says)
            answer = self.engine.post(f"/images/{name}/tag", repo="x")
            self.assertEqual(self.assert_answer(answer, 404).message, says)
            self.assertEqual(self.assert_answer(self.engine.get(f"/images/{name}/get"), 404).message, says)
        nowhere = "sha256:" + "0" * 64
        self.assertEqual(self.inspected(nowhere, 404)["message"], f"No such image: {nowhere}")
        self.assertIn("invalid reference format", self.inspected("Base", 400)["message"])
        self.assert_answer(self.engine.post("/images/base:1/tag", repo="UP"), 400, "invalid reference format")
        self.assert_answer(self.engine.get("/images/base:1/other"), 404)

    def test_filters(self) -> None:
        """Both forms of them; one that is not known is refused."""
        self.tag("base:1", "python", "3.11")
        self.tag("base:1", "python", "3.12")
        self.assertEqual(self.names(reference=["python"]), ["python:3.11", "python:3.12"])
        self.assertEqual(self.names(reference={"pyth*:3.12": True}), ["python:3.12"])
        self.assertEqual(self.names(reference=["base", "*:3.11"]), ["base:1", "python:3.11"])
        self.assertEqual(self.names(dangling=["true"]), [])
        self.assertEqual(len(self.names(dangling=["false"])), 3)
        self.assertEqual(self.names(label=["a=b"]), [])
        self.assert_answer(self.engine.get("/images/json", filters={"nope": ["1"]}), 400, "invalid filter 'nope")
        self.assert_answer(self.engine.get("/images/json", filters={"dangling": ["x"]}), 400, "dangling")

    def test_a_container_is_made_by_the_id(self) -> None:
        """As llm-sandbox does it."""
        for image in (self.id, self.id[7:19]):
            one = self.ended("cat", "/etc/group", Image=image)
            self.assertEqual(self.logs(one)[0], b"root:x:0:\n")

    def test_an_archive_goes_out_and_comes_back(self) -> None:
        """By name, and by id without a name."""
        self.tag("base:1", "second", "2")
        answer = self.assert_answer(self.engine.get("/images/second:2/get"))
        self.assertEqual(answer.headers["Content-Type"], "application/x-tar")
        nameless = self.assert_answer(self.engine.get("/images/get", names=self.id))
        removed = self.assert_answer(self.engine.delete("/images/second:2")).json
        self.assertEqual(removed, [{"Untagged": "second:2"}])
        self.assertEqual(self.assert_answer(self.engine.delete("/images/base:1")).json, [{"Untagged": "base:1"}, {"Deleted": self.id}])  # fmt: skip
        self.assertEqual(self.names(), [])
        for body in (answer.body, gzip.compress(answer.body)):
            said = self.send("/images/load?quiet=1", body).lines
            self.assertEqual(said, [{"stream": "Loaded image: second:2\n"}])
        self.assertEqual(self.inspected("second:2")["Id"], self.id)
        self.engine.delete("/images/second:2")
        self.assertEqual(self.send("/images/load", nameless.body).lines, [{"stream": f"Loaded image ID: {self.id}\n"}])
        self.assertEqual(self.inspected(self.id)["RepoTags"], [])
        self.assertEqual(self.assert_answer(self.engine.delete(f"/images/{self.id}")).json, [{"Deleted": self.id}])
        self.assert_answer(self.engine.request("POST", "/images/load", b"junk", TAR), 400, "archive")
        self.assert_answer(self.engine.get("/images/get?names=a&names=b"), 400, "names")

    def test_an_import_has_changes(self) -> None:
        """Instructions of a Dockerfile."""
        body = packed({"bin/x": "1"})
        changes = "&changes=CMD%20%5B%22x%22%5D&changes=ENV%20A=b"
        self.send(f"/images/create?fromSrc=-&repo=imported{changes}", body)
        config = self.inspected("imported")["Config"]
        self.assertEqual((config["Cmd"], "A=b" in config["Env"]), (["x"], True))
        self.send("/images/create?fromSrc=http://x&repo=imported", body, 400)
        self.send("/images/create?fromSrc=-", body, 400)
        self.assert_answer(self.engine.post("/images/create"), 400, "fromImage")

    def test_a_pull_of_what_is_here_asks_nobody(self) -> None:
        """A script that pulls first works without a network."""
        said = self.assert_answer(self.engine.post("/images/create", fromImage="docker.io/library/base", tag="1")).lines
        self.assertTrue(said[-1]["status"].endswith(" base:1"), said)

    def test_an_image_in_use_stays(self) -> None:
        """Unless it is forced, and its container has ended."""
        one = self.running("sleep", "60", Image="base:1")
        self.assert_answer(self.engine.delete("/images/base:1"), 409, "conflict", one[:12])
        self.assert_answer(self.engine.delete(f"/images/{self.id}", force="1"), 409, "cannot be forced")
        self.tag("base:1", "other")
        self.assert_answer(self.engine.delete("/images/other"))
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        self.assert_answer(self.engine.delete("/images/base:1"), 409, "must force")
        self.assert_answer(self.engine.delete("/images/base:1", force="1"))

    def test_prune_keeps_to_its_filters(self) -> None:
        """One that is not known would remove what is to stay."""
        self.assert_answer(self.engine.post("/images/prune", filters={"until": ["1h"]}), 400, "until")
        self.assertEqual(self.engine.post("/images/prune").json, {"ImagesDeleted": [], "SpaceReclaimed": 0})
        self.send("/build", packed({"Dockerfile": 'FROM base:1\nCMD ["id"]\n'}))
        said = self.engine.post("/images/prune", filters={"dangling": {"true": True}}).json
        self.assertEqual([[*what] for what in said["ImagesDeleted"]], [["Deleted"]])
        self.assertGreater(said["SpaceReclaimed"], 1 << 20)
        said = self.engine.post("/images/prune", filters={"dangling": ["false"]}).json
        self.assertEqual(said["ImagesDeleted"], [{"Untagged": "base:1"}, {"Deleted": self.id}])
        self.assertEqual(self.names(), [])


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user may lack subordinate ids")
class BuildTest(ImagesCase):
    """POST /build."""

    FILE = "FROM base:1\nARG A=none\nCOPY sub /sub\nRUN echo $A >/made && cat /sub/f\nCMD [\"cat\", \"/made\"]\nEXPOSE 80\n"

    def build(self, files: dict[str, str], query: str = "", status: int = 200, *, compressed: bool = False) -> Answer:
        """Build these files."""
        body = packed(files)
        return self.send(f"/build?{query}", gzip.compress(body) if compressed else body, status)

    def test_a_context_is_built(self) -> None:
        """With its files, arguments and names; the lines are those that clients look for."""
        arguments = "t=built:1&t=docker.io/library/also&buildargs=%7B%22A%22:%22yes%22%7D&rm=True&q=False"
        answer = self.build({"Dockerfile": self.FILE, "sub/f": "copied\n"}, arguments, compressed=True)
        self.assertEqual(answer.headers["Transfer-Encoding"], "chunked")  # docker-py takes anything else for one document
        said = [line["stream"] for line in answer.lines]
        self.assertIn("copied\n", said)
        digits = self.inspected("built:1")["Id"][7:19]
        self.assertEqual(said[-3:], [f"Successfully built {digits}\n", "Successfully tagged built:1\n", "Successfully tagged also:latest\n"])  # fmt: skip
        self.assertEqual(self.inspected(digits)["Config"]["ExposedPorts"], {"80/tcp": {}})
        self.assertEqual(self.logs(self.ended(Image=digits, Cmd=[]))[0], b"yes\n")

    def test_quiet_and_another_file(self) -> None:
        """The id alone, of an image that needs no name."""
        files = {"Dockerfile": "nonsense", "sub/Other": 'FROM base:1\nCMD ["id"]\n'}
        (line,) = self.build(files, "q=1&dockerfile=sub/Other").lines
        self.assertEqual(self.inspected(line["stream"].strip())["Config"]["Cmd"], ["id"])

    def test_what_fails_says_so(self) -> None:
        """With a status, or as a line once something has been said."""
        answer = self.build({"Dockerfile": "FROM base:1\nRUN echo out; false\n"}, "t=x")
        self.assertIn({"stream": "out\n"}, answer.lines)
        self.assertIn("RUN failed", answer.lines[-1]["errorDetail"]["message"])
        self.assertEqual(answer.lines[-1]["error"], answer.lines[-1]["errorDetail"]["message"])
        self.build({"a": "b"}, "t=x", 404)
        self.build({"Dockerfile": "NOTHING\n"}, "t=x", 400)
        for query in ("remote=http://x", "cpuquota=1000", "squash=1", "buildargs=3", "networkmode=host"):
            self.build({"Dockerfile": "FROM base:1\n"}, f"t=x&{query}", 400)

    def test_no_name_of_an_archive_leads_out(self) -> None:
        """Neither a path nor a link, of the Dockerfile and of files."""
        secret = self.folder / "secret"
        secret.write_text("FROM base:1\nCMD [\"secret\"]\n")
        files = {"Dockerfile": "FROM base:1\nCOPY l /l\n", "l@": str(secret), "d@": str(self.folder)}
        self.build(files, "t=x", 400)
        for path in (secret, f"d/{secret.name}", "../../../../../../../etc/passwd", "l"):
            answer = self.engine.request("POST", f"/build?t=x&dockerfile={path}", packed(files), TAR)
            self.assertIn(answer.status, (400, 404, 500), (path, answer))
        self.build({"../out": "x", "/abs": "x", "Dockerfile": "FROM base:1\n"}, "t=x")
        self.assertFalse((self.folder / "out").exists() or Path("/abs").exists())


class VolumeTest(EngineCase):
    """Volumes, and GET /system/df."""

    def make(self, status: int = 201, **body: Any) -> Any:
        """Create one."""
        return self.assert_answer(self.engine.post("/volumes/create", body), status).json

    def test_a_volume_from_its_making_to_its_end(self) -> None:
        """One that exists is returned as it is."""
        made = self.make(Name="vol", Labels={"a": "b"}, Driver="local")
        self.assertEqual((made["Name"], made["Driver"], made["Scope"], made["Labels"]), ("vol", "local", "local", {"a": "b"}))
        self.assertTrue(Path(made["Mountpoint"]).is_dir())
        self.assertEqual(self.make(name="vol", LABELS={"c": "d"}), made)
        self.assertEqual(self.engine.get("/volumes/vol").json, made)
        self.assertEqual(self.engine.get("/volumes").json, {"Volumes": [made], "Warnings": None})
        self.assertRegex(self.make()["Name"], r"\A[0-9a-f]{64}\Z")
        self.assert_answer(self.engine.delete("/volumes/vol"), 204)
        self.assertEqual(self.assert_answer(self.engine.get("/volumes/vol"), 404).message, "get vol: no such volume")
        self.assert_answer(self.engine.delete("/volumes/vol"), 404, "no such volume")
        self.assert_answer(self.engine.delete("/volumes/vol", force="1"), 204)

    def test_what_is_refused(self) -> None:
        """A directory of the host by a driver's options, and names that are none."""
        for options in ({"type": "none", "o": "bind", "device": "/"}, {"o": "size=1m,uid=0"}):
            self.make(400, Name="vol", DriverOpts=options)
        self.make(400, Name="vol", driverOPTS={"device": "/etc"})
        self.make(400, Name="vol", Driver="nfs")
        self.make(400, Name="vol", Labels={"a": 1})
        for name in ("../v", "-v", "a/b", "--label=x"):
            self.make(400, Name=name)
        self.assertEqual(self.engine.get("/volumes").json["Volumes"], [])
        self.assert_answer(self.engine.get("/volumes/--all"), 404, "no such volume")

    def test_filters_and_prune(self) -> None:
        """Without `all` only those go that have no name of their own."""
        self.make(Name="one", Labels={"a": "b"})
        self.make(Name="two")
        nameless = self.make()["Name"]
        listed = self.engine.get("/volumes", filters={"label": {"a=b": True}}).json["Volumes"]
        self.assertEqual([volume["Name"] for volume in listed], ["one"])
        self.assert_answer(self.engine.get("/volumes", filters={"x": ["y"]}), 400, "invalid filter")
        self.assert_answer(self.engine.post("/volumes/prune", filters={"until": ["1h"]}), 400, "invalid filter")
        self.assertEqual(self.engine.post("/volumes/prune").json["VolumesDeleted"], [nameless])
        pruned = self.engine.post("/volumes/prune", filters={"all": ["true"], "label": ["a"]}).json
        self.assertEqual(pruned["VolumesDeleted"], ["one"])

    def test_one_in_use_stays_and_is_counted(self) -> None:
        """It is used until the container is removed."""
        self.make(Name="vol")
        one = self.create("true", HostConfig={"Binds": ["vol:/v"]})
        self.assert_answer(self.engine.delete("/volumes/vol"), 409, "volume is in use", one)
        usage = self.assert_answer(self.engine.get("/system/df")).json
        self.assertEqual(set(usage), {"LayersSize", "Images", "Containers", "Volumes", "BuildCache"})
        self.assertEqual([row["Id"] for row in usage["Containers"]], [one])
        self.assertEqual([row["UsageData"] for row in usage["Volumes"]], [{"RefCount": 1, "Size": -1}])
        self.assert_answer(self.engine.delete(f"/containers/{one}"), 204)
        self.assert_answer(self.engine.delete("/volumes/vol"), 204)


if __name__ == "__main__":
    unittest.main()

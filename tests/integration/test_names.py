"""--name, --cidfile, --label, --pull, --platform and image tags."""

import os

from support.case import Case
from support.messages import message
from support.run import command, glovebox, run, unique


class Names(Case):
    """Names of sandboxes."""

    as_user = True

    def test_conflict(self) -> None:
        name = unique("name")
        self.start_ready(command("--name", name, sh="echo ready; sleep 1000"))
        result = self.assert_refused(run("--name", name, argv=["/bin/true"]), name, "Conflict")
        self.assertRegex(result.err, message("registry_taken"))
        self.assert_status(run("--name", name + "x", argv=["/bin/true"]))

    def test_a_name_is_free_again_afterwards(self) -> None:
        name = unique("name")
        for _ in range(3):
            self.assert_status(run("--name", name, argv=["/bin/true"]))

    def test_a_name_is_free_after_sigkill(self) -> None:
        name = unique("name")
        process = self.start_ready(command("--name", name, sh="echo ready; sleep 1000"))
        process.kill()
        process.wait()
        self.assert_status(run("--name", name, argv=["/bin/true"]))

    def test_a_refused_run_does_not_take_the_name(self) -> None:
        name = unique("name")
        self.assert_refused(run("--name", name, image="no-such-image"))
        self.assert_status(run("--name", name, argv=["/bin/true"]))


class Cidfile(Case):
    """--cidfile."""

    def test_holds_the_id_and_stays(self) -> None:
        cid = self.folder / "cid"
        self.assert_status(run("--rm", "--cidfile", cid, argv=["/bin/true"]))
        self.assertRegex(cid.read_text(), r"\A[0-9a-f]{64}\Z")

    def test_ids_differ(self) -> None:
        for name in ("a", "b"):
            self.assert_status(run("--cidfile", self.folder / name, argv=["/bin/true"]))
        self.assertNotEqual((self.folder / "a").read_text(), (self.folder / "b").read_text())

    def test_an_existing_file_is_refused_and_kept(self) -> None:
        cid = self.file("cid", "kept")
        self.assert_refused(run("--cidfile", cid, argv=["/bin/true"]), str(cid))
        self.assertEqual(cid.read_text(), "kept")

    def test_a_dangling_link_is_not_written_through(self) -> None:
        (self.folder / "cid").symlink_to(self.folder / "target")
        run("--cidfile", self.folder / "cid", argv=["/bin/true"])
        self.assertFalse((self.folder / "target").exists())


class Accepted(Case):
    """Flags that have nothing to do here."""

    def test_labels(self) -> None:
        flags = ["-l", "a=b", "--label", "c", "--label=d=e=f"]
        self.assert_status(run(*flags, argv=["/bin/true"]))

    def test_pull(self) -> None:
        for policy in ("missing", "never"):
            self.assert_status(run("--pull", policy, argv=["/bin/true"]))
            self.assert_refused(run("--pull", policy, image="no-such-image"), "no-such-image")
        self.assert_refused(run("--pull", "always", argv=["/bin/true"]), "--pull")

    def test_platform(self) -> None:
        ours = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}[os.uname().machine]
        self.assert_status(run("--platform", ours, argv=["/bin/true"]))
        other = "linux/arm64" if ours == "linux/amd64" else "linux/amd64"
        self.assert_refused(run("--platform", other, argv=["/bin/true"]), other)


class Tags(Case):
    """Names of images are Docker's."""

    def setUp(self) -> None:
        """Use an image store of our own."""
        super().setUp()
        self.images = {"GLOVEBOX_IMAGES": str(self.folder / "images")}

    def tag(self, new: str, old: str = "host"):
        """Tag an image in our store."""
        return glovebox("image", "tag", old, new, env=self.images)

    def test_latest_is_the_default(self) -> None:
        self.assert_status(self.tag("code-sandbox"))
        for name in (
            "code-sandbox",
            "code-sandbox:latest",
            "docker.io/library/code-sandbox:latest",
        ):
            with self.subTest(name=name):
                self.assert_prints("x", run(image=name, argv=["/bin/echo", "x"], env=self.images))
        self.assert_refused(run(image="code-sandbox:1", argv=["/bin/true"], env=self.images))

    def test_tags_and_paths(self) -> None:
        for name in ("a:1.2-x_y", "my/app:dev", "registry.example.com:5000/team/app:1"):
            with self.subTest(name=name):
                self.assert_status(self.tag(name))
                self.assert_status(run(image=name, argv=["/bin/true"], env=self.images))

    def test_bad_names_are_refused(self) -> None:
        for name in (
            "UPPER",
            "a:",
            ":b",
            "a b",
            "../x",
            "a/../b",
            "a:b:c",
            "-x",
            "a" * 300,
            "x:" + "t" * 200,
        ):
            with self.subTest(name=name):
                self.assertNotEqual(self.tag(name).status, 0)

    def test_unknown_source(self) -> None:
        result = self.tag("x", old="no-such-image")
        self.assertNotEqual(result.status, 0)
        self.assertIn("no-such-image", result.err)

    def test_images_are_listed(self) -> None:
        self.assert_status(self.tag("code-sandbox"))
        result = self.assert_status(glovebox("image", "ls", env=self.images))
        self.assertIn("code-sandbox", result.out)

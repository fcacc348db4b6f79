"""`watch` and `usage`: what changes in a sandbox that stays, and how much files take."""

import json
import os
import subprocess

from integration.staying import Staying
from integration.staying_root import WAIT, Root
from support.messages import message
from support.run import GLOVEBOX
from support.small_image import NAME
from support.times import DEADLINE


class Watch(Staying):
    """`watch` on a sandbox that runs."""

    def setUp(self) -> None:
        """A sandbox with a directory."""
        super().setUp()
        self.name = self.stay()
        self.inside(self.name, "mkdir -p /tmp/d/deep")

    def watch(self, *words: str) -> "subprocess.Popen[str]":
        """Watch, from now on."""
        line = [GLOVEBOX, "watch", *words]
        client = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | self.env)
        self.addCleanup(client.communicate, timeout=DEADLINE)
        self.addCleanup(client.kill)
        assert client.stdout
        self.assertIn("watched", client.stdout.readline())
        return client

    def lines_until(self, client: "subprocess.Popen[str]", last: str) -> list[str]:
        """Read up to a line."""
        assert client.stdout
        seen: list[str] = []
        while last not in seen:
            line = client.stdout.readline()
            self.assertTrue(line, seen)
            seen.append(line.rstrip("\n"))
        return seen

    def test_what_changes(self) -> None:
        client = self.watch(self.name, "/tmp/d")
        self.inside(self.name, "cd /tmp/d; echo x >f; chmod 600 f; mv f g; rm g; touch deep/unseen; mkdir e")
        seen = self.lines_until(client, "created  /tmp/d/e/")
        self.assertEqual(
            [line for i, line in enumerate(seen) if line not in seen[i - 1 : i]],  # one may be told twice
            ["created  /tmp/d/f", "written  /tmp/d/f", "changed  /tmp/d/f", "moved    /tmp/d/f", "created  /tmp/d/g", "removed  /tmp/d/g", "created  /tmp/d/e/"],
        )

    def test_below_and_as_json(self) -> None:
        client = self.watch("-r", "--json", self.name, "tmp/d")
        self.inside(self.name, r'cd /tmp/d/deep; touch "$(printf "a\nb\377")"; touch last')
        lines = [json.loads(line) for line in self.lines_until(client, '{"event":"created","path":"/tmp/d/deep/last","directory":false}')]
        self.assertEqual(bytes.fromhex(lines[0]["path_hex"]), b"/tmp/d/deep/a\nb\xff")

    def test_its_ends(self) -> None:
        client = self.watch(self.name, "/tmp/d")
        self.inside(self.name, "rm -r /tmp/d")
        self.lines_until(client, "removed  /tmp/d")
        _, errors = client.communicate(timeout=DEADLINE)
        self.assertEqual((client.returncode, errors.count("\n")), (125, 1))
        self.assertIn("/tmp/d: ", errors)
        client = self.watch(self.name, "/tmp")
        self.assert_status(self.ours("kill", self.name))
        self.assertEqual(client.wait(timeout=DEADLINE), 125)

    def test_a_client_that_leaves_takes_it_along(self) -> None:
        client = self.watch(self.name, "/tmp/d")
        client.kill()
        client.communicate(timeout=DEADLINE)
        again = self.watch(self.name, "/tmp/d")
        self.assertIsNone(again.poll())

    def test_bad_words(self) -> None:
        for words, what in (((), "NAME DIRECTORY"), ((self.name,), "NAME DIRECTORY"), ((self.name, "/none"), "/none: "), ((self.name, "/usr/bin/env"), "/usr/bin/env/: "), (("none", "/"), "none")):
            with self.subTest(words):
                result = self.ours("watch", *words)
                self.assertEqual((result.status, result.out, result.err.count("\n")), (125, "", 1))
                self.assertIn(what, result.err)


class Usage(Root):
    """`usage`, of what runs and what has ended."""

    def usage(self, *words: str) -> dict[str, int]:
        """Return what it says."""
        counted: dict[str, int] = json.loads(self.assert_status(self.ours("usage", "--json", *words)).out)
        return counted

    def write(self, name: str, path: str, size: int) -> None:
        """Write a file in a sandbox."""
        self.assert_status(self.ours("exec", name, "python3", "-c", f"import os\nos.makedirs(os.path.dirname({path!r}), exist_ok=True)\nopen({path!r}, 'wb').write(bytes({size}))"))

    def test_what_is_there(self) -> None:
        name = self.stay("--writable", image=NAME, py=WAIT)
        self.write(name, "/srv/d/e/f", 100_000)
        self.assert_status(self.ours("exec", name, "python3", "-c", "import os; os.link('/srv/d/e/f', '/srv/d/g'); os.symlink('/', '/srv/d/l')"))
        counted = self.usage(name, "/srv/d")
        self.assertEqual((counted["bytes"], counted["entries"], counted["unread"]), (100_000, 5, 0))
        self.assertGreaterEqual(counted["allocated_bytes"], 100_000)
        self.assertEqual(self.usage(name, "srv/d/g")["entries"], 1)
        self.assertRegex(self.assert_status(self.ours("usage", name, "/srv/d")).out, r"\A98 KiB in 5 entries, 100 KiB allocated\n\Z")
        self.assert_status(self.ours("stop", "--time", "0", name))
        self.assertEqual(self.usage(name, "/srv/d")["bytes"], 100_000)

    def test_not_what_is_mounted(self) -> None:
        name = self.stay("--writable", "--tmpfs", "/data", image=NAME, py=WAIT)
        self.write(name, "/data/f", 100_000)
        self.assertEqual(self.usage(name, "/data")["bytes"], 100_000)
        root = self.usage(name)
        self.write(name, "/data/g", 500_000)
        self.write(name, "/new/f", 1000)
        self.assertEqual(self.usage(name)["bytes"], root["bytes"] + 1000)

    def test_bad_words(self) -> None:
        name = self.stay()
        for words in ((), ("none",), (name, "/none"), (name, "/", "more")):
            with self.subTest(words):
                result = self.ours("usage", *words)
                self.assertEqual((result.status, result.out, result.err.count("\n")), (125, "", 1))
        self.assertRegex(self.ours("usage", name, "/usr/bin/env/").err, message("files_answer_not_wanted#directory"))

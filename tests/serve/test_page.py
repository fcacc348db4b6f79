"""/, /docs and their files: what a browser is told about them, and that nothing of them is from elsewhere."""

import json
import re
from pathlib import Path

from support.run import ROOT
from support.serve import Reply, ServeCase

FILES = sorted((ROOT / "runtime/serve/page").iterdir())
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml"}
PATHS = {"/": "index.html", "/docs": "docs.html", "/openapi.json": "openapi.json"} | {f"/page/{file.name}": file.name for file in FILES}


def policy(reply: Reply) -> dict[str, list[str]]:
    """Return the directives of a Content-Security-Policy."""
    words = [directive.split() for directive in reply.headers["Content-Security-Policy"].split(";")]
    return {first: rest for first, *rest in words}


class Page(ServeCase):
    """One server that needs no key, and one that does."""

    def test_what_a_browser_is_told(self) -> None:
        for path, name in PATHS.items():
            with self.subTest(path=path):
                reply = self.server.get(path)
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, TYPES[Path(name).suffix]))
                self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(reply.headers["Cache-Control"], "no-cache")
                said = policy(reply)
                self.assertEqual((said["default-src"], said["script-src"], said["style-src"], said["connect-src"]), (["'none'"], *[["'self'"]] * 3))
                self.assertEqual((said["frame-ancestors"], said["base-uri"], said["form-action"]), (["'none'"],) * 3)
                self.assertNotIn("unsafe", reply.headers["Content-Security-Policy"])
                self.assertEqual(reply.headers.get_all("Set-Cookie"), None)

    def test_it_is_sent_once(self) -> None:
        for path in PATHS:
            with self.subTest(path=path):
                first = self.server.get(path)
                tag = first.headers["ETag"]
                self.assertRegex(tag, r'^"[0-9a-f]{64}"$')
                for known in (tag, f"W/{tag}", f'"x", {tag}'):
                    again = self.server.ask("GET", path, headers={"If-None-Match": known})
                    self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", tag))
                other = self.server.ask("GET", path, headers={"If-None-Match": '"x"'})
                self.assertEqual((other.status, other.body), (200, first.body))
                head = self.server.ask("HEAD", path)
                self.assertEqual((head.status, head.headers["ETag"], head.headers["Content-Length"]), (200, tag, str(len(first.body))))

    def test_files_are_those_of_the_folder(self) -> None:
        for file in FILES:
            with self.subTest(file=file.name):
                got, version = self.server.get(f"/page/{file.name}").body, self.server.get("/health").json["glovebox_version"]
                self.assertEqual(got, file.read_bytes().replace(b"@VERSION@", version.encode()))
        for name in ("nothing", "", "page.css/", "..%2Froutes.c", "%2e%2e", "page.css%00", "Page.css", "execute.py"):
            with self.subTest(name=name):
                self.assertEqual(self.server.get(f"/page/{name}").status, 404)

    def test_they_need_no_key(self) -> None:
        keys = self.file("keys.json", json.dumps({"keys": []}))
        keys.chmod(0o600)
        locked = self.start_server("--keys", str(keys)).wait_ready()
        for path in PATHS:
            self.assertEqual(locked.get(path).status, 200, path)
        self.assertEqual(locked.get("/v1/files").status, 401)

    def test_nothing_is_from_elsewhere(self) -> None:
        """And nothing could become markup or code: of the policy nobody has to make use."""
        for file in FILES:
            text = file.read_text()
            with self.subTest(file=file.name):
                elsewhere = re.findall(r"""(?:https?:)?//[\w.-]+\.\w+[^\s"']*""", text) if file.suffix != ".json" else []
                self.assertLessEqual(set(elsewhere), {"http://www.w3.org/2000/svg"})
                self.assertNotRegex(text, r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|new Function|srcdoc)\b")
                if file.suffix == ".html":
                    self.assertNotRegex(text, r"(?i)<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:")

"""browser_case - tests that look at a server's pages in a browser, and what a hostile program would put into them."""

import json
import unittest

from support.browser import Browser, find
from support.serve import ServeCase, Server

ENDED = "document.querySelector('.verdict')?.dataset.state"
FOCUS = "document.activeElement.id || document.activeElement.textContent.trim() || document.activeElement.getAttribute('aria-label')"

# What would run if anything of this became markup.
SPITE = """<script>window.hacked=1</script><img src=x onerror="window.hacked=2"><svg onload="window.hacked=3"></svg>"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.hacked=4"><script>parent.hacked=5;top.hacked=6</script><rect width="9" height="9"/></svg>"""


class BrowserCase(ServeCase):
    """A server, and a browser for each test."""

    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where there is no browser."""
        if not find():
            raise unittest.SkipTest("cannot: there is no chromium (tools/install-deps browser)")
        super().setUpClass()

    def setUp(self) -> None:
        """Begin with a page that is empty, and no files."""
        super().setUp()
        for file in self.server.get("/v1/files").json["files"]:
            self.server.delete(f"/v1/files/{file['file_id']}")
        self.browser = Browser(self.folder)
        self.addCleanup(self.browser.close)

    def tearDown(self) -> None:
        """Nothing went wrong that nobody looked at, and nobody else was asked."""
        ours = ("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:", "about:")
        self.assertEqual([url for url in self.browser.asked if not url.startswith(ours)], [])
        self.assertEqual(self.browser.wrong, [])
        super().tearDown()

    def open(self, path: str = "/", server: Server | None = None) -> Browser:
        """Open a page of ours."""
        self.browser.open(f"http://127.0.0.1:{(server or self.server).port}{path}")
        if path == "/":
            self.browser.wait("document.querySelector('#version').textContent")
        return self.browser

    def run_program(self, code: str) -> str:
        """Put a program into the editor, run it, and return how it is said to have ended."""
        self.browser.value(f"document.querySelector('#code').value = {json.dumps(code)}")
        self.browser.click("#clear")
        self.browser.click("#run")
        self.browser.wait(ENDED)
        return self.browser.text(".verdict")

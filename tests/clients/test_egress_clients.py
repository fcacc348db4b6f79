"""HTTP clients of Python's in a sandbox with a list: what they reach, and what they do not (make check-clients)."""

import json
import os
import unittest
from pathlib import Path

from support.host_python import PYTHON as HOST_PYTHON
from support.outside import OutsideCase
from support.run import ROOT

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PACKAGES = CLIENTS / "lib" / HOST_PYTHON.name / "site-packages"  # for the Python that is inside: the host's
V4, OTHER = "93.184.216.34", "93.184.216.35"

# `get` is the client's; `why` names the errors that led to one.
TRY = """
import json, sys
def why(error):
    while error:
        yield type(error).__name__
        error = error.__cause__ or error.__context__
said = {}
for url in sys.argv[1:]:
    try:
        said[url] = get(url)
    except Exception as error:
        said[url] = "error: " + " ".join(why(error))
print(json.dumps(said))
"""
REQUESTS = """
import requests
def get(url):
    return requests.get(url, timeout=60).text
"""
HTTPX = """
import httpx
def get(url):
    return httpx.get(url, timeout=60).text
"""
AIOHTTP = """
import aiohttp, asyncio
def get(url):
    async def main():
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            return await reply.text()
    return asyncio.run(main())
"""


class Clients(OutsideCase):
    """Each reaches the host of the list, by http and by https, and no other."""

    names = {"api.example": [V4], "other.example": [OTHER]}
    servers = [(address, port, kind) for address in (V4, OTHER) for port, kind in ((80, "http"), (443, "tls"))]

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where they are not installed, or are another Python's."""
        if not (CLIENTS / "requirements.txt").exists():
            raise unittest.SkipTest("cannot: the clients are missing (make check-clients)")
        if not PACKAGES.exists():
            raise unittest.SkipTest(f"cannot: the clients are for another Python than {HOST_PYTHON}")
        super().setUpClass()

    def check(self, client: str) -> None:
        """Let it try both hosts, both ways, and the address of one."""
        urls = [f"{scheme}://{host}/x" for host in ("api.example", "other.example", OTHER) for scheme in ("http", "https")]
        flags = ("--egress", "api.example", "--ca", self.world.certificate, "-v", f"{PACKAGES}:/packages:ro", "--memory", "1g")
        before = len(self.world.asked())
        ran = self.world.run("--warm=never", *flags, "-e", "PYTHONPATH=/packages", env={}, argv=[str(HOST_PYTHON), "-c", client + TRY, *urls])
        said = json.loads(self.assert_status(self.mapped(ran)).out)
        self.assertEqual(list(said), urls)
        for scheme in ("http", "https"):
            self.assertEqual(said[f"{scheme}://api.example/x"], f"api.example /x at {V4}\n")
            self.assertRegex(said[f"{scheme}://other.example/x"], r"\Aerror: .*gaierror")
            self.assertRegex(said[f"{scheme}://{OTHER}/x"], r"\Aerror: ")
        self.assertEqual(set(self.world.asked()[before:]), {"api.example"})

    def test_requests(self) -> None:
        self.check(REQUESTS)

    def test_httpx(self) -> None:
        self.check(HTTPX)

    def test_aiohttp(self) -> None:
        self.check(AIOHTTP)

"""Resources: the files that the links of results lead to."""

import base64
from typing import Any

from support.mcp import ENVELOPE, MODERN, Mcp, McpCase


class Resources(McpCase):
    """Links of results, followed."""

    def read(self, mcp: Mcp, uri: str) -> dict[str, Any]:
        """Read a resource, which must be there."""
        (content,) = mcp.ask("resources/read", uri=uri)["contents"]
        self.assertEqual(content["uri"], uri)
        return content

    def test_links_lead_somewhere(self) -> None:
        for version in ("2025-06-18", MODERN):
            mcp = self.start_mcp(version=version)
            code = "open('a b\\n.csv', 'w').write('1,é'); open('bytes', 'wb').write(bytes(range(256)))"
            links = [b["uri"] for b in mcp.use("execute_python", code=code)["content"] if b["type"] == "resource_link"]
            self.assertEqual(links, ["glovebox:///main/a%20b%0A.csv", "glovebox:///main/bytes"])
            self.assertEqual(self.read(mcp, links[0])["text"], "1,é")
            self.assertEqual(base64.b64decode(self.read(mcp, links[1])["blob"]), bytes(range(256)))
            listed = mcp.ask("resources/list")
            self.assertEqual([r["uri"] for r in listed["resources"]], links)
            self.assertEqual(listed.get("cacheScope"), "private" if version == MODERN else None)
            (template,) = mcp.ask("resources/templates/list")["resourceTemplates"]
            self.assertEqual(template["uriTemplate"], "glovebox:///{session}/{+path}")

    def test_what_is_not_there(self) -> None:
        mcp = self.start_mcp()
        mcp.run("import os; os.symlink('/etc/passwd', 'leak'); open('x', 'w').close()")
        for uri in ("glovebox:///main/nothing", "glovebox:///other/x", "glovebox:///main/leak", "glovebox:///main/",
                    "glovebox:///main/../x", "glovebox:///main/%2e%2e/x", "glovebox:///main", "glovebox:///", "",
                    "file:///etc/passwd", "glovebox:///main/%00", "glovebox:///main/%4", "glovebox:///main/%zz",
                    "glovebox:///%2e/x", "glovebox:///" + "x" * 100 + "/x", "glovebox:///main/" + "x/" * 5000):  # fmt: skip
            with self.subTest(uri=uri[:60]):
                error = mcp.fails("resources/read", uri=uri)
                self.assertEqual((error["code"], error["data"]), (-32002, {"uri": uri}))
        for params in ({}, {"uri": 1}):
            self.assertEqual(mcp.fails("resources/read", **params)["code"], -32602)
        modern = mcp.fails("resources/read", uri="glovebox:///main/nothing", _meta=ENVELOPE)
        self.assertEqual(modern["code"], -32602)
        self.assertEqual(mcp.run("os.listdir()")["value"].count(","), 1)

    def test_no_session_begins_for_it(self) -> None:
        mcp = self.start_mcp()
        mcp.fails("resources/read", uri="glovebox:///main/x")
        self.assertTrue(mcp.run("1")["new_session"])

    def test_large_ones(self) -> None:
        mcp = self.start_mcp()
        mcp.run("open('most', 'w').write('é' * (1 << 19)); open('more', 'w').write('x' * (1 << 20) + 'x')")
        blob = self.read(mcp, "glovebox:///main/most")["blob"]
        self.assertEqual(base64.b64decode(blob).decode(), "é" * (1 << 19))
        self.assertEqual(mcp.fails("resources/read", uri="glovebox:///main/more")["code"], -32002)

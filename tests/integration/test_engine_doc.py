"""docs/engine.md has every route of the Engine's socket, and every member of a create that is a flag."""

import re
import unittest

from support.run import ROOT

PAGE = (ROOT / "docs/engine.md").read_text()
PATHS = (ROOT / "runtime/engine/paths.c").read_text()
FIELDS = (ROOT / "runtime/engine/create_fields.c").read_text()


class Page(unittest.TestCase):
    """Tables of the page and of the sources."""

    def test_every_route_has_a_row(self) -> None:
        routes = re.findall(r'^\t\{"(\w+)",\s+"([^"]+)",', PATHS, re.MULTILINE)
        marked = PAGE.partition("<!-- routes:")[2].partition("<!-- end of routes -->")[0]
        rows = re.findall(r"^\| `(\w+) (\S+)` \|", marked, re.MULTILINE)
        self.assertGreater(len(routes), 40)
        self.assertEqual(rows, routes)

    def test_every_member_that_is_a_flag_is_named(self) -> None:
        members = re.findall(r'^\t\{"(\w+)",\s+create_\w+,', FIELDS, re.MULTILINE)
        self.assertGreater(len(members), 60)
        table = PAGE.partition("## Create")[2].partition("## Clients")[0]
        named = set(re.findall(r"\w+", table))
        prefixes = tuple(re.findall(r"(\w+)\*", table))
        missing = [member for member in members if member not in named and not member.startswith(prefixes)]
        self.assertEqual(missing, [])

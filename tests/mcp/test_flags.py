"""What the flags of `glovebox mcp` give its sessions."""

from support.mcp import McpCase
from support.run import glovebox


class Preload(McpCase):
    """A supervisor of its own imports what --preload names, and the user's serves only if it has the same."""

    def imported(self, *flags: str) -> bool:
        """Tell whether a module that hardly anybody imports is there from the beginning."""
        return self.start_mcp(*flags).run("import sys\n'colorsys' in sys.modules")["value"] == "True"

    def test_it_is_imported(self) -> None:
        self.assertFalse(self.imported())
        self.assertTrue(self.imported("--preload", "colorsys"))

    def test_what_is_no_list_of_modules_is_refused(self) -> None:
        said = glovebox("mcp", "--image", "host", "--preload", "a;b")
        self.assert_refused(said, '--preload: "a;b" is not a list of modules')

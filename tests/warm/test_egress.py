"""--egress and -p of a run in a warm cell: all that holds for a cold one (integration/test_egress.py)."""

import shutil
import tempfile
from pathlib import Path

from support.egress_case import Reaching
from support.warm import Warm


class InCells(Reaching, Warm):
    """All that is reached and refused, with the supervisor of the class in the same world."""

    how = "--warm=require"
    home: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super().setUpClass()
        cls.home = Path(tempfile.mkdtemp(prefix="egress-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        keeper = cls()
        keeper.place = cls.home
        cls.addClassCleanup(keeper.end_supervisors)
        keeper.assert_status(cls.world.glovebox("warm", "start", "--image", "host", "--pool", "2", env=keeper.env()))

    def setUp(self) -> None:
        """Have the supervisor of the class."""
        super(Warm, self).setUp()
        self.place = self.home

    def environment(self) -> dict[str, str]:
        """Say where it is."""
        return self.env()

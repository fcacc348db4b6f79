"""SIGKILL of server, supervisor and nursery while clients upload and stream: once each (make soak: often)."""

from support.case import Case
from support.run import GLOVEBOX, ROOT, execute


class Kills(Case):
    """What tools/soak-serve does."""

    def test_each_once(self) -> None:
        command = [str(ROOT / "tools/soak-serve"), "--requests", "0", "--kills", "3", "--glovebox", GLOVEBOX]
        done = execute(command, env={"TMPDIR": str(self.folder)}, timeout=600)
        self.assertEqual((done.status, done.out.splitlines()[-1:]), (0, ["ok"]), done)

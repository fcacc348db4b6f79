"""What a nursery has ready for the programs of a server: the code of execute.py, and of nothing else."""

import subprocess
import sys
import unittest
from pathlib import Path

from support.run import GLOVEBOX

GUEST = Path(GLOVEBOX).parents[1] / "guest"
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import program
program.prepare()
known, other = open(sys.argv[1] + "/execute.py").read(), "print(1)"
for text in (known, other, known + "#"):
    request = program.command(text)
    try:
        print(request.code.co_filename, request.string.decode() == program.command_text(text))
    except ValueError:
        print("to be compiled")
"""


class Ready(unittest.TestCase):
    """The command line of a server's program."""

    def test_it_is_compiled_before(self) -> None:
        done = subprocess.run([sys.executable, "-c", SCRIPT, GUEST], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "<string> True\nto be compiled\nto be compiled\n")

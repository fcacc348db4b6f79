"""Run pip, and let it start no program: "python3 only_wheels.py ARGUMENT..." is "python3 -m pip ARGUMENT..." otherwise.

pip's --only-binary is about what it finds in an index. What a package needs by a URL, pip fetches and builds all the
same, and the source package's own code runs then, with the network of the host. pip has no setting against that; but
it builds in a process of its own, and no foreign code runs before that in this one. cause.sh knows the message.
"""

import runpy
import sys

STARTS = {"subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn"}


def refuse(event: str, _: tuple) -> None:
    """Raise for whatever starts a program. pip goes on without those that it only asks for versions (rustc, lsb_release)."""
    if event in STARTS:
        raise PermissionError("glovebox: pip wants to start a program, as it does to build from source")


sys.addaudithook(refuse)
runpy.run_module("pip", run_name="__main__", alter_sys=True)

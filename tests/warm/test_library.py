"""libglovebox: the program of its page runs code in warm sandboxes, and what cannot be run is answered."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.run import GLOVEBOX, ROOT, Result, execute
from support.supervisor import Supervisor
from support.times import DEADLINE

BUILD = Path(GLOVEBOX).resolve().parents[1]
LIBRARIES = ("-lcjson", "-lseccomp", "-lcap-ng", "-lnettle")
# Runs words, and prints what came of it. The first word: cancel it at once, give it up, or cancel it when a file is there.
WORDS = r"""
#include <libglovebox.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static int failed(const char *why)
{
	printf("failed: %s\n", why);
	return 1;
}

int main(int argc, char **argv)
{
	struct glovebox_result r;
	char why[GLOVEBOX_WHY];
	struct glovebox_job *j = glovebox_start((const char *const *)argv + 2, why);
	struct pollfd fd = {.events = POLLIN};

	if (!j)
		return failed(why);
	fd.fd = glovebox_fd(j, why);
	if (*argv[1] == 'c') {
		glovebox_cancel(j);
		if (poll(&fd, 1, 60000) != 1)
			return failed("no step is due");
	}
	while (*argv[1] != 'g' && !glovebox_step(j)) {
		poll(&fd, 1, 10);  /* a step that is not due does nothing */
		if (*argv[1] == '/' && !access(argv[1], F_OK))
			glovebox_cancel(j);
	}
	if (glovebox_end(j, &r, why))
		return failed(why);
	printf("%s %d %d|%s|%s|%d", r.verdict, r.exit_status, r.duration_us > 0, r.text[0], r.text[1], r.is_cut[0]);
	glovebox_result_fini(&r);
	return argc < 0;
}
"""


class Library(unittest.TestCase):
    """Programs that link build/library/libglovebox.a."""

    @classmethod
    def setUpClass(cls) -> None:
        """Compile them, and start a supervisor."""
        place = tempfile.TemporaryDirectory(prefix="library-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        page = (ROOT / "docs/library.md").read_text()
        source = re.findall(r"```c\n(.*?)```", page, re.S)[0]
        cls.compile("many", source.replace('"python", ', '"host", '))
        cls.compile("words", WORDS)
        cls.supervisor = Supervisor()
        cls.addClassCleanup(cls.supervisor.stop)

    @classmethod
    def compile(cls, name: str, source: str) -> None:
        """Compile one, as its page says."""
        (cls.folder / f"{name}.c").write_text(source)
        command = ["cc", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/runtime/library", "-o", f"{cls.folder}/{name}", f"{cls.folder}/{name}.c"]
        done = subprocess.run([*command, f"{BUILD}/library/libglovebox.a", *LIBRARIES], capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)

    def run_words(self, *words: str, manner: str = "-", **env: str) -> Result:
        """Run words by the library."""
        return execute([str(self.folder / "words"), manner, *words], env=self.supervisor.env() | env, timeout=DEADLINE)

    def refused(self, *words: str, says: str, **env: str) -> None:
        """Expect one line that names this."""
        done = self.run_words(*words, **env)
        self.assertEqual((done.status, done.err), (1, ""), done)
        self.assertRegex(done.out, rf"\Afailed: [^\n]*{re.escape(says)}[^\n]*\n\Z")

    def test_program_of_the_page_runs_all_at_once(self) -> None:
        sources = ["print(6 * 7)", "raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)"]
        done = execute([str(self.folder / "many"), *sources], env=self.supervisor.env(), timeout=DEADLINE)
        self.assertEqual((done.status, done.err), (0, ""), done)
        wanted = ("exited, status 0: 42\n", "exited, status 3: ", "signalled, status 137: ")
        for source, end in zip(sources, wanted, strict=True):
            self.assertIn(f"{source}: {end}", done.out)

    def test_result_is_that_of_glovebox_run(self) -> None:
        loud = "import sys; print('out'); print('err', file=sys.stderr); raise SystemExit(7)"
        self.assertEqual(self.run_words("host", "python3", "-c", loud).out, "exited 7 1|out\n|err\n|0")
        self.assertEqual(self.run_words("--timeout", "300ms", "host", "python3", "-c", "while True: pass").out[:14], "wall_time 124 ")
        cut = self.run_words("--output-limit", "10", "host", "python3", "-c", "print('x' * 100)").out
        self.assertRegex(cut, r"\|xxxxxxxxxx\|\|1\Z")
        self.assertIn("|MemoryError|", self.run_words("host", "python3", "-c", "try: bytes(1 << 40)\nexcept MemoryError: print('MemoryError', end='')").out)

    def test_run_is_cancelled_with_a_cell_and_without(self) -> None:
        shared = self.folder / "shared"
        shared.mkdir(mode=0o777)
        shared.chmod(0o777)
        endless = "open('/shared/there', 'w')\nwhile True: pass"
        said = self.run_words("-v", f"{shared}:/shared", "host", "python3", "-c", endless, manner=str(shared / "there"))
        self.assertRegex(said.out, r"\Acancelled \d+ ")
        self.assertRegex(self.run_words("host", "python3", "-c", "1", manner="c").out, "failed: cancelled")
        self.assertRegex(self.run_words("host", "python3", "-c", "1", manner="g").out, "failed: .*before it was over")
        self.assertEqual(self.run_words("host", "python3", "-c", "print(1)").out, "exited 0 1|1\n||0")

    def test_what_cannot_be_run_is_answered(self) -> None:
        self.refused(says="image")
        self.refused("--memroy", "1g", "host", "python3", says="--memroy")
        self.refused("--timeout", "x", "host", "python3", says="--timeout")
        self.refused("no/../such", "python3", says="no/../such")
        for flag in ("--tty", "--interactive"):
            self.refused(flag, "host", "python3", says=flag)
        self.refused("--name", "x", "host", "python3", says="--name")
        self.refused("--json", "host", "python3", says="--json")
        self.refused("--security-opt", "seccomp=unconfined", "host", "python3", "-c", "1", says="--warm=require")
        self.refused("host", "/no/such", says="not a Python")
        self.refused("host", "python3", "-c", "1", says="glovebox warm start", XDG_RUNTIME_DIR=str(self.folder))

    def test_network_is_that_of_the_glovebox_in_path(self) -> None:
        code = "import socket\ntry: socket.create_connection(('nobody.example', 443), 5)\nexcept OSError as error: print('refused', end='')"
        words = ("--egress", "pypi", "host", "python3", "-c", code)
        self.assertIn("|refused|", self.run_words(*words, PATH=f"{BUILD}/bin").out)
        self.refused(*words, PATH="/nonexistent:", says="pypi")

    def test_other_names_of_the_library_are_its_own(self) -> None:
        said = subprocess.run(["nm", "-g", "--defined-only", f"{BUILD}/library/libglovebox.a"], capture_output=True, text=True, check=True).stdout
        names = {line.split()[2] for line in said.splitlines() if len(line.split()) == 3}
        header = (ROOT / "runtime/library/libglovebox.h").read_text()
        self.assertEqual(names, set(re.findall(r"^[a-z].*?\b(glovebox_\w+)\(", header, re.M)))


if __name__ == "__main__":
    unittest.main()

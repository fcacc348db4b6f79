"""What a program finds: environment, working directory, user, names, entrypoint."""

import os
import shutil
import subprocess
import sys
import unittest

from support.case import Case
from support.run import IS_ROOT, run
from support.small_image import ID, NAME, make_store


class Environment(Case):
    """-e and --env-file, exactly as Docker reads them."""

    def env(self, *flags, **options) -> dict[str, str]:
        """Return the environment inside, one value per name asserted."""
        result = self.assert_status(run(*flags, argv=["/usr/bin/env", "-0"], **options))
        pairs = [entry.partition("=")[::2] for entry in result.out.split("\0") if entry]
        self.assertEqual(len(pairs), len(dict(pairs)), "a name twice")
        return dict(pairs)

    def test_without_flags(self) -> None:
        env = self.env(env={"SECRET": "s3cret", "PYTHONPATH": "/x", "LD_PRELOAD": "", "LANG": "xx"})
        self.assertLessEqual({"PATH", "HOME", "HOSTNAME"}, set(env))
        self.assertNotIn("s3cret", env.values())
        self.assertFalse({"SECRET", "PYTHONPATH", "LD_PRELOAD", "TERM", "PWD"} & set(env))
        self.assertNotEqual(env.get("LANG"), "xx")

    def test_values(self) -> None:
        flags = ["-e", "A=x y", "-e", "B=", "-e", "C=a=b", "-e", "D='q'", "-e", 'E="$HOME"']
        env = self.env(*flags)
        wanted = {"A": "x y", "B": "", "C": "a=b", "D": "'q'", "E": '"$HOME"'}
        self.assertEqual({name: env.get(name) for name in wanted}, wanted)

    def test_bare_name_copies_from_the_caller(self) -> None:
        env = self.env("-e", "COPIED", "-e", "ABSENT", env={"COPIED": "from caller"})
        self.assertEqual(env["COPIED"], "from caller")
        self.assertNotIn("ABSENT", env)

    def test_later_wins(self) -> None:
        self.assertEqual(self.env("-e", "A=1", "-e", "A=2")["A"], "2")

    def test_defaults_can_be_replaced(self) -> None:
        env = self.env("-e", "HOME=/x", "-e", "PATH=/usr/bin", "-e", "HOSTNAME=y")
        self.assertEqual([env["HOME"], env["PATH"], env["HOSTNAME"]], ["/x", "/usr/bin", "y"])

    def test_newlines_and_odd_bytes(self) -> None:
        self.assertEqual(self.env("-e", "A=1\n2\x01\u00fc")["A"], "1\n2\x01\u00fc")

    def test_a_large_value(self) -> None:
        self.assertEqual(len(self.env("-e", "A=" + "x" * 100_000)["A"]), 100_000)

    def test_file(self) -> None:
        lines = [
            "# comment",
            "",
            "PLAIN=value",
            "QUOTED=\"quotes 'stay'\"",
            "HASH=a # b",
            "   INDENTED=x",
            "SPACES=  both  ",
            "EMPTY=",
            "EQUALS=a=b=c",
            "BARE",
            "ABSENT",
            "DOLLAR=$HOME",
            "   # indented comment",
            "CRLF=x\r",
            "LAST=no newline",
        ]
        path = self.file("env", "\n".join(lines))
        env = self.env("--env-file", path, env={"BARE": "from caller"})
        wanted = {
            "PLAIN": "value",
            "QUOTED": "\"quotes 'stay'\"",
            "HASH": "a # b",
            "INDENTED": "x",
            "SPACES": "  both  ",
            "EMPTY": "",
            "EQUALS": "a=b=c",
            "BARE": "from caller",
            "DOLLAR": "$HOME",
            "CRLF": "x",
            "LAST": "no newline",
        }
        self.assertEqual({name: env.get(name) for name in wanted}, wanted)
        self.assertNotIn("ABSENT", env)

    def test_flag_wins_over_file_in_any_order(self) -> None:
        path = self.file("env", "A=file\nB=file\n")
        for flags in (["-e", "A=flag", "--env-file", path], ["--env-file", path, "-e", "A=flag"]):
            env = self.env(*flags)
            self.assertEqual((env["A"], env["B"]), ("flag", "file"))

    def test_several_files(self) -> None:
        one, two = self.file("1", "A=1\nB=1\n"), self.file("2", "A=2\n")
        env = self.env("--env-file", one, "--env-file", two)
        self.assertEqual((env["A"], env["B"]), ("2", "1"))

    def test_byte_order_mark(self) -> None:
        self.assertEqual(self.env("--env-file", self.file("env", "\ufeffA=1\n"))["A"], "1")

    def test_bad_files_are_refused_with_the_line(self) -> None:
        for content in ("=x\n", "A B=1\n", b"A=\xff\xfe\n", b"A=1\0\n"):
            with self.subTest(content=content):
                path = self.file("env", content)
                self.assert_refused(run("--env-file", path, argv=["/bin/true"]), str(path))

    def test_a_directory_as_file(self) -> None:
        self.assert_refused(run("--env-file", self.folder, argv=["/bin/true"]), str(self.folder))


class Identity(Case):
    """-u, -w, --hostname, and what the program is."""

    as_user = True
    IDS = "import os; print(os.getresuid(), os.getresgid(), os.getgroups())"

    def test_default_user_is_not_root(self) -> None:
        result = self.assert_status(run(sh="id -u; id -g"))
        self.assertNotIn("0", result.out.split())

    def test_numbers(self) -> None:
        self.assert_prints("1234", run("-u", "1234", sh="id -u"))
        self.assert_prints("1234\n1234", run("--user=1234:1234", sh="id -u; id -g"))
        self.assert_prints("1234\n2345", run("--user=1234:2345", sh="id -u; id -g"))

    def test_names(self) -> None:
        self.assert_prints("65534", run("-u", "nobody", sh="id -u"))
        self.assert_prints("65534\n65534", run("-u", "nobody:nogroup", sh="id -u; id -g"))
        self.assert_prints("65534\n5", run("-u", "nobody:5", sh="id -u; id -g"))

    def test_all_ids_are_the_same_and_no_groups(self) -> None:
        """But the caller's, which only root can drop: they have no names inside (docs/limits.md)."""
        result = run("-u", "1234:2345", py=self.IDS)
        callers = [] if IS_ROOT else os.getgroups()
        groups = sorted(2345 if group == os.getegid() else 65534 for group in callers)
        self.assert_prints(f"(1234, 1234, 1234) (2345, 2345, 2345) {groups}", result)

    def test_root_inside_has_no_power(self) -> None:
        script = "id -u; grep -h ^Cap /proc/self/status | sort -u -k2 | tr -s '\\t' ' '"
        result = self.assert_status(run("-u", "0", sh=script))
        lines = result.out.splitlines()
        self.assertEqual(lines[0], "0")
        self.assertEqual({line.split()[1] for line in lines[1:]}, {"0" * 16})

    def test_home_and_workdir_exist_and_home_is_writable(self) -> None:
        self.assert_prints("ok", run(sh='test -d "$PWD" && touch "$HOME/f" && echo ok'))
        self.assert_prints("ok", run("-u", "1234", sh='touch "$HOME/f" && echo ok'))

    def test_workdir(self) -> None:
        self.assert_prints("/usr/bin", run("-w", "/usr/bin", sh="pwd"))
        self.assert_prints("/tmp", run("--workdir=/tmp/../tmp/.", sh="pwd"))

    def test_dots_are_walked_while_others_rename(self) -> None:
        """A rename anywhere makes openat2(2) answer EAGAIN to a walk over "..": tried again."""
        loop = "import os\nopen('a', 'w')\nwhile True: os.rename('a', 'b'); os.rename('b', 'a')"
        with subprocess.Popen([sys.executable, "-c", loop]) as renaming:
            try:
                for _ in range(10):
                    self.assert_prints("/tmp", run("--workdir=/tmp/../tmp/.", sh="pwd"))
            finally:
                renaming.kill()

    def test_workdir_is_made(self) -> None:
        for path in ("/new/deep/er", "/tmp/x", "/root-level"):
            with self.subTest(path=path):
                self.assert_prints(path, run("-w", path, sh="pwd"))

    def test_workdir_that_is_a_file(self) -> None:
        self.assertIn(run("-w", "/etc/passwd", argv=["/bin/true"]).status, (125, 126, 127))

    def test_hostname(self) -> None:
        script = "uname -n; echo $HOSTNAME"
        self.assert_prints("my-box\nmy-box", run("--hostname", "my-box", sh=script))
        self.assert_prints("my-box", run("-h", "my-box", sh="uname -n"))

    def test_default_hostname_is_not_the_hosts(self) -> None:
        result = self.assert_status(run(sh="uname -n; echo $HOSTNAME"))
        name, variable = result.out.split()
        self.assertEqual(name, variable)
        self.assertNotEqual(name, os.uname().nodename)

    def test_entrypoint(self) -> None:
        self.assert_prints("a b", run("--entrypoint", "/bin/echo", argv=["a", "b"]))
        self.assert_prints("", run("--entrypoint=/bin/echo"))
        self.assert_prints("x", run("--entrypoint", "", argv=["/bin/echo", "x"]))
        self.assert_status(run("--entrypoint", "/no/such", argv=["x"]), 127)

    def test_no_command_and_no_entrypoint(self) -> None:
        self.assertIn(run("--entrypoint", "").status, (0, 125))

    def test_stdin_is_empty_and_terminal_absent(self) -> None:
        script = "tty; test -e /dev/tty && (: < /dev/tty) 2>/dev/null && echo has; true"
        self.assert_prints("not a tty", run(sh=script))


class OwnName(Case):
    """A sandbox finds its own name, whatever /etc/hosts its image has."""

    ASK = "import socket; print(socket.gethostbyname(socket.gethostname()), socket.gethostbyname('localhost'))"

    def asked(self, hosts: str | None, *flags: str, script: str = ASK) -> str:
        """Run a program in an image with this file; return what it says."""
        store = make_store(self.subfolder("store"), os.geteuid())
        if hosts is not None:
            (store / f"trees/{ID}/rootfs/etc/hosts").write_text(hosts)
        env = {"GLOVEBOX_IMAGES": str(store)}
        return self.assert_status(run("--warm=never", *flags, py=script, image=NAME, env=env)).out

    HERE = "127.0.0.1 127.0.0.1\n"

    def test_the_name_that_was_given(self) -> None:
        for hosts in (None, "", "127.0.0.1 localhost sandbox\n", "127.0.0.1 localhost # box\nbox b"):
            with self.subTest(hosts=hosts):
                self.assertEqual(self.asked(hosts, "-h", "box"), self.HERE)
                shutil.rmtree(self.folder / "store")

    def test_its_first_label(self) -> None:
        script = self.ASK.replace("localhost", "box")
        self.assertEqual(self.asked("", "-h", "box.example.com", script=script), self.HERE)

    def test_the_name_that_nobody_gave(self) -> None:
        self.assertEqual(self.asked("127.0.0.1 localhost other\n"), self.HERE)

    def test_a_file_with_the_name_is_the_images(self) -> None:
        own = "127.0.0.1\tlocalhost\tBOX # mine\n"
        self.assertEqual(self.asked(own, "-h", "box", script="print(open('/etc/hosts').read(), end='')"), own)

    def test_a_mount_there_is_the_callers(self) -> None:
        mine = self.file("mine", "127.0.0.2 box localhost\n")
        self.assertEqual(self.asked("", "-h", "box", "-v", f"{mine}:/etc/hosts:ro"), "127.0.0.2 127.0.0.2\n")

    def test_in_the_image_host(self) -> None:
        self.assertEqual(run("-h", "box", py=self.ASK).out, self.HERE)


class Defaults(Case):
    """The hardened set, seen from inside without any flag."""

    kernel = True
    as_user = True

    def test_no_network(self) -> None:
        script = """
import os, socket
print([line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line])
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.send(b"loopback works"); print(server.accept()[0].recv(99).decode())
try:
    socket.create_connection(("192.0.2.1", 80), 5)
except OSError as error:
    print(error.strerror)
"""
        result = self.assert_status(run(py=script))
        self.assertTrue(result.out.startswith("['lo']\n"), result.out)
        self.assertIn("loopback works", result.out)
        self.assertIn("Network is unreachable", result.out)

    def test_status_of_the_process(self) -> None:
        result = self.assert_status(run(sh="cat /proc/self/status"))
        status = dict(line.split(":", 1) for line in result.out.splitlines())
        value = {name: text.strip() for name, text in status.items()}
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(value[name], "0" * 16, name)
        self.assertEqual(value["NoNewPrivs"], "1")
        self.assertEqual(value["Seccomp"], "2")

    def test_read_only_root(self) -> None:
        folders = "/ /usr /etc /var /code /root"
        script = f"for d in {folders}; do touch $d/x 2>/dev/null && echo $d; done; true"
        self.assert_prints("", run(sh=script))

    def test_only_our_processes(self) -> None:
        result = self.assert_status(
            run(py="import os; print(*filter(str.isdigit, os.listdir('/proc')))")
        )
        self.assertLessEqual(len(result.out.split()), 3)

    def test_no_secret_of_the_host_in_etc(self) -> None:
        for path in ("/etc/shadow", "/etc/gshadow", "/root/.ssh", "/etc/ssh", "/etc/sudoers"):
            with self.subTest(path=path):
                self.assert_prints("absent", run(sh=f"test -s {path} || echo absent"))

    def test_python_works(self) -> None:
        script = "import ssl, json, sqlite3, ctypes, multiprocessing as m, tempfile; print('ok')"
        self.assert_prints("ok", run(py=script))
        pool = "import multiprocessing as m\nwith m.Pool(2) as p: print(p.map(abs, [-1, -2]))"
        self.assert_prints("[1, 2]", run(py=pool))

    def test_both_names_of_python(self) -> None:
        for name in ("python", "python3"):
            with self.subTest(name=name):
                self.assert_prints(
                    "3", run(argv=[name, "-c", "import sys; print(sys.version_info[0])"])
                )

    def test_not_root_on_the_host(self) -> None:
        result = self.assert_status(run("-u", "0", sh="cat /proc/self/uid_map"))
        for line in result.out.splitlines():
            self.assertNotEqual(line.split()[1], "0")

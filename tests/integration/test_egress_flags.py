"""--egress, -p and what belongs to them: what --explain says of them, and one clear line for each mistake."""

import os

from support.case import Case
from support.messages import message
from support.run import ROOT, glovebox, run

# Flags, and what the refusal must say.
WRONG = [
    (["--egress="], "--egress: an empty name"),
    (["--egress", "a.example,"], "--egress: an empty name"),
    (["--egress", "https://pypi.org"], message("egress_host_first#URL", "https://pypi.org")),
    (["--egress", "no-such-list"], message("egress_preset_refuse", "no-such-list")),
    (["--egress", "a.example:0"], "port of a.example:0"),
    (["--egress", "a.example:443:quic"], message("egress_host_kind#none", "quic")),
    (["--egress", "a.example:53"], "the sandbox's own resolver"),
    (["--egress", "*"], message("egress_host_refuse#front")),
    (["--egress", "pypi.org/simple"], message("egress_host_refuse#path", "pypi.org")),
    (["--egress", "hugginface"], "did you mean huggingface?"),
    (["--egress", "10.0.0.5/8:80"], "write 10.0.0.0/8:80"),
    (["--egress", "0177.0.0.1"], message("egress_host_refuse#neither", "0177.0.0.1")),
    (["--egress", "1.2.3.4:443:tls"], message("egress_host_kind#held", "1.2.3.4", "tls")),
    (["--egress", "a.example:443,a.example:443:raw"], "a.example:443 is there as tls and as raw"),
    (["--egress", "127.0.0.1"], "127.0.0.1 is never reached: loopback"),
    (["--egress", "169.254.169.254:80"], "is never reached: link-local"),
    (["--egress", "[::ffff:10.0.0.1]:80"], "is never reached"),
    (["--egress", "localhost:5432"], message("egress_host_refuse_local", "localhost")),
    (["--egress", "host.docker.internal:80"], message("egress_host_refuse_local", "host.docker.internal")),
    (["--egress", "10.0.0.1:80"], "give --allow-private 10.0.0.1 as well"),
    (["--egress", "none,pypi"], "none stands alone"),
    (["--egress", "none", "--egress", "pypi"], "none stands alone"),
    (["--egress", "pypi", "--allow-private", "pypi"], message("egress_finish_mark#list", "pypi")),
    (["--allow-private", "a.example"], message("egress_finish_mark#--egress", "a.example")),
    (["--egress", "a.example", "--allow-private", "b.example"], message("egress_finish_mark#--egress", "b.example")),
    (["--allow-host", "0"], message("egress_flags_host#machine", "--allow-host", 0)),
    (["--allow-host", "53"], "the sandbox's own resolver"),
    (["-p", "80:x"], '--publish: "80:x": port: '),
    (["-p", "80-81:90"], message("egress_publish_ranges#ranges", "80-81")),
    (["-p", "localhost:80:80"], message("egress_publish_address#numbers", "localhost")),
    (["-p", "::1:80:80"], "stands in brackets: [::1]:80:80"),
    (["-p", "0:80"], message("egress_publish_ranges#free")),
    (["-p", "9.9.9.9:8080:80"], message("published_refused#address", "9.9.9.9")),
    (["--allow-host", "8000", "-p", "8000"], "port 8000 is of --allow-host"),
    (["-p", "80:80/udp"], message("egress_publish_protocol#published", "udp")),
    (["-p", "80:1", "-p", "80:2"], "--publish: 127.0.0.1:80 is there twice"),
    (["-p", "8000", "--egress", "a.example:8000"], "port 8000 is one of --egress"),
    (["--network", "bridge"], message("program_flag_network", "bridge")),
    (["--egress-rate", "fast"], message("parse_size#such", "--egress-rate", "fast")),
    (["--egress-bytes=-1"], "--egress-bytes: "),
    (["--egress-connections", "0"], "1 to 4096"),
    (["--egress-log", "file"], "--egress-log needs --egress"),
    (["--egress-proxy", "http://10.0.0.1:3128"], "--egress-proxy needs --egress"),
    (["--egress", "a.example", "--egress-proxy", "https://me:secret@p:1"], message("egress_proxy_parse#no URL", "--egress-proxy")),
    (["--egress", "a.example", "--egress-proxy", "http://p"], "--egress-proxy: no port"),
]


class Refused(Case):
    """Nothing is started for a list that is wrong."""

    def test_every_mistake_is_one_line(self) -> None:
        for flags, says in WRONG:
            with self.subTest(flags=flags):
                self.assert_refused(run(*flags, argv=["/bin/true"]), says)

    def test_the_faces_that_others_reach_have_none_of_it(self) -> None:
        """A remote caller opens no network: neither a server nor its keys know these settings."""
        for args in (["warm", "start", "--egress", "pypi"], ["serve", "--egress", "pypi"]):
            with self.subTest(args=args):
                self.assertRegex(self.assert_status(glovebox(*args), 125).err, message("setting_words_unknown#2", "--egress"))

    def test_a_call_of_a_session_has_none_of_it(self) -> None:
        said = self.assert_status(glovebox("session", "exec", "--egress", "pypi", "lab", "1"), 125)
        self.assertIn("--egress", said.err)


class Explained(Case):
    """--explain shows the network, and nothing where there is none."""

    as_user = ("test_a_list_of_the_users",)

    def explain(self, *flags: str, **env: str) -> list[str]:
        """Return the lines of the part about the network."""
        said = self.assert_status(run("--explain", *flags, argv=["/bin/true"], env=dict(os.environ, **env)))
        part = said.out.partition("\nNetwork\n")[2].partition("\n\n")[0]
        return part.splitlines()

    def test_without_a_network_there_is_no_part(self) -> None:
        self.assertEqual(self.explain(), [])
        self.assertEqual(self.explain("--network", "none"), [])

    def test_the_list(self) -> None:
        lines = self.explain(
            "--egress", "pypi,api.example.org", "--egress", "db.internal:5432", "--allow-private", "db.internal",
            "--allow-host", "11434", "-p", "8080:8000", "-p", "8001", "--egress-rate=1m", "--egress-log=log",
            "--egress-proxy", "http://me:secret@proxy.bank:3128/",
        )  # fmt: skip
        wanted = """
reaches    pypi.org:443 tls
           files.pythonhosted.org:443 tls
           api.example.org:80 http
           api.example.org:443 tls
           db.internal:5432 raw, also at private addresses
           host.glovebox.internal:11434 raw, on the loopback of this machine
           host.docker.internal:11434 raw, on the loopback of this machine
published  127.0.0.1:8080 -> 8000 inside
           127.0.0.1, any free port -> 8001 inside
at once    256 connections
a second   1m
in all     no limit
through    http://proxy.bank:3128
log        log"""
        self.assertEqual(lines, wanted.strip().splitlines())

    def test_a_list_of_nothing(self) -> None:
        self.assertEqual(self.explain("--egress", "none")[0], "reaches    nothing")

    def test_a_list_has_a_name_in_lower_case(self) -> None:
        self.assertEqual(self.explain("--egress", "PyPI"), self.explain("--egress", "pypi"))

    def test_network_none_stands_beside_a_list(self) -> None:
        self.assertEqual(self.explain("--egress", "pypi", "--network=none"), self.explain("--egress", "pypi"))

    def test_a_list_of_the_users(self) -> None:
        folder = self.folder / "glovebox/egress.d"
        folder.mkdir(parents=True)
        (folder / "mine").write_text("# mine\nmirror.example:443\n")
        lines = self.explain("--egress", "mine", XDG_CONFIG_HOME=str(self.folder))
        self.assertEqual(lines[0], "reaches    mirror.example:443 tls")
        (folder / "mine").chmod(0o666)
        said = run("--egress", "mine", argv=["/bin/true"], env=dict(os.environ, XDG_CONFIG_HOME=str(self.folder)))
        self.assert_refused(said, message("egress_preset_open#others"))


class Shipped(Case):
    """The lists that come with glovebox."""

    def test_each_can_be_read(self) -> None:
        names = sorted(path.name for path in (ROOT / "policy/egress").iterdir())
        self.assertEqual(names, ["conda", "debian", "github", "huggingface", "npm", "pypi"])
        said = self.assert_status(run("--explain", "--egress", ",".join(names), argv=["/bin/true"]))
        self.assertIn("registry.npmjs.org:443 tls", said.out)

    def test_help_names_them(self) -> None:
        self.assertIn("pypi", glovebox("run", "--help").out)

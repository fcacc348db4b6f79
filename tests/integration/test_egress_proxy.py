"""--egress-proxy: hosts that are reached through the operator's own HTTP proxy, and no other way."""

import base64
import json
import os

from support.egress_case import NO_NAME, OTHER, REFUSED, RESET, V4, EgressCase
from support.messages import message, sentence

PROXY, NAME = "10.9.9.9", "proxy.bank"
URL = f"http://{NAME}:3128"

HOSTS = ("api", "refused", "moved", "garbage", "bare", "long", "leaves", "silent")


class Proxied(EgressCase):
    """A host whose resolver knows the proxy alone. Every name leads to V4, by what the proxy says."""

    how = "--warm=never"
    names = {NAME: [PROXY], **{f"{host}.example": [] for host in HOSTS}}
    servers = [
        (V4, 80, "http"),
        (V4, 443, "tls"),
        (V4, 5432, "echo"),
        (OTHER, 5432, "echo"),
        (PROXY, 3128, f"proxy {V4}"),
    ]
    local = [("127.0.0.1", 8000, "http"), ("127.0.0.1", 3129, f"proxy {V4}")]
    own = []

    def asked_since(self, before: int) -> list[tuple[str, str, str]]:
        """Return what the proxy was asked for."""
        return self.world.proxied()[before:]

    def test_every_kind_is_reached_through_it(self) -> None:
        names, before = len(self.world.asked()), len(self.world.proxied())
        said = self.tries("--egress-proxy", URL, "--egress", f"api.example,api.example:5432,*.wild.example:80,{V4}:5432", py=f"""
attempt("http", lambda: get("http://api.example/a"))
attempt("tls", lambda: tls("https://api.example/b"))
attempt("much", lambda: len(tls("https://api.example/bytes/3000000")))
attempt("raw", lambda: tcp("api.example", 5432, b"question"))
attempt("wild", lambda: get("http://a.wild.example/c"))
attempt("address", lambda: tcp("{V4}", 5432, b"question"))
""")  # fmt: skip
        self.assertEqual(said, {
            "http": f"api.example /a at {V4}\n", "tls": f"api.example /b at {V4}\n", "much": 3000000,
            "raw": "hello\nquestion", "wild": f"a.wild.example /c at {V4}\n", "address": "hello\nquestion",
        })  # fmt: skip
        self.assertEqual(self.asked_since(before), [
            (f"{host}", "CONNECT", "") for host in
            ("api.example:80", "api.example:443", "api.example:443", "api.example:5432", "a.wild.example:80", f"{V4}:5432")
        ])  # fmt: skip
        self.assertEqual(set(self.world.asked()[names:]), {NAME}, "names are the proxy's to resolve")

    def test_what_it_refuses_is_not_reached_directly(self) -> None:
        log = self.folder / "log"
        flags = ("--egress", f"refused.example:443:raw,moved.example:443:raw,{OTHER}:5432", "--egress-log", log)
        said = self.tries("--egress-proxy", URL, *flags, py=f"""
attempt("403", lambda: tcp("refused.example", 443, b"x"))
attempt("204", lambda: tcp("moved.example", 443, b"x"))
attempt("address", lambda: tcp("{OTHER}", 5432))
""")  # fmt: skip
        self.assertEqual(said, {"403": RESET, "204": RESET, "address": RESET})
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        told = [(line.get("name"), line["verdict"], line["reason"], line["proxy"], line.get("address")) for line in lines]
        self.assertEqual(told, [
            ("refused.example", "refused", sentence("flow_proxy_refuse#refused", 403), PROXY, None),
            ("moved.example", "refused", sentence("flow_proxy_refuse#refused", 204), PROXY, None),
            (None, "refused", sentence("flow_proxy_refuse#refused", 403), PROXY, None),
        ])  # fmt: skip
        # It is the proxy that stands in the way: without one the last of them is reached.
        said = self.tries("--egress-proxy", "none", *flags, py=f'attempt("address", lambda: tcp("{OTHER}", 5432, b"x"))')
        self.assertEqual(said, {"address": "hello\nx"})

    def test_the_list_is_judged_before_it_is_asked(self) -> None:
        before = len(self.world.proxied())
        said = self.tries("--egress-proxy", URL, "--egress", "api.example,0.0.0.0/0:5432", py=f"""
def as_if(name):
    context = ssl._create_unverified_context()
    with socket.create_connection(("api.example", 443), 20) as s, context.wrap_socket(s, server_hostname=name):
        return "reached"
attempt("sni", lambda: as_if("other.example"))
attempt("host", lambda: tcp("api.example", 80, b"GET / HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n"))
attempt("unlisted", lambda: get("http://other.example/"))
attempt("address", lambda: tcp("{V4}", 80))
attempt("the proxy", lambda: tcp("{PROXY}", 3128))
for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "192.0.2.1"):
    attempt(address, lambda: tcp(address, 5432))
""")  # fmt: skip
        for name in ("sni", "host"):
            self.assertIn(said.pop(name), (RESET, "SSLEOFError"), name)
        self.assertEqual(said, {
            "unlisted": NO_NAME, "address": RESET, "the proxy": REFUSED,
            **{address: RESET for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "192.0.2.1")},
        })  # fmt: skip
        self.assertEqual(self.asked_since(before), [])

    def test_what_is_no_answer_reaches_nobody(self) -> None:
        log = self.folder / "log"
        listed = ",".join(f"{host}.example:443:raw" for host in HOSTS)
        said = self.tries("--egress-proxy", URL, "--egress", f"{listed},api.example:5432", "--egress-log", log, py="""
for host in ("garbage", "bare", "long", "leaves"):
    attempt(host, lambda: tcp(host + ".example", 443))
waits = socket.create_connection(("silent.example", 443), 20)
waits.sendall(b"x")
waits.settimeout(0.2)
attempt("silent", lambda: waits.recv(1))
attempt("another, meanwhile", lambda: tcp("api.example", 5432))
""")  # fmt: skip
        self.assertEqual(said, {
            "garbage": RESET, "bare": RESET, "long": RESET, "leaves": RESET, "silent": "TimeoutError", "another, meanwhile": "hello\n",
        })  # fmt: skip
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        reasons = {line["name"].partition(".")[0]: line.get("reason") for line in lines}
        self.assertEqual(reasons, {
            "garbage": sentence("flow_proxy_refuse#proxy: ", sentence("http_answer_byte#not an")),
            "bare": sentence("flow_proxy_refuse#proxy: ", sentence("http_answer_byte#CRLF")),
            "long": sentence("flow_proxy_refuse#proxy: ", sentence("proxy_answer_byte")),
            "leaves": sentence("flow_proxy_is_gone"),
            "silent": sentence("flow_end_all"), "api": None,
        })  # fmt: skip

    def test_it_learns_who_asks_and_nobody_else_does(self) -> None:
        before = len(self.world.proxied())
        log = self.folder / "log"
        result = self.sandbox("--json", "--egress-proxy", f"http://user:p%40ss%3A@{PROXY}:3128", "--egress", "api.example",
                              "--egress-log", log, py='import urllib.request as u; print(u.urlopen("http://api.example/").read())')  # fmt: skip
        self.assert_status(result)
        user = base64.b64encode(b"user:p@ss:").decode()
        self.assertEqual(self.asked_since(before), [("api.example:80", "CONNECT", user)])
        for text in (log.read_text(), result.out, result.err):
            self.assertNotRegex(text, "p@ss|p%40ss|" + user)

    def test_this_machine_is_reached_directly(self) -> None:
        before = len(self.world.proxied())
        said = self.tries("--egress-proxy", "http://127.0.0.1:3129", "--egress", "api.example", "--allow-host", "8000", py="""
attempt("host", lambda: get("http://host.glovebox.internal:8000/x"))
attempt("api", lambda: get("http://api.example/x"))
""")  # fmt: skip
        self.assertEqual(said, {"host": "host.glovebox.internal:8000 /x at 127.0.0.1\n", "api": f"api.example /x at {V4}\n"})
        self.assertEqual(self.asked_since(before), [("api.example:80", "CONNECT", "")])

    def test_one_that_is_not_there(self) -> None:
        refused = self.sandbox("--egress-proxy", "http://nosuch.bank:3128", "--egress", "api.example", py="print('ran')")
        self.assert_refused(refused, message("proxy_resolve#address", "--egress-proxy", "nosuch.bank"))
        log = self.folder / "log"
        said = self.tries("--egress-proxy", f"http://{PROXY}:1", "--egress", "api.example:5432", "--egress-log", log,
                          py='attempt("x", lambda: tcp("api.example", 5432))')  # fmt: skip
        self.assertEqual(said, {"x": RESET})
        self.assertEqual(json.loads(log.read_text())["reason"], sentence("flow_connect_failure#1"))

    def test_a_file_decides_for_every_run_and_no_variable_does(self) -> None:
        folder = self.folder / "glovebox/egress.d"
        folder.mkdir(parents=True)
        file = folder / "proxy.url"
        self.variables = {"HTTPS_PROXY": URL, "https_proxy": URL, "ALL_PROXY": URL, "XDG_CONFIG_HOME": str(self.folder)}
        once = 'attempt("x", lambda: tcp("{}", 5432, b"x"))'
        for says, host, outcome, through in (
            ("", OTHER, "hello\nx", 0),
            (URL + "\n", OTHER, RESET, 1),
            (URL + "\n", V4, "hello\nx", 1),
            ("none\n", OTHER, "hello\nx", 0),
        ):
            with self.subTest(says=says, host=host):
                if says:
                    file.write_text(says)
                before = len(self.world.proxied())
                self.assertEqual(self.tries("--egress", f"{host}:5432", py=once.format(host)), {"x": outcome})
                self.assertEqual(len(self.asked_since(before)), through)
        file.write_text("https://proxy.bank\n")
        self.assert_refused(self.sandbox("--egress", f"{V4}:5432", py="1"), str(file), message("egress_proxy_parse#no"))
        self.assert_status(self.sandbox("--egress", f"{V4}:5432", "--egress-proxy", URL, py="1"))

    def environment(self) -> dict[str, str]:
        """Return those of the last test."""
        return dict(os.environ, **getattr(self, "variables", {}))


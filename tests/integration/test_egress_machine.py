"""What a machine's files say of every list: names that may be private (private.hosts), and an authority (ca.pem)."""

from support.egress_case import PRELUDE, RESET, EgressCase
from support.messages import message, sentence

DISTRUSTED = "SSLCertVerificationError"
ASK = """
def https(url, highest=None):
    context = ssl.create_default_context()
    if highest:
        context.maximum_version = highest
    return get(url, context=context).split(" ")[0]
attempt("newest", lambda: https("https://api.example/a"))
attempt("1.2", lambda: https("https://api.example/a", ssl.TLSVersion.TLSv1_2))
"""


class Files(EgressCase):
    """Files of the user's; those in /etc/glovebox are read by the same function."""

    how = "--warm=never"

    def setUp(self) -> None:
        super().setUp()
        self.place = self.folder / "glovebox/egress.d"
        self.place.mkdir(parents=True)

    def environment(self) -> dict[str, str]:
        """Return where the files are."""
        return {"XDG_CONFIG_HOME": str(self.folder)}

    def test_names_that_may_be_private(self) -> None:
        ask = 'attempt("db", lambda: tcp("db.internal", 5432, b"x"))'
        list_of = ("--egress", "db.internal:5432,api.example")
        file = self.place / "private.hosts"
        for says, outcome in (
            (None, RESET),
            ("", RESET),
            ("other.internal\n", RESET),
            ("# ours\n\nnosuch.internal\r\n  db.internal # the database\r\n", "hello\nx"),
            ("db.internal", "hello\nx"),
        ):
            with self.subTest(says=says):
                if says is not None:
                    file.write_text(says)
                self.assertEqual(self.tries(*list_of, py=ask), {"db": outcome})
        # The file opens nothing that no list names.
        self.assertEqual(self.tries("--egress", "api.example", py=ask), {"db": "gaierror"})
        file.write_text("db.internal\nan odd host\n")
        self.assert_refused(self.sandbox(*list_of, py="1"), str(file))
        self.assert_status(self.sandbox(py="1"))

    def test_an_authority(self) -> None:
        file = self.place / "ca.pem"
        file.write_bytes(self.world.certificate.read_bytes())
        self.assertEqual(self.tries("--egress", "api.example", py=ASK), {"newest": "api.example", "1.2": "api.example"})
        self.assertEqual(self.tries("--egress", "api.example", "--ca", "none", py=ASK), {"newest": DISTRUSTED, "1.2": DISTRUSTED})
        seen = 'import os; print(os.environ.get("SSL_CERT_FILE"))'
        self.assert_prints("None", self.sandbox(py=seen))
        file.write_text("no certificate\n")
        self.assert_refused(self.sandbox("--egress", "api.example", py="1"), message("ca_check#no", str(file)))
        self.assert_status(self.sandbox(py="1"))

    def test_a_program_that_trusts_no_certificate_is_named(self) -> None:
        """--ca mends it. Whoever trusts is not counted."""
        reason = sentence("flow_record")
        said = self.sandbox("--egress", "api.example,other.example", py=f"{PRELUDE}{ASK}")
        self.assertIn(f"[NETWORK] refused 2 connections or lookups: api.example:443: {reason}\n", said.err)
        told = self.sandbox("--json", "--egress", "api.example", "-v", f"{self.world.certificate}:/certificate.pem:ro",
                            py=PRELUDE + 'attempt("x", lambda: tls("https://api.example/a"))')  # fmt: skip
        self.assertEqual(self.assert_status(told).json["egress"]["refused"], 0)

"""test_absent - the line behind a traceback about a network or a module that is not there."""

import errno
import socket
import sys
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "rootfs/guest"))

import absent  # noqa: E402

NETWORK = ["[NETWORK] there is none here: --egress HOST opens it\n"]
TO_ADD = "glovebox image build python --pip {}, or %pip where there is --egress pypi and --writable\n"


def raised(source: str) -> BaseException:
    """Return what a source raises."""
    try:
        exec(source, {"socket": socket})
    except BaseException as error:
        return error
    raise AssertionError("it raises nothing")


def lines(error: BaseException, has_network: bool = False) -> list[str]:
    """Return what is said of it."""
    return absent.lines(error, lambda: has_network)


class Network(unittest.TestCase):
    """Lookups and connections that fail."""

    def test_what_failed_for_want_of_it(self) -> None:
        for error in (
            socket.gaierror(-3, "Temporary failure in name resolution"),
            OSError(errno.ENETUNREACH, "Network is unreachable"),
            raised("try: raise socket.gaierror(-3, 'x')\nexcept OSError as e: raise RuntimeError('pool') from e"),
            raised("try: raise socket.gaierror(-3, 'x')\nexcept OSError: raise ValueError from None"),
            RuntimeError("IO Error: Could not resolve host: example.org"),
        ):
            with self.subTest(repr(error)):
                self.assertEqual(lines(error), NETWORK)
                self.assertEqual(lines(error, has_network=True), [])

    def test_what_failed_otherwise(self) -> None:
        for error in (ConnectionRefusedError(errno.ECONNREFUSED, "x"), ValueError(7), OSError("odd"), KeyError(b"dns error")):
            with self.subTest(repr(error)):
                self.assertEqual(lines(error), [])

    def test_a_chain_that_is_a_ring_or_long(self) -> None:
        first, second = ValueError(), ValueError()
        first.__cause__, second.__cause__ = second, first
        self.assertEqual(lines(first), [])
        for _ in range(1000):
            error = ValueError()
            error.__context__, first = first, error
        self.assertEqual(lines(first), [])


class Modules(unittest.TestCase):
    """Modules that are not installed."""

    def test_a_name_that_nobody_knows_is_not_told_to_pip(self) -> None:
        error = raised("import no_such_module.part")
        self.assertEqual(lines(error), ["[PACKAGES] no_such_module is not installed: " + TO_ADD.format("NAME")])

    def test_another_that_is_here_is_named(self) -> None:
        said = absent.OTHERS | {"no_such_module": ("nor_this", "json")}
        with unittest.mock.patch.object(absent, "OTHERS", said):
            self.assertEqual(
                lines(raised("import no_such_module")),
                ["[PACKAGES] no_such_module is not installed, json is: " + TO_ADD.format("no_such_module")],
            )

    def test_with_network_and_writable_root_pip_is_the_way(self) -> None:
        with unittest.mock.patch.object(absent, "is_writable", lambda: True):
            error = ModuleNotFoundError("No module named 'cv2'", name="cv2")
            with unittest.mock.patch.object(absent, "is_here", lambda name: False):
                self.assertEqual(lines(error, True), ["[PACKAGES] cv2 is not installed: %pip install opencv-python-headless\n"])
                self.assertIn("image build", lines(error, False)[0])

    def test_import_error_of_a_library_that_lacks_one(self) -> None:
        source = "try: import no_such_module\nexcept ImportError: raise ImportError('Missing optional dependency')"
        self.assertEqual(len(lines(raised(source))), 1)

    def test_what_is_no_missing_package(self) -> None:
        for source in ("import json.nosuch", "from json import nosuch", "try: import no_such_module\nexcept ImportError: 1/0"):
            with self.subTest(source):
                self.assertEqual(lines(raised(source)), [])
        for name in (7, "a b", "", "x" * 50, None):
            with self.subTest(name):
                self.assertEqual(lines(ModuleNotFoundError("odd", name=name)), [])


if __name__ == "__main__":
    unittest.main()

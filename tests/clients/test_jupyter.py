"""Jupyter's tests of kernels and its client, as they come from their registry, with `glovebox kernel` (make check-clients)."""

import hashlib
from typing import Any

from support.jupyter_clients import NAME, OF_IPYTHON, Jupyter
from support.times import DEADLINE

# jupyter_kernel_test asks what is given here, and skips what is not.
SUITE = """
import unittest
from jupyter_kernel_test import KernelTests

class Suite(KernelTests):
    kernel_name, language_name, file_extension = sys.argv[1], "python", ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\\n  return x*2\\n\\n\\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_page_something = "zip?"
    code_generate_error = "raise"
    code_execute_result = [{"code": "6*7", "result": "42"}]
    code_display_data = [
        {"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "from IPython.display import Math, display; display(Math('\\\\frac{1}{2}'))", "mime": "text/latex"}]
    code_history_pattern = "?*7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"

result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Suite))
tell(result.testsRun, len(result.skipped), [[str(test), text] for test, text in result.failures + result.errors])
"""

CLIENT = """
from jupyter_client.manager import start_new_kernel
LONG = float(sys.argv[1])
manager, client = start_new_kernel(kernel_name="glovebox", startup_timeout=LONG)

def run(code, hook=lambda kind, content: None, **more):
    seen = []
    def take(message):
        kind, content = message["msg_type"], message["content"]
        if kind not in ("status", "execute_input"):
            seen.append((kind, content))
            hook(kind, content)
    reply = client.execute_interactive(code, output_hook=take, timeout=LONG, **more)["content"]
    return reply, seen

def value(code, **more):
    (kind, content), = run(code, **more)[1]
    return content["data"]["text/plain"]

def text(seen, name="stdout"):
    return "".join(content["text"] for kind, content in seen if kind == "stream" and content["name"] == name)
"""

END = """
client.stop_channels()
manager.shutdown_kernel()
tell(manager.is_alive())
"""

LIFE = """
def ports():
    return {name: port for name, port in manager.get_connection_info().items() if name.endswith("_port")}

before = ports()
run("x = 41")
tell(value("x + 1"), client.is_alive(), client.hb_channel.is_beating())
for now in (False, True):
    manager.restart_kernel(now=now)
    client.wait_for_ready(timeout=LONG)
    tell(ports() == before, value("'x' in globals()"))
    run("x = 1")
info = client.kernel_info(reply=True, timeout=LONG)["content"]
tell(info["implementation"], info["language_info"]["name"], info["protocol_version"], info["debugger"])
"""

KILLED = """
import signal
run("x = 1")
tell("there")
os.kill(os.getpid(), signal.SIGKILL)
"""

INTERRUPT = """
def interrupt(kind, content):
    if kind == "stream" and "begun" in content["text"]:
        manager.interrupt_kernel()

for loop in ("pass", "__import__('time').sleep(60)", "input()"):
    reply, seen = run(f"x = 1\\nprint('begun')\\nwhile True: {loop}", interrupt, stdin_hook=lambda message: None)
    tell(reply["status"], reply["ename"], text(seen), seen[-1][1]["ename"])
tell(value("x"))
"""

QUESTIONS = """
def answer(message):
    tell(message["content"])
    client.input("m\\u00fc")

tell(value("input('name? ')", allow_stdin=True, stdin_hook=answer))
tell(value("import getpass; getpass.getpass('secret: ')", allow_stdin=True, stdin_hook=answer))
tell(run("input('name? ')", allow_stdin=False)[0]["ename"])
"""

# The others are there before the first goes on. A client that has waited long has asked more than once for the kernel's information.
ABORTED = """
def states(*others, **more):
    sent = [client.execute("input(); 1 / 0", allow_stdin=True, **more)]
    client.get_stdin_msg(timeout=LONG)
    sent += [client.execute(code) for code in others]
    client.input("")
    replies = []
    while len(replies) < len(sent):
        reply = client.get_shell_msg(timeout=LONG)
        if reply["msg_type"] == "execute_reply":
            replies.append(reply)
    return [reply["content"]["status"] for reply in replies], [reply["parent_header"]["msg_id"] for reply in replies] == sent

tell(*states("x = 1", "x = 2"))
tell(value("'x' in globals()"))
tell(*states("x = 3", stop_on_error=False), value("x"))
"""

OUTPUT = """
import hashlib
for code in ("for i in range(200): print(f'{i:05}' * 20_000)", "for i in range(100_000): print(i)"):
    seen = run(code)[1]
    tell({kind for kind, _ in seen} == {"stream"}, hashlib.sha256(text(seen).encode()).hexdigest())
"""

DISPLAYS = """
reply, seen = run("handle = display(1, display_id=True)\\nprint('between')\\nhandle.update(2)\\ndisplay(3)")
identity = seen[0][1]["transient"]["display_id"]
tell([(kind, content.get("data", {}).get("text/plain"), content.get("transient") == {"display_id": identity}) for kind, content in seen])
reply, seen = run("from IPython.display import clear_output\\nprint('gone')\\nclear_output(wait=True)\\nprint('here')")
tell([(kind, content.get("wait"), content.get("text")) for kind, content in seen])
"""


EXPRESSIONS = """
asked = {"good": "x + 1", "bad": "1 / 0"}
found = run("x = 41", user_expressions=asked)[0]["user_expressions"]
tell(found["good"]["status"], found["good"]["data"], found["bad"]["status"], found["bad"]["ename"])
tell(run("1 / 0", user_expressions=asked)[0].get("user_expressions"))
"""

LOST = """
run("x = 1")
tell(run("import os; os._exit(1)")[0]["ename"])
tell(value("'x' in globals()"))
tell(run("raise SystemExit(3)")[0]["ename"], value("1 + 1"))
"""

COMMS = """
client.shell_channel.send(client.session.msg("comm_open", {"comm_id": "one", "target_name": "jupyter.widget", "data": {}}))
closed = None
while not closed:
    message = client.get_iopub_msg(timeout=LONG)
    closed = message["content"] if message["msg_type"] == "comm_close" else None
tell(closed["comm_id"], value("1 + 1"))
"""


class Suite(Jupyter):
    """The tests that Jupyter has for kernels."""

    def performed(self, kernel: str) -> tuple[int, int, list[list[str]]]:
        """Return how many were performed and skipped, and what has failed."""
        ((count, skipped, failed),) = self.told(SUITE, kernel)
        return count, skipped, failed

    def test_with_ipykernel(self) -> None:
        """IPython's own kernel, as it is here, passes all but this: it calls the session that it is in 0."""
        count, skipped, failed = self.performed(OF_IPYTHON)
        self.assertEqual((count, skipped), (12, 0))
        for test, text in failed:
            self.assertRegex(test, r"^test_history .*hist_access_type='range'")
            self.assertRegex(text, r"AssertionError: 0 != \d+\n")

    def test_with_glovebox(self) -> None:
        """All of them."""
        self.assertEqual(self.performed(NAME), (12, 0, []))


class Client(Jupyter):
    """jupyter_client, on which all others stand."""

    def assert_tells(self, program: str, *wanted: list[Any]) -> None:
        """Assert what a program tells that has a kernel, which it ends."""
        self.assertEqual(self.told(CLIENT + program + END, str(DEADLINE)), [*wanted, [False]])

    def test_a_life(self) -> None:
        """Start, restart in two ways, the end."""
        self.assert_tells(LIFE, ["42", True, True], *[[True, "False"]] * 2, ["glovebox", "python", "5.3", False])

    def test_a_client_that_is_killed(self) -> None:
        """Its kernel ends, too."""
        self.assertEqual(self.told(CLIENT + KILLED, str(DEADLINE), status=-9), [["there"]])

    def test_interrupted(self) -> None:
        """A cell that computes, one that sleeps, one that asks; what was there stays."""
        self.assert_tells(INTERRUPT, *[["error", "KeyboardInterrupt", "begun\n", "KeyboardInterrupt"]] * 3, ["1"])

    def test_questions(self) -> None:
        """input(), getpass(), and a client that cannot be asked."""
        first, second = {"prompt": "name? ", "password": False}, {"prompt": "secret: ", "password": True}
        self.assert_tells(QUESTIONS, [first], ["'mü'"], [second], ["'mü'"], ["StdinNotImplementedError"])

    def test_cells_behind_one_that_fails(self) -> None:
        """They are aborted, unless it says otherwise."""
        self.assert_tells(ABORTED, [["error", "aborted", "aborted"], True], ["False"], [["error", "ok"], True, "3"])

    def test_much_output(self) -> None:
        """20 MB in long lines, and many short ones: each byte comes."""
        wanted = ("".join(f"{i:05}" * 20_000 + "\n" for i in range(200)), "".join(f"{i}\n" for i in range(100_000)))
        self.assert_tells(OUTPUT, *([True, hashlib.sha256(text.encode()).hexdigest()] for text in wanted))

    def test_displays(self) -> None:
        """Their order, updates, cleared output."""
        shown = [["display_data", "1", True], ["stream", None, False], ["update_display_data", "2", True], ["display_data", "3", False]]
        self.assert_tells(DISPLAYS, [shown], [[["stream", None, "gone\n"], ["clear_output", True, None], ["stream", None, "here\n"]]])

    def test_expressions(self) -> None:
        """user_expressions, each with its own outcome; none after an error."""
        self.assert_tells(EXPRESSIONS, ["ok", {"text/plain": "42"}, "error", "ZeroDivisionError"], [{}])

    def test_a_lost_interpreter(self) -> None:
        """The next cell has another; SystemExit ends none."""
        self.assert_tells(LOST, ["SandboxLost"], ["False"], ["SystemExit", "2"])

    def test_comms(self) -> None:
        """What a widget opens is closed."""
        self.assert_tells(COMMS, ["one", "2"])

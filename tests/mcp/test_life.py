"""The life of `glovebox mcp`: calls at once, cancellation, progress, and what is lost or ends."""

import contextlib
import os
import select
import signal
import time
from typing import Any

from support.mcp import ENVELOPE, Mcp, McpCase
from support.messages import message
from support.times import DEADLINE, wait_until
from support.warm import Warm, silent

SLEEP = "import time\nprint('began', flush=True)\ntime.sleep(3600)"

STUBBORN = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + SLEEP


def wait_for_line(mcp: Mcp, line: str) -> None:
    """Wait until a call with progress says that this is its last line."""
    while mcp.message().get("params", {}).get("message") != line:
        pass


class Calls(McpCase):
    """Several calls, and calls that nobody wants any more."""

    def begin_to_sleep(self, mcp: Mcp, **given: Any) -> int:
        """Start a call that would take an hour; it runs on return."""
        number = mcp.call("execute_python", {"progressToken": "sleeps"}, code=SLEEP, **given)
        wait_for_line(mcp, "began")
        return number

    def test_calls_of_one_session_take_turns(self) -> None:
        codes = ["import time; order = [1]; time.sleep(0.3)", "order.append(2)", "order.append(3); order"]
        numbers = [self.mcp.call("execute_python", code=code) for code in codes]
        found = [self.mcp.answer(number)["result"]["structuredContent"] for number in numbers]
        self.assertEqual(found[2]["value"], "[1, 2, 3]")

    def test_calls_of_two_sessions_run_side_by_side(self) -> None:
        first = self.begin_to_sleep(self.mcp, session="slow")
        self.assertEqual(self.mcp.run("6 * 7", session="quick")["value"], "42")
        self.mcp.cancel(first)
        self.assertEqual(self.mcp.run("6 * 7", session="slow")["value"], "42")
        for name in ("slow", "quick"):
            self.mcp.use("reset_session", session=name)

    def test_cancelled_call_is_interrupted_and_not_answered(self) -> None:
        self.mcp.run("kept = 1")
        number = self.begin_to_sleep(self.mcp, timeout=50)
        self.mcp.cancel(number)
        found = self.mcp.run("kept")
        self.assertEqual((found["value"], found["new_session"]), ("1", False))
        self.assertNotIn(number, [kept.get("id") for kept in self.mcp._kept])

    def test_what_cannot_be_interrupted_is_killed(self) -> None:
        mcp = self.start_mcp()
        number = mcp.call("execute_python", {"progressToken": 1}, code=STUBBORN, timeout=50)
        wait_for_line(mcp, "began")
        mcp.cancel(number)
        found = mcp.run("6 * 7")
        self.assertEqual((found["value"], found["new_session"]), ("42", True))

    def test_waiting_call_is_cancelled(self) -> None:
        first = self.begin_to_sleep(self.mcp)
        second = self.mcp.call("execute_python", code="was_run = True")
        self.mcp.cancel(second)
        self.mcp.cancel(first)
        self.assertEqual(self.mcp.run("'was_run' in globals()")["value"], "False")

    def test_first_call_is_cancelled_while_its_session_begins(self) -> None:
        for _ in range(5):
            mcp = self.start_mcp()
            mcp.cancel(mcp.call("execute_python", code=SLEEP))
            self.assertEqual(mcp.run("6 * 7")["value"], "42")

    def test_cancellation_of_what_is_over_or_unknown(self) -> None:
        number = self.mcp.call("execute_python", code="1")
        self.mcp.answer(number)
        for other in (number, "nobody's", 10**30):
            self.mcp.cancel(other)
        self.assertEqual(self.mcp.ask("ping"), {})

    def test_cancellation_by_a_modern_client(self) -> None:
        params = {"name": "execute_python", "arguments": {"code": SLEEP, "session": "modern"}}
        params["_meta"] = ENVELOPE | {"progressToken": 1}
        self.mcp.send({"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": params})
        wait_for_line(self.mcp, "began")
        self.mcp.cancel("m")
        self.assertEqual(self.mcp.run("6 * 7", session="modern")["value"], "42")
        self.mcp.use("reset_session", session="modern")

    def test_progress(self) -> None:
        code = "import time\nfor i in range(4): print('line', i, flush=True); time.sleep(0.8)"
        token = 9007199254740993
        number = self.mcp.call("execute_python", {"progressToken": token}, code=code)
        self.mcp.answer(number)
        notes = [note["params"] for note in self.mcp.notes()]
        self.assertTrue(notes)
        steps = [note["progress"] for note in notes]
        self.assertEqual(steps, sorted(set(steps)))
        self.assertEqual({note["progressToken"] for note in notes}, {token})
        self.assertTrue(all(note["total"] >= note["progress"] for note in notes))
        self.assertTrue(any(note.get("message", "").startswith("line ") for note in notes))
        self.mcp._kept.clear()

    def test_no_progress_unless_asked_for(self) -> None:
        self.mcp.run("__import__('time').sleep(1.5)")
        self.assertEqual(self.mcp.notes(), [])

    def test_too_many_requests(self) -> None:
        first = self.begin_to_sleep(self.mcp)
        numbers = [self.mcp.call("execute_python", code="1") for _ in range(70)]
        self.mcp.cancel(first)
        answers = [self.mcp.answer(number) for number in numbers]
        self.assertEqual(sum("error" in answer for answer in answers), 70 - 63)

    def test_too_many_sessions(self) -> None:
        mcp = self.start_mcp("--max-sessions", "2")
        for name in ("a", "b"):
            self.assertEqual(mcp.run("1", session=name)["value"], "1")
        refused = mcp.use("execute_python", code="1")
        self.assertTrue(refused["isError"])
        self.assertIn("reset_session", refused["content"][0]["text"])
        mcp.use("reset_session", session="a")
        self.assertEqual(mcp.run("1")["value"], "1")

    def test_reset(self) -> None:
        mcp = self.start_mcp()
        self.assertFalse(mcp.use("reset_session")["structuredContent"]["ended"])
        mcp.run("kept = 1; open('file', 'w').close()")
        self.assertTrue(mcp.use("reset_session")["structuredContent"]["ended"])
        found = mcp.run("'kept' in globals(), __import__('os').listdir()")
        self.assertEqual((found["value"], found["new_session"]), ("(False, [])", True))

    def test_client_that_does_not_read(self) -> None:
        """It waits, does nothing, and goes on when it is read again."""
        code = "print('x' * 40000)"
        numbers = [self.mcp.call("execute_python", code=code) for _ in range(60)]
        for number in numbers:
            self.assertEqual(len(self.mcp.answer(number)["result"]["structuredContent"]["stdout"]), 40001)


class Losses(McpCase):
    """Sessions that end by themselves; the next call says so."""

    def lose(self, code: str, status: str) -> str:
        """Lose a session by a program, and return what the next call says in words."""
        mcp = self.start_mcp("--memory", "100m")
        mcp.run("kept = 1")
        result = mcp.use("execute_python", code=code)
        found = result["structuredContent"]
        self.assertEqual((found["status"], found["session_lost"], result["isError"]), (status, True, True))
        self.assertRegex(result["content"][0]["text"], message("mcp_execute_say_verdict#next"))
        after = mcp.use("execute_python", code="'kept' in globals()")
        self.assertTrue(after["structuredContent"]["new_session"])
        self.assertEqual(after["structuredContent"]["value"], "False")
        self.assertFalse(mcp.run("1")["new_session"])
        return after["content"][0]["text"]

    def test_memory(self) -> None:
        self.assertIn("memory limit", self.lose("x = bytearray(300 << 20)", "memory"))

    def test_crash(self) -> None:
        self.assertRegex(self.lose("import os; os._exit(3)", "crashed"), message("mcp_session_put_notice#before"))
        self.assertRegex(self.lose("import os; os.kill(os.getpid(), 11)", "crashed"), message("mcp_session_put_notice#before"))

    def test_end_between_two_calls(self) -> None:
        mcp = self.start_mcp()
        code = "import os, threading\nthreading.Timer(0.2, os._exit, [0]).start()\nkept = 1"
        mcp.run(code)
        time.sleep(0.5)
        result = mcp.use("execute_python", code="'kept' in globals()")
        found = result["structuredContent"]
        if found["session_lost"]:  # the call came first
            found = mcp.run("'kept' in globals()")
        self.assertEqual((found["value"], found["new_session"]), ("False", True))

    def test_supervisor_is_killed(self) -> None:
        mcp = self.start_mcp()
        mcp.run("kept = 1")
        os.kill(mcp.supervisor(), signal.SIGKILL)
        result = mcp.use("execute_python", code="'kept' in globals()")
        self.assertEqual(result["structuredContent"]["value"], "False")
        self.assertRegex(result["content"][0]["text"], message("mcp_session_put_notice#before"))

    def test_supervisor_is_killed_in_a_call(self) -> None:
        mcp = self.start_mcp()
        number = mcp.call("execute_python", {"progressToken": 1}, code=SLEEP)
        wait_for_line(mcp, "began")
        os.kill(mcp.supervisor(), signal.SIGKILL)
        result = mcp.answer(number)["result"]
        self.assertTrue(result["isError"])
        self.assertTrue(result["structuredContent"]["session_lost"])
        self.assertEqual(mcp.run("6 * 7")["value"], "42")

    def test_supervisor_is_killed_again_and_again(self) -> None:
        mcp = self.start_mcp()
        for _ in range(4):
            self.assertEqual(mcp.run("6 * 7")["value"], "42")
            os.kill(mcp.supervisor(), signal.SIGKILL)


class Ends(McpCase):
    """However it ends, nothing stays: discard() of each process asserts it."""

    def busy(self) -> Mcp:
        """Return one in which a program runs, and ignores what it is asked."""
        mcp = self.start_mcp()
        mcp.call("execute_python", {"progressToken": 1}, code=STUBBORN, timeout=50)
        wait_for_line(mcp, "began")
        return mcp

    def test_standard_input_ends(self) -> None:
        mcp = self.start_mcp()
        mcp.run("1")
        self.assertEqual(mcp.hang_up(), 0)

    def test_standard_input_ends_in_a_call(self) -> None:
        mcp = self.busy()
        self.assertEqual(mcp.hang_up(), 0)
        self.assertTrue(wait_until(lambda: not mcp.family()))

    def test_standard_input_ends_at_once(self) -> None:
        mcp = self.start_mcp(version="")
        self.assertEqual(mcp.hang_up(), 0)

    def test_standard_input_ends_in_the_middle_of_a_line(self) -> None:
        mcp = self.start_mcp()
        mcp.write(b'{"jsonrpc":"2.0","id":1,"meth')
        self.assertEqual(mcp.hang_up(), 0)

    def test_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            mcp = self.busy()
            mcp.process.send_signal(number)
            self.assertEqual(mcp.process.wait(DEADLINE), 0)
            self.assertTrue(wait_until(lambda mcp=mcp: not mcp.family()))

    def test_standard_output_is_closed(self) -> None:
        theirs, ours = os.pipe()
        mcp = self.start_mcp(version="", stdout=ours)
        os.close(theirs)
        os.close(ours)
        with contextlib.suppress(BrokenPipeError):
            mcp.request("ping")
        self.assertEqual(mcp.process.wait(DEADLINE), 0)

    def test_killed(self) -> None:
        mcp = self.busy()
        mcp.process.kill()
        self.assertTrue(wait_until(lambda: not mcp.family()))


class Shared(Warm):
    """Cells of the user's warm supervisor: sessions end with the connection, and it goes on."""

    as_user = True

    def sessions(self) -> list[str]:
        """Return the names of the sessions that live."""
        rows = self.assert_status(self.glovebox("session", "ls", "--json")).json
        return [row["name"] for row in (rows if isinstance(rows, list) else rows["sessions"])]

    def test_sessions_end_with_the_connection(self) -> None:
        self.start_warm()
        mcp = Mcp(runtime=self.place)
        self.addCleanup(mcp.discard)
        mcp.begin()
        self.assertEqual(mcp.run("6 * 7")["value"], "42")
        mcp.run("1", session="other")
        names = self.sessions()
        self.assertEqual(len(names), 2)
        self.assertTrue(all(name.startswith("mcp-") for name in names))
        mcp.hang_up()
        self.assertEqual(self.sessions(), [])

    def test_session_that_somebody_has_ended(self) -> None:
        self.start_warm()
        mcp = Mcp(runtime=self.place)
        self.addCleanup(mcp.discard)
        mcp.begin().run("kept = 1")
        (name,) = self.sessions()
        self.assert_status(self.glovebox("session", "rm", name))
        result = mcp.use("execute_python", code="'kept' in globals()")
        self.assertEqual(result["structuredContent"]["value"], "False")
        self.assertRegex(result["content"][0]["text"], message("mcp_session_put_notice#before"))
        self.assertNotIn(name, result["content"][0]["text"])

    def test_supervisor_of_the_user_ends(self) -> None:
        """Another is started, for this connection alone."""
        self.start_warm()
        mcp = Mcp(runtime=self.place)
        self.addCleanup(mcp.discard)
        mcp.begin().run("kept = 1")
        self.assert_status(self.warm("stop"))
        result = mcp.use("execute_python", code="'kept' in globals()")
        self.assertEqual(result["structuredContent"]["value"], "False")

    def test_supervisor_of_the_user_does_not_answer(self) -> None:
        """Another begins new sessions; those that the user's has go on when it does."""
        supervisor = self.start_warm()
        mcp = Mcp(runtime=self.place)
        self.addCleanup(mcp.discard)
        mcp.begin().run("kept = 1")
        os.kill(supervisor, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor, signal.SIGCONT)
        self.assertEqual(mcp.run("6 * 7", session="other")["value"], "42")
        os.kill(supervisor, signal.SIGCONT)
        self.assertEqual(mcp.run("kept")["value"], "1")
        mcp.hang_up()
        self.assertEqual(self.sessions(), [])


class Recoveries(Warm):
    """Its own supervisor ends; until there is another, everything else is answered."""

    def setUp(self) -> None:
        """Start one, which has a session in a supervisor of its own."""
        super().setUp()
        self.mcp = Mcp(runtime=self.place)
        self.addCleanup(self.mcp.discard)
        self.mcp.begin().run("kept = 1")

    def kill_supervisor(self) -> None:
        """Kill it, and wait until nothing of it is left."""
        os.kill(self.mcp.supervisor(), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not list(self.mcp.temporary.glob("glovebox-agent-*"))))

    def begin(self) -> list[int]:
        """Call two sessions, which both need another supervisor."""
        return [self.mcp.call("execute_python", code="'kept' in globals()", session=name) for name in ("main", "other")]

    def test_ping_is_answered_meanwhile(self) -> None:
        """The user's supervisor is asked first, and takes its time; then there is one more, for all who wait."""
        self.kill_supervisor()
        with silent(self.place) as clients:
            numbers = self.begin()
            with clients.get(timeout=DEADLINE) as asks:
                asks.recv(1 << 17)
                self.assertEqual(self.mcp.ask("ping"), {})
                self.assertEqual(self.mcp._kept, [], "it was answered first")
                self.assertEqual(select.select([asks], [], [], 0)[0], [], "the question has not been given up")
            for number in numbers:
                found = self.mcp.answer(number)["result"]["structuredContent"]
                self.assertEqual((found["value"], found["new_session"]), ("False", True))
        self.mcp.supervisor()  # there is one

    def test_nobody_wants_it_any_more(self) -> None:
        self.kill_supervisor()
        with silent(self.place) as clients:
            numbers = self.begin()
            with clients.get(timeout=DEADLINE) as asks:
                for number in numbers:
                    self.mcp.cancel(number)
                asks.settimeout(DEADLINE)
                while asks.recv(1 << 17):
                    pass
            self.assertEqual(self.mcp.run("6 * 7")["value"], "42")
        self.assertEqual(self.mcp._kept, [])

    def test_the_end_meanwhile(self) -> None:
        self.kill_supervisor()
        with silent(self.place) as clients:
            self.begin()
            with clients.get(timeout=DEADLINE):
                self.assertEqual(self.mcp.hang_up(), 0)

    def test_the_users_takes_over(self) -> None:
        self.start_warm()
        self.kill_supervisor()
        for number in self.begin():
            self.assertEqual(self.mcp.answer(number)["result"]["structuredContent"]["value"], "False")
        sessions = self.assert_status(self.glovebox("session", "ls", "--json")).json
        self.assertEqual(len(sessions if isinstance(sessions, list) else sessions["sessions"]), 2)

    def test_there_can_be_no_other(self) -> None:
        """Each call says why; and later ones find that there can."""
        self.kill_supervisor()
        aside = self.mcp.temporary.rename(self.folder / "aside")
        for number in self.begin():
            result = self.mcp.answer(number)["result"]
            self.assertTrue(result["isError"])
            self.assertRegex(result["content"][0]["text"], message("scratch_open#directory"))
        aside.rename(self.mcp.temporary)
        self.assertEqual(self.mcp.run("6 * 7")["value"], "42")

    def test_one_that_does_not_answer(self) -> None:
        """It is replaced, and goes."""
        os.kill(self.mcp.supervisor(), signal.SIGSTOP)
        self.assertEqual(self.mcp.run("'kept' in globals()", session="other")["value"], "False")
        self.assertTrue(wait_until(lambda: len(list(self.mcp.temporary.glob("glovebox-agent-*"))) == 1))
        self.assertEqual(self.mcp.run("'kept' in globals()")["value"], "False")

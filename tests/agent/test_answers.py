"""What the loop believes: replies in words, with code beside them, after failures."""

import base64
import json
import struct
import threading
import zlib

from support.agent import AgentCase, answer, fence
from support.messages import sentence
from support.model import LOADED, Action, Answer, FakeOllama, Forever, Gate, Model, Reply, Wait, call, recorded, reply
from support.run import execute
from support.times import wait_until

TOOLS = (Model("m:latest", ("completion", "tools")),)
SNIPPET = "**March** was best. Reproduce it with:\n```python\nprint('again')\n```\n"


def picture(width: int, height: int) -> bytes:
    """Return a PNG that promises so many pixels."""
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IEND", b""))
    made = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


class Answers(AgentCase):
    """One task each; the rules themselves are cases of replies/decisions.txt."""

    def test_words_are_an_answer(self) -> None:
        run = self.agent([reply("Hello! How can I help you today?")])
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"], "Hello! How can I help you today?")

    def test_announced_work_is_asked_for_once(self) -> None:
        run = self.agent([reply("I will now load the file."), reply("I will now load the file.")])
        self.assert_status(run.result)
        self.assertEqual(len(run.of("feedback")), 1)

    def test_what_the_model_is_told_is_shown_only_on_demand(self) -> None:
        for flags in ((), ("--verbose",)):
            run = self.agent([reply("I will now load the file."), answer("x")], *flags, json=False)
            self.assertEqual("neither code nor an answer" in run.result.err, bool(flags), run.result.err)
            self.assertNotIn("\\n", run.result.err)

    def test_with_tools_an_answer_that_shows_code_is_not_run(self) -> None:
        run = self.agent([call("print('March')"), reply(SNIPPET)], models=TOOLS)
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertTrue(run.end["answer"].startswith("**March** was best."))

    def test_a_model_that_is_offered_tools_may_write_blocks(self) -> None:
        run = self.agent([fence("x = 6"), fence("print(x * 7)"), answer("42")], models=TOOLS)
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok", "ok"])

    def test_code_that_ran_with_the_same_result_is_not_run_again(self) -> None:
        run = self.agent([fence("x = 1"), reply(SNIPPET), reply(SNIPPET)])
        self.assert_status(run.result)
        self.assertEqual(len(run.verdicts), 2)
        self.assertTrue(run.end["answer"].startswith("**March** was best."))

    def test_codes_that_take_turns_are_not_run_for_ever(self) -> None:
        one, two = fence("print(1)"), fence("print(2)")
        run = self.agent([one, two, one, two, one, answer("1 and 2")], "--iterations=9")
        self.assert_status(run.result)
        self.assertEqual(len(run.verdicts), 4)
        self.assertIn("has run already", run.told(5))

    def test_the_same_code_with_another_result_runs_again(self) -> None:
        grow, show = fence("x = globals().get('x', 0) + 1"), fence("print('x', x)")
        run = self.agent([grow, show, grow, show, answer("2")])
        self.assert_status(run.result)
        self.assertEqual([e["stdout"] for e in run.of("executed")], ["", "x 1\n", "", "x 2\n"])

    def test_a_call_that_was_made_already_is_not_made_again(self) -> None:
        again = call("print('March')")
        run = self.agent([again, again, reply("March")], models=TOOLS)
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])
        self.assertIn("has run already", run.told(2))

    def test_a_task_that_asks_for_code_gets_it(self) -> None:
        shown = answer("Here it is:\n```python\ndef f(): pass\n```\n")
        run = self.agent([shown], task="Write me a function that does nothing")
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, [])
        self.assertIn("def f()", run.end["answer"])

    def test_the_last_text_stands_when_the_rounds_are_used_up(self) -> None:
        codes = [fence(f"print({n})", before=f"So far {n} looks best.\n") for n in range(9)]
        run = self.agent(codes, "--iterations=3")
        self.assert_status(run.result, 3)
        self.assertEqual(run.end["outcome"], "cap")
        self.assertTrue(run.end["answer"].startswith("So far 2 looks best."))
        run = self.agent(codes, "--iterations=3", json=False)
        self.assert_status(run.result, 3)
        self.assertTrue(run.result.out.startswith("So far 2 looks best."))
        self.assertIn(sentence("show_end#--iterations", 3, sentence("show_end#last text")), run.result.err)

    def test_words_behind_the_tag_are_no_part_of_the_answer(self) -> None:
        tail = "</FINAL_ANSWER>\nLet me know!"
        replies = [f"<FINAL_ANSWER>It is 4.{tail}", f"It is 4.{tail}", f"```python\n2 + 2\n```\n<FINAL_ANSWER>It is 4.{tail}"]
        for text in replies:
            for flags in ((), ("--no-stream",)):
                with self.subTest(text=text, flags=flags):
                    run = self.agent([reply(text)], "--iterations=1", *flags)
                    self.assertEqual(run.end["answer"], "It is 4.")
                    run = self.agent([reply(text)], "--iterations=1", *flags, json=False)
                    self.assertEqual(run.result.out, "It is 4.\n")

    def test_an_answer_after_a_failure_is_asked_for_once_more(self) -> None:
        script = [fence("df['a'].mean()"), answer("The mean of column a is 144."), fence("print(12)"), answer("12")]
        run = self.agent(script)
        self.assert_status(run.result)
        self.assertIn("NameError: name 'df' is not defined", run.told(2))
        self.assertEqual((run.end["answer"], run.end["unknown_numbers"]), ("12", []))

    def test_our_own_words_are_no_answer(self) -> None:
        words = "the answer in words, with the numbers and the files that you made"
        run = self.agent([fence("print(42)"), answer(words), answer("42")])
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"], "42")

    def test_numbers_that_nothing_printed_are_named(self) -> None:
        (self.workspace / "sales-2024.csv").write_text("a\n")
        code = fence("print(1234.567, 0.123)")
        text = "Of 77 rows in 2024 the mean is 1,234.57, or 12.3% of 5,000."
        script = [code, answer(text)]
        run = self.agent(script, task="describe 77 rows")
        self.assert_status(run.result)
        self.assertEqual(run.end["unknown_numbers"], ["5,000"])
        run = self.agent(script, task="describe 77 rows", json=False)
        self.assertIn("No output shows 5,000.\n", run.result.err)

    def test_files_that_nobody_made_are_named(self) -> None:
        text = "See /output/made.txt, `/output/two words.png` and ./output/a.png. Of 2024-10: 7."
        run = self.agent([fence("open('/output/made.txt', 'w').close()"), answer(text)])
        self.assertEqual(run.end["missing_files"], ["two words.png", "a.png"])
        self.assertEqual(run.end["unknown_numbers"], [])
        run = self.agent([answer("It is 144. The chart is /output/b.png.")], json=False)
        self.assertIn("\nNo output shows 144. /output/b.png does not exist.\n", "\n" + run.result.err)

    def test_pictures_go_back_to_models_that_see(self) -> None:
        png = picture(1, 1)
        left = {"a.png": png + b"after its end", "b.txt": png, "c.png": b"text", "d.png": picture(60000, 60000), "e.png": png[:-1]}
        make = f"for n, b in {left!r}.items(): open('/output/' + n, 'wb').write(b)"
        script = [fence(make), answer("seen")]
        for capabilities, flags, seen in (
            (("completion", "vision"), [], True),
            (("completion",), [], False),
            (("completion",), ["--vision", "on"], True),
            (("completion", "vision"), ["--no-vision"], False),
        ):
            last = self.agent(script, *flags, models=(Model("m:latest", capabilities),)).chats[1]["messages"][-1]
            self.assertEqual(last.get("images"), [base64.b64encode(png).decode()] if seen else None)
            self.assertEqual(last["content"].endswith("left: /output/a.png"), seen)
        sent = self.agent(script, "--api", "openai", "--vision", "on").chats[1]["messages"][-1]
        self.assertEqual([part["type"] for part in sent["content"]], ["text", "image_url"])
        self.assertTrue(sent["content"][1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR"))

    def test_a_task_only_adds_messages(self) -> None:
        script = [fence("1 / 0"), answer("x"), fence("print(1)"), reply("I will now look."), answer("1")]
        run = self.agent(script)
        self.assert_status(run.result)
        for before, after in zip(run.chats, run.chats[1:], strict=False):
            self.assertEqual(after["messages"][: len(before["messages"])], before["messages"])


def endless(text: str, again: str) -> Answer:
    """Return a reply that goes on for ever behind its text."""
    said, more = (
        json.dumps({"model": "m", "message": {"role": "assistant", "content": c}, "done": False}).encode() + b"\n"
        for c in (text, again)
    )
    return Answer((said, Forever(more, pause=0.01)))


class Ends(AgentCase):
    """A reply ends where it is decided; otherwise these would go on until the test's own end."""

    def test_behind_an_answer(self) -> None:
        run = self.agent([endless("<FINAL_ANSWER>42</FINAL_ANSWER>", " and so on")])
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"], "42")

    def test_at_an_invented_result(self) -> None:
        invented = "```python\nprint(6 * 7)\n```\n[EXECUTION RESULT]\n"
        run = self.agent([endless(invented, "43"), answer("42")])
        self.assert_status(run.result)
        self.assertIn("wait for the real result", run.told(1))

    def test_in_a_loop(self) -> None:
        run = self.agent([fence("print(11)"), endless("It is 11:\n", "```\n11\n```\n")])
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"].strip(), "It is 11:\n```\n11\n```")

    def test_code_in_a_loop_is_not_run(self) -> None:
        loop = endless("```python\nopen('/output/ran', 'w')\n", "print(1)\n")
        run = self.agent([loop, fence("print(1)"), answer("1")])
        self.assert_status(run.result)
        self.assertFalse((self.output / "ran").exists())
        self.assertIn("cut off", run.told(1))

    def test_the_times_of_a_stream_that_was_closed_are_true(self) -> None:
        run = self.agent([endless("<FINAL_ANSWER>42</FINAL_ANSWER>", " and so on")])
        self.assertGreater(run.end["model_us"], 200_000)
        self.assertGreater(run.end["reply_tokens"], 0)

    def test_the_times_of_a_stream_that_was_cut_are_true(self) -> None:
        run = self.agent([endless("Well, ", " well")], "--deadline=1s")
        self.assertEqual(run.end["outcome"], "deadline")
        self.assertGreater(run.end["model_us"], 500_000)
        self.assertGreater(run.end["reply_tokens"], 1)

    def test_what_the_server_counts_comes_behind_the_answer(self) -> None:
        run = self.agent([reply("<FINAL_ANSWER>42</FINAL_ANSWER> Bye!")])
        self.assertEqual((run.end["prompt_tokens"], run.end["reply_tokens"]), (26, 12))


class Load(AgentCase):
    """The model is loaded before anybody needs it."""

    def served(self, loading: Action, *flags: str) -> FakeOllama:
        """Run a task whose reply comes after the request to load; return the server, which is up."""
        asked = threading.Event()
        fake = FakeOllama([Reply(("<FINAL_ANSWER>x</FINAL_ANSWER>",), before=(Gate(asked),))])
        self.addCleanup(fake.close)
        fake.on["load"] = lambda _: asked.set() or loading
        result = execute(self.command(fake.url, *flags, "do it"), env=self.env())
        self.assert_status(result)
        return fake

    def test_it_is_loaded_as_the_task_will_need_it(self) -> None:
        fake = self.served(LOADED, "--num-ctx=4096", "--keep-alive=9m")
        (load,) = fake.loads
        self.assertEqual((load["messages"], load["stream"]), ([], False))
        for same in ("model", "options", "keep_alive"):
            self.assertEqual(load[same], fake.chats[0][same])

    def test_a_load_that_takes_for_ever_ends_with_the_agent(self) -> None:
        fake = self.served(Answer((Wait(),)))
        self.assertTrue(wait_until(lambda: not fake.open))

    def test_nothing_is_loaded_elsewhere(self) -> None:
        fake = FakeOllama([answer("x")])
        self.assert_status(self.agent([], "--api=openai", server=fake).result)
        self.assertEqual(fake.loads, [])


class Recorded(AgentCase):
    """Bytes of a real Ollama; what follows them is scripted."""

    def test_a_block_is_run(self) -> None:
        run = self.agent([recorded("chat-stream-fenced"), answer("391")])
        self.assert_status(run.result)
        self.assertEqual(run.of("executed")[0]["stdout"], "391\n")
        self.assertEqual(run.end["unknown_numbers"], [])

    def test_the_same_block_again_is_not(self) -> None:
        again = recorded("chat-stream-fenced")
        run = self.agent([again, again, answer("391")])
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])

    def test_a_call_is_run(self) -> None:
        for script, flags in (("chat-stream-tool", ()), ("openai-tool", ("--api=openai", "--mode=tools"))):
            run = self.agent([recorded(script), reply("It is 391.")], *flags, models=TOOLS)
            self.assert_status(run.result)
            self.assertEqual(run.of("executed")[0]["stdout"], "391\n")
            self.assertEqual(run.end["answer"], "It is 391.")

    def test_an_openai_stream(self) -> None:
        run = self.agent([recorded("openai-stream"), answer("391")], "--api=openai")
        self.assert_status(run.result)
        self.assertEqual(run.verdicts, ["ok"])

    def test_words_that_were_cut_off_are_an_answer(self) -> None:
        run = self.agent([recorded("chat-length")])
        self.assert_status(run.result)
        self.assertEqual(run.end["answer"], "Tell a story mendatang\nYou can tell")

    def test_one_that_is_not_kept_is_not_loaded_for_long(self) -> None:
        with FakeOllama.as_recorded(lambda _: answer("x")) as fake:
            result = execute(self.command(fake.url, "--keep-alive=0", "do it"), env=self.env())
            self.assert_prints("x", result)
        self.assertEqual([load["keep_alive"] for load in fake.loads], [0])

    def test_refusals_are_met_with_less(self) -> None:
        for refusal, flag in (("chat-tools-refused", "--mode=tools"), ("chat-think-refused", "--think")):
            run = self.agent([recorded(refusal), answer("x")], flag, models=(Model("m:latest", None),))
            self.assert_status(run.result)
            self.assertEqual(len(run.chats), 2)

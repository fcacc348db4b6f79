"""/ in a real browser: sessions, keys, and what is said of the server."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from typing import Any, ClassVar

from support.browser import Browser
from support.browser_case import FOCUS, SPITE, SVG, BrowserCase
from support.run import GLOVEBOX
from support.times import wait_until

METRICS = """# TYPE glovebox_runs_running gauge
glovebox_runs_running 3
glovebox_runs_waiting 1
code_interpreter_executions_limit 16
glovebox_pool_ready 2
glovebox_pool_size 4
glovebox_sessions 5
code_interpreter_executions_completed_total{operation="execute",outcome="ok"} %(done)d
code_interpreter_executions_completed_total{operation="a\\"b\\\\}",outcome="error"} 1
code_interpreter_execution_duration_seconds_bucket{operation="execute",le="0.01"} 0
code_interpreter_execution_duration_seconds_bucket{operation="execute",le="0.02"} %(done)d
code_interpreter_execution_duration_seconds_bucket{operation="execute",le="+Inf"} %(done)d
"""


class Sessions(BrowserCase):
    """Those that are begun and used on the page."""

    def begin(self) -> Browser:
        """Begin a session, in which programs run from now on."""
        page = self.open()
        page.click("#new-session")
        page.wait("document.querySelector('#sessions li[aria-current]') && !document.querySelector('#new-session').disabled")
        self.addCleanup(self.end_all)
        return page

    def end_all(self) -> None:
        """End what this test has begun."""
        for session in self.server.get("/v1/sessions").json["sessions"]:
            self.server.delete(f"/v1/sessions/{session['session_id']}")

    def button(self, word: str) -> str:
        """Return the selector of a button of the session that is in use."""
        return f"#sessions li[aria-current] button[aria-label^={word}]"

    def test_state_stays_until_its_end(self) -> None:
        page = self.begin()
        self.assertEqual(self.run_program("x = 6"), "exited 0")
        self.assertEqual(self.run_program("print('out')\nx * 7"), "exited 0")
        self.assertEqual((page.text(".output"), page.text(".value")), ("out\n", "42"))
        self.assertEqual(self.run_program("1 / 0"), "exited 1")
        self.assertIn("ZeroDivisionError", page.text(".output .stderr"))
        page.click(self.button("End"))
        page.wait("!document.querySelector('#sessions li') && document.querySelector('#target').value === ''")
        self.assertEqual(self.server.get("/v1/sessions").json, {"sessions": []})
        self.run_program("x")
        self.assertIn("NameError", page.text(".output .stderr"))

    def test_checkpoints(self) -> None:
        page = self.begin()
        self.run_program("x = 1")
        self.assertTrue(page.value(f"document.querySelector('{self.button('Rollback')}').disabled"))
        for number in (2, 3):
            page.click(self.button("Checkpoint"))
            page.wait(f"document.querySelector('#sessions').innerText.includes('{number - 1} checkpoint')")
            self.run_program(f"x = {number}")
        page.click(self.button("Rollback"))
        page.wait("document.querySelector('#said').innerText.includes('as it was')")
        self.run_program("x")
        self.assertEqual(page.text(".value"), "2")
        page.value("(() => { const marks = document.querySelector('#sessions select'); marks.selectedIndex = 0; marks.dispatchEvent(new Event('change')); })()")
        page.value("document.querySelector('#said').textContent = ''")
        page.click(self.button("Rollback"))
        page.wait("document.querySelector('#said').innerText.includes('as it was')")
        self.run_program("x")
        self.assertEqual(page.text(".value"), "1")
        page.click(self.button("Freeze"))
        page.wait("document.querySelector('#sessions').innerText.includes('frozen')")
        self.run_program("x")
        self.assertEqual(page.text(".value"), "1")

    def test_files_are_those_of_the_session(self) -> None:
        page = self.begin()
        self.run_program("open('made here.txt', 'w').write('x')")
        page.wait("document.querySelector('#files')?.innerText.includes('made here.txt')")
        page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        page.click("#files button[aria-label^=Save]")
        self.assertTrue(wait_until(lambda: (self.folder / "made here.txt").is_file()))
        given = self.file("given?.txt", "a line")
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        node = page.call("DOM.querySelector", nodeId=root, selector="#upload")["nodeId"]
        page.call("DOM.setFileInputFiles", nodeId=node, files=[str(given)])
        page.wait("document.querySelector('#files').innerText.includes('given?.txt')")
        self.run_program("open('given?.txt').read()")
        self.assertEqual(page.text(".value"), "'a line'")
        page.value("document.querySelector('#target').value = ''; document.querySelector('#target').dispatchEvent(new Event('change'))")
        page.wait("document.querySelector('#no-files').checkVisibility()")

    def test_displays_stand_between_the_prints(self) -> None:
        page = self.begin()
        self.run_program("print('one'); display('shown'); print('two')")
        page.wait("document.querySelectorAll('.output').length === 3")
        self.assertEqual(page.value("[...document.querySelectorAll('.output')].map((node) => node.innerText.trim()).join()"), "one,'shown',two")

    def test_values_are_never_markup(self) -> None:
        page = self.begin()
        self.run_program(f'''
spite, svg = {SPITE!r}, {SVG!r}
class Table:
    def _repr_html_(self):
        return spite + "<table><tr><th onclick='hacked=7'>head</th><td colspan=999999>" + spite + "text</td></tr></table>" + spite
class Drawing:
    def _repr_svg_(self):
        return svg
class Broken:
    def _repr_png_(self):
        return b"no picture"
display(Table()); display(Drawing()); display(Broken())
Table()''')
        page.wait("document.querySelectorAll('.pieces table').length === 2 && document.querySelector('.pieces img')?.complete && document.querySelector('.pieces .bad')")
        self.assertIn("head", page.text(".pieces table"))
        self.assertIsNone(page.value("window.hacked"))
        self.assertEqual(page.value("document.querySelectorAll('.pieces script, .pieces svg, .pieces td *, .pieces [onclick]').length"), 0)
        self.assertLessEqual(page.value("document.querySelector('.pieces td').colSpan"), 50)


class Executions(BrowserCase):
    """What runs for the key, and what ran last."""

    def test_what_ran_is_listed_wherever_it_was_asked_for(self) -> None:
        page = self.open()
        page.wait("document.querySelector('#nothing-runs').checkVisibility()")
        self.run_program("raise SystemExit(3)")
        page.wait("document.querySelector('#recent li')?.innerText.includes('exited 3')")
        self.assertFalse(page.value("document.querySelector('#nothing-ran').checkVisibility()"))
        self.server.post("/v1/execute", {"code": "while True: pass", "timeout_ms": 200})
        page.wait("document.querySelector('#recent li').innerText.includes('wall time')")
        self.assertEqual(page.value("document.querySelector('#recent li .verdict').dataset.state"), "error")

    def test_a_call_is_interrupted_with_the_keyboard(self) -> None:
        page = self.open()
        session = self.server.post("/v1/sessions", {}).json["session_id"]
        self.addCleanup(self.server.delete, f"/v1/sessions/{session}")
        with self.server.stream(f"/v1/sessions/{session}/python/stream", code="print(1, flush=True)\nwhile True: pass", timeout_ms=60000) as stream:
            events = iter(stream)
            next(events)
            page.wait("document.querySelector('#running button')")
            self.assertIn(session[-8:], page.text("#running li"))
            page.value("document.querySelector('#running button').focus()")
            for _ in range(2):  # drawn anew, it is where the keyboard was
                page.value("window.was = document.querySelector('#running button')")
                page.wait("window.was !== document.querySelector('#running button')")
                self.assertTrue(page.value("document.activeElement === document.querySelector('#running button')"))
            page.press("Enter")
            (kind, result) = list(events)[-1]
        self.assertEqual((kind, result["verdict"]), ("result", "cancelled"))
        page.wait("document.querySelector('#recent li').innerText.includes('cancelled') && !document.querySelector('#running li')")

    def test_output_of_a_session_comes_as_it_is_written(self) -> None:
        page = self.open()
        page.click("#new-session")
        page.wait("document.querySelector('#sessions li[aria-current]') && !document.querySelector('#new-session').disabled")
        page.value("document.querySelector('#code').value = \"print('early', flush=True)\\nwhile True: pass\"")
        page.click("#run")
        page.wait("document.querySelector('.output')?.innerText.includes('early')")
        self.assertEqual(page.text(".verdict"), "running")
        page.click("#stop")
        page.wait("document.querySelector('.verdict').innerText === 'stopped'")
        for one in self.server.get("/v1/sessions").json["sessions"]:
            self.server.delete(f"/v1/sessions/{one['session_id']}")


class Gauges(BrowserCase):
    """What the page makes of /metrics: here they are always the same."""

    @contextlib.contextmanager
    def metrics(self) -> Iterator[None]:
        """Answer the page's questions in the server's place."""
        page = self.browser
        page.value(
            """(() => {
                let done = 0;
                const ask = window.fetch;
                window.fetch = (path, ...rest) => {
                    if (path !== "metrics")
                        return ask(path, ...rest);
                    done += 100;
                    return Promise.resolve(new Response(%s.replaceAll("%%(done)d", done)));
                };
            })()"""
            % json.dumps(METRICS)
        )
        yield

    def test_numbers_and_lines(self) -> None:
        page = self.open()
        with self.metrics():
            page.wait("document.querySelector('#numbers')?.innerText.includes('3 / 16')")
            said = page.text("#numbers").split("\n")
            numbers = dict(zip(said[::2], said[1::2], strict=False)) if len(said) % 2 == 0 else {}
            self.assertLessEqual({("Running", "3 / 16"), ("Waiting", "1"), ("Cells ready", "2 / 4"), ("Sessions", "5")}, set(numbers.items()), said)
            page.wait("document.querySelector('.chart b').textContent === '15 ms'")
            self.assertEqual(page.value("document.querySelectorAll('.chart').length"), 4)
            self.assertTrue(page.value("document.querySelector('.chart path.line-0').getAttribute('d').startsWith('M')"))


    def test_server_that_has_ended(self) -> None:
        server = self.start_server().wait_ready()
        page = self.open("/", server)
        page.wait("document.querySelector('#state').innerText === 'ready'")
        server.stop()
        page.wait("document.querySelector('#state').dataset.state === 'error'")
        self.assertEqual(self.run_program("1"), "refused")
        self.assertNotEqual(page.text(".result [role=alert]"), "")


class Keys(BrowserCase):
    """A server that wants to know who asks."""

    flags: ClassVar[tuple[str, ...]] = ()

    def test_key_is_asked_for_and_kept_in_the_tab(self) -> None:
        keys = self.folder / "keys.json"
        made = subprocess.run([GLOVEBOX, "serve", "key", "add", "me", "--keys", str(keys)], capture_output=True, text=True, check=True)
        key = next(word for word in made.stdout.split() if word.startswith("gbx_"))
        server = self.start_server("--keys", str(keys)).wait_ready()
        page = self.open("/", server)
        page.wait("document.querySelector('#key-dialog').open")
        self.assertEqual(page.value(FOCUS), "key")
        page.type("gbx_wrong")
        page.press("Enter")
        page.wait("document.querySelector('#key-error').textContent")
        page.value("document.querySelector('#key').select()")
        page.type(key)
        page.press("Enter")
        page.wait("!document.querySelector('#key-dialog').open")
        self.assertEqual(self.run_program("print(7)"), "exited 0")
        kept: dict[str, Any] = page.value("({session: {...sessionStorage}, local: {...localStorage}, cookie: document.cookie, address: location.href})")
        self.assertEqual((kept["session"]["glovebox-key"], kept["local"], kept["cookie"]), (key, {}, ""))
        self.assertNotIn(key, kept["address"])
        page.click("#key-button")
        page.click("#key-forget")
        self.assertEqual(self.run_program("print(7)"), "refused (401)")

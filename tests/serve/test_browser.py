"""/ and /docs in a real browser: what a person does there, and what a hostile program cannot do there."""

import json

from support.browser import CONTROL, SHIFT
from support.browser_case import ENDED, FOCUS, SPITE, SVG, BrowserCase
from support.messages import sentence
from support.times import wait_until

HOSTILE = f'''
import os, sys
spite = {SPITE!r}
print(spite)
print(spite, "\\x1b]0;title\\x07\\u202e\\0\\x9b", file=sys.stderr)
open(spite.replace("/", "") + ".png", "w").write(spite)
open("figure.svg", "w").write({SVG!r})
open("page.html", "w").write(spite)
raise SystemExit(spite)
'''

# For each text that is seen: its contrast with what lies behind it.
CONTRAST = """
(() => {
  const light = (color) => color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const read = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const behind = (node) => { for (; node; node = node.parentElement) { const found = read(getComputedStyle(node).backgroundColor); if (found.a === 1) return found.rgb; } return [255, 255, 255]; };
  const low = [];
  for (const node of document.querySelectorAll("body *")) {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) || !node.checkVisibility() || node.closest(":disabled, [aria-hidden], noscript"))
      continue;
    const [a, b] = [light(read(getComputedStyle(node).color).rgb), light(behind(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5)
      low.push(`${node.tagName} ${node.className} ${node.textContent.trim().slice(0, 30)} ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return low;
})()
"""


class Workbench(BrowserCase):
    """The page at /."""

    def test_a_program_and_its_result(self) -> None:
        page = self.open()
        self.assertEqual(self.run_program("import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7"), "exited 0")
        self.assertEqual((page.text(".output .stderr"), "42" in page.text(".output")), ("err\n", True))
        self.assertIn("CPU", page.text(".facts"))
        self.assertEqual(self.run_program("raise SystemExit(3)"), "exited 3")
        self.assertEqual(self.run_program("b = bytearray(1 << 40)"), "exited 1")
        self.assertEqual(self.run_program("import os; os.kill(os.getpid(), 9)"), "signal 9")
        self.browser.value("document.querySelector('#timeout').value = '2000'")
        self.assertEqual(self.run_program("while True: pass"), "out of time")

    def test_output_comes_while_the_program_runs(self) -> None:
        page = self.open()
        page.value(f"document.querySelector('#code').value = {json.dumps('import time; print(1, flush=True); time.sleep(3600)')}")
        page.value("document.querySelector('#timeout').value = '60000'")
        page.click("#run")
        page.wait("document.querySelector('.output')?.innerText === '1\\n'")
        self.assertEqual((page.text(".verdict"), page.value("document.querySelector('#run').disabled")), ("running", True))
        page.click("#stop")
        page.wait(ENDED)
        self.assertEqual((page.text(".verdict"), page.value("document.querySelector('#run').disabled")), ("stopped", False))
        self.assertEqual(self.run_program("print(2)"), "exited 0")

    def test_refusal_is_said(self) -> None:
        page = self.open()
        page.value("document.querySelector('#timeout').firstElementChild.value = '999999'; document.querySelector('#timeout').selectedIndex = 0")
        self.assertEqual(self.run_program("1"), "refused (422)")
        self.assertEqual(page.text(".result [role=alert]"), sentence("execute_read", 60000))

    def test_output_is_never_markup(self) -> None:
        page = self.open()
        self.uploaded(SPITE, b"x")
        self.assertEqual(self.run_program(HOSTILE), "exited 1")
        page.wait("document.querySelectorAll('.result img.picture').length + document.querySelectorAll('.result .bad').length >= 2")
        page.wait("[...document.querySelectorAll('img.picture')].every((image) => image.complete)")
        self.assertIn("<script>", page.text(".output"))
        self.assertIn("onerror", page.text(".result .rows"))
        page.wait("document.querySelector('#files').innerText.includes('onerror')")
        self.assertIsNone(page.value("window.hacked"))
        self.assertEqual(page.value("document.querySelectorAll('body script, .result svg, .result [onerror], .result [onload]').length"), 0)
        self.assertTrue(page.value("[...document.querySelectorAll('.result img')].every((image) => image.src.startsWith('blob:'))"))

    def test_policy_forbids_what_no_script_of_ours_does(self) -> None:
        page = self.open()
        for attempt in (
            "document.body.innerHTML = '<b>x</b>'",
            "document.body.setAttribute('onclick', 'window.hacked = 1'); document.body.click(); throw new Error(window.hacked ? 'ran' : 'TrustedScript')",
            "eval('1')",
        ):
            with self.subTest(attempt=attempt):
                said = page.value(f"(() => {{ try {{ {attempt}; return 'done'; }} catch (error) {{ return String(error); }} }})()")
                self.assertRegex(said, "Trusted|Evaluating a string")
        self.assertEqual(page.value("fetch('http://127.0.0.1:1/').then(() => 'asked', (error) => error.name)"), "TypeError")
        self.assertIsNone(page.value("window.hacked"))
        page.wrong.clear()

    def test_files_up_and_down(self) -> None:
        page = self.open()
        given = self.file("given.txt", "a line")
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        node = page.call("DOM.querySelector", nodeId=root, selector="#upload")["nodeId"]
        page.call("DOM.setFileInputFiles", nodeId=node, files=[str(given)])
        page.wait("document.querySelector('#files input[type=checkbox]')?.checked")
        self.assertEqual(self.run_program("open('out.txt', 'w').write(open('given.txt').read() * 2)"), "exited 0")
        page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        page.click(".result .rows button")
        out = self.folder / "out.txt"
        self.assertTrue(wait_until(lambda: out.is_file() and out.read_text()))
        self.assertEqual(out.read_text(), "a linea line")
        page.wait("document.querySelectorAll('#files li').length === 2")
        for _ in range(2):
            left = page.value("document.querySelectorAll('#files li').length")
            page.click("#files button[aria-label^=Delete]")
            page.wait(f"document.querySelectorAll('#files li').length === {left - 1}")
        self.assertEqual(self.server.get("/v1/files").json, {"files": []})

    def test_pictures_are_seen(self) -> None:
        self.open()
        self.run_program(f"open('figure.svg', 'w').write({SVG.replace('onload', 'data-x')!r})")
        self.browser.wait("document.querySelector('img.picture')?.naturalWidth === 9")

    def test_keyboard(self) -> None:
        """Everything is reached in the order in which it is read, and nobody is caught in the editor."""
        page = self.open()
        page.value("document.querySelector('#code').value = ''; document.querySelector('#code').dispatchEvent(new Event('input'))")
        seen = []
        for _ in range(8):
            page.press("Tab")
            seen.append(page.value(FOCUS))
        self.assertEqual(seen, ["Skip to the editor", "Workbench", "API", "key-button", "target", "timeout", "run", "code"])
        for text in ("if x:", "\n", "y", "\n"):
            page.press("Enter") if text == "\n" else page.type(text)
        page.press("Tab")
        page.type("z")
        self.assertEqual(page.value("document.querySelector('#code').value"), "if x:\n    y\n        z")
        self.assertEqual(page.text("#lines"), "1\n2\n3")
        page.press("Tab", SHIFT)
        self.assertEqual(page.value("document.querySelector('#code').value"), "if x:\n    y\n    z")
        page.value("document.querySelector('#code').setSelectionRange(0, 99)")
        page.press("Tab")
        self.assertEqual(page.value("document.querySelector('#code').value"), "    if x:\n        y\n        z")
        page.value("document.querySelector('#code').select()")
        page.type("print(5)")
        page.press("Enter", CONTROL)
        page.wait(ENDED)
        self.assertEqual(page.text(".output"), "5\n")
        page.press("Escape")
        page.press("Tab")
        self.assertNotEqual(page.value(FOCUS), "code")

    def test_everything_has_a_name(self) -> None:
        page = self.open()
        self.run_program("open('a', 'w').write('x')\nprint(1)")
        page.wait("document.querySelector('#files li')")
        for path in ("/", "/docs"):
            if path != "/":
                self.open(path)
                page.wait("document.querySelector('#main').dataset.drawn")
            tree = page.call("Accessibility.getFullAXTree")["nodes"]
            roles = {"button", "textbox", "combobox", "checkbox", "link", "region", "dialog", "img", "image"}
            found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]
            self.assertTrue({role for role, _ in found} & roles)
            self.assertEqual([role for role, name in found if role in roles and not name], [])

    def test_contrast(self) -> None:
        for path in ("/", "/docs"):
            page = self.open(path)
            if path == "/":
                self.run_program("import sys; print(1); print(2, file=sys.stderr); open('a', 'w').write('x'); sys.exit(1)")
            else:
                page.wait("document.querySelector('#main').dataset.drawn")
            for scheme in ("light", "dark"):
                with self.subTest(path=path, scheme=scheme):
                    page.set(prefers_color_scheme=scheme)
                    self.assertEqual(page.value(CONTRAST), [])

    def test_motion_only_where_it_is_wanted(self) -> None:
        page = self.open("/docs")
        for wish, behaviour in (("no-preference", "smooth"), ("reduce", "auto")):
            page.set(prefers_reduced_motion=wish)
            self.assertEqual(page.value("getComputedStyle(document.documentElement).scrollBehavior"), behaviour)

    def test_narrow_window(self) -> None:
        for path in ("/", "/docs"):
            page = self.open(path)
            page.call("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=1, mobile=False)
            page.wait("document.documentElement.scrollWidth <= 360")


class Docs(BrowserCase):
    """The page at /docs."""

    def test_everything_is_there(self) -> None:
        page = self.open("/docs")
        page.wait("document.querySelector('#main').dataset.drawn")
        api = self.server.get("/openapi.json").json
        shown = set(page.value("[...document.querySelectorAll('section.operation')].map((one) => one.id)"))
        self.assertEqual(shown, {operation["operationId"] for item in api["paths"].values() for method, operation in item.items() if method != "parameters"})
        schemas = set(page.value("[...document.querySelectorAll('section.schema')].map((one) => one.id)"))
        self.assertEqual(schemas, {f"schema-{name}" for name in api["components"]["schemas"]})
        self.assertEqual(page.value("[...document.querySelectorAll('a[href^=\"#\"]')].filter((link) => !document.getElementById(link.hash.slice(1))).length"), 0)
        self.assertNotIn("[object", page.text("body"))
        self.assertNotIn("undefined", page.text("body"))

    def test_place_in_the_address_is_shown(self) -> None:
        page = self.open("/docs#delete_file")
        page.wait("document.querySelector('#main').dataset.drawn")
        self.assertTrue(page.value("Math.abs(document.querySelector('#delete_file').getBoundingClientRect().top - 56) < 30 || scrollY + innerHeight >= document.body.scrollHeight - 2"))

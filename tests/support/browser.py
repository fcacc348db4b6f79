"""browser - Debian's Chromium without a window, driven over a pipe (the DevTools protocol).

Its profile lies in a test's folder, and it may speak only to this machine. What goes wrong in a page
(an exception, a line of the console, something that the page's policy forbids) and each address that
is asked for is kept.
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from support.times import DEADLINE

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
    "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
KEYS = {"Tab": ("Tab", 9), "Enter": ("Enter", 13), "Escape": ("Escape", 27), "Space": (" ", 32)}
SHIFT, CONTROL = 8, 2


def find() -> str:
    """Return the program, or nothing if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), "")


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path, width: int = 1280, height: int = 900) -> None:
        """Start it; everything that it writes is below `folder`."""
        theirs, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        low = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (theirs, theirs_out)]
        os.close(theirs)
        os.close(theirs_out)

        def begin() -> None:
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)}
        command = [find(), *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(
            command, env=env, pass_fds=(3, 4), preexec_fn=begin, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in low:
            os.close(fd)
        self._text = b""
        self._last = 0
        self._session = ""
        self.wrong: list[str] = []
        self.asked: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it, and all that belongs to it: what is killed leaves its helpers to themselves for a while."""
        with contextlib.suppress(OSError, EOFError, TimeoutError, ValueError):
            self.call("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        os.close(self._out)

    # -- the protocol

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._text:
            if not select.select([self._in], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self._text += part
        line, _, self._text = self._text.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        what, of = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.wrong.append(json.dumps(of["exceptionDetails"]))
        elif what == "Log.entryAdded" and of["entry"]["source"] != "network":
            self.wrong.append(f"{of['entry']['text']} {of['entry'].get('url', '')}")
        elif what == "Network.requestWillBeSent":
            self.asked.append(of["request"]["url"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + DEADLINE
        while (answer := self._read(until)).get("id") != self._last:
            self._note(answer)
        if "error" in answer:
            raise ValueError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    # -- a page

    def open(self, url: str) -> None:
        """Go there."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, expression: str) -> Any:
        """Return what an expression is in the page; a promise is waited for."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in said:
            raise ValueError(f"{expression}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + DEADLINE
        while not self.value(f"!!({expression})"):
            if time.monotonic() > until:
                raise TimeoutError(f"{expression}: {self.value('document.body.innerText')!r} {self.wrong}")
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        """Return what is read in the first element of these."""
        return str(self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click on the first element of these."""
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key and let it go."""
        word, code = KEYS[key]
        named = {"key": word, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" and not modifiers else {"text": " "} if key == "Space" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.call("Input.insertText", text=text)

    def set(self, **features: str) -> None:
        """What the person prefers: prefers_color_scheme="dark"."""
        given = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=given)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Write a PNG of what is seen."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

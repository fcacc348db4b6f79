"""Clients that others have written: what they make of /openapi.json, and whether it works then (make check-clients)."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from support.agent import has_image
from support.run import ROOT
from support.serve import ServeCase

PYTHON = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"), "bin/python")

# Strictness is not compared: a text where a number belongs is refused, but 0 for false is not.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method"

GENERATED = """
import io, sys
from client import Client
from client.api.files import delete_file, download_file, list_files, upload_file
from client.api.run import execute
from client.api.sessions import begin_session, checkpoint_session, end_session, get_session_file, put_session_file, rollback_session, session_bash, session_python
from client.models import CheckpointName, Error, ExecuteRequest, FileToStage, InvalidRequest, SessionBashRequest, SessionPythonRequest, SessionRequest, UploadFileBody
from client.types import File

client = Client(base_url=sys.argv[1])
stored = upload_file.sync(client=client, body=UploadFileBody(file=File(io.BytesIO(b"abc"), "a.txt")))
ran = execute.sync(client=client, body=ExecuteRequest(code="open('b', 'w').write(open('a').read() * 2)", files=[FileToStage("a", str(stored.file_id))], timeout_ms=30000))
assert (ran.stdout, ran.exit_code, ran.verdict.value) == ("6\\n", 0, "exited"), ran
assert download_file.sync(ran.files[0].file_id, client=client).payload.read() == b"abcabc"
assert {file.filename for file in list_files.sync(client=client).files} == {"a.txt", "b"}
for file in list_files.sync(client=client).files:
    assert delete_file.sync_detailed(str(file.file_id), client=client).status_code == 204
assert isinstance(delete_file.sync(str(stored.file_id), client=client), Error)
assert isinstance(execute.sync(client=client, body=ExecuteRequest(code="1", timeout_ms=10**9)), InvalidRequest)
session = begin_session.sync(client=client, body=SessionRequest()).session_id
session_python.sync(session, client=client, body=SessionPythonRequest("x = 6"))
checkpoint_session.sync(session, client=client, body=CheckpointName("six"))
assert session_python.sync(session, client=client, body=SessionPythonRequest("x = 7; x * 6")).value["text/plain"] == "42"
rollback_session.sync(session, client=client, body=CheckpointName("six"))
assert session_python.sync(session, client=client, body=SessionPythonRequest("x * 6")).value["text/plain"] == "36"
assert session_python.sync(session, client=client, body=SessionPythonRequest("1 / 0")).error.name == "ZeroDivisionError"
put_session_file.sync(session, "a/b c", client=client, body=File(io.BytesIO(b"abc")))
assert session_bash.sync(session, client=client, body=SessionBashRequest("cat a/*")).stdout == "abc"
assert get_session_file.sync(session, "a/b c", client=client).payload.read() == b"abc"
assert end_session.sync_detailed(session, client=client).status_code == 204
"""

HTTPX = """
import asyncio, json, sys
import httpx

async def main():
    async with httpx.AsyncClient(base_url=sys.argv[1], timeout=60) as client:
        ran = await asyncio.gather(*(client.post("/v1/execute", json={"code": f"print({n})", "timeout_ms": 30000}) for n in range(8)))
        assert [reply.json()["stdout"] for reply in ran] == [f"{n}\\n" for n in range(8)]
        stored = await client.post("/v1/files", files={"file": ("ä.txt", b"abc")})
        assert stored.status_code == 201, stored.text
        assert stored.json()["filename"] == "ä.txt"
        found = await client.get("/v1/files/" + stored.json()["file_id"])
        assert found.content == b"abc"
        async with client.stream("POST", "/v1/execute/stream", json={"code": "print('ü')", "timeout_ms": 30000}) as reply:
            lines = [line async for line in reply.aiter_lines()]
        output = [json.loads(line.removeprefix("data: ")) for event, line in zip(lines, lines[1:]) if event == "event: output"]
        assert {part["stream"] for part in output} == {"stdout"}, lines
        assert "".join(part["data"] for part in output) == "ü\\n", lines

asyncio.run(main())
"""

# What people do with such a service: figures, tables, spreadsheets.
DATA = r"""
import io, sys
import httpx

MAKE = '''
import matplotlib
matplotlib.use("Agg")
import numpy as np
import pandas as pd
frame = pd.DataFrame({"x": np.arange(6), "y": np.arange(6) ** 2})
frame.to_excel("table.xlsx", index=False)
frame.plot(x="x", y="y").figure.savefig("plot.png")
frame.sum().tolist()
'''

READ = '''
import openpyxl
rows = list(openpyxl.load_workbook("in/table.xlsx").active.values)
print(rows[0], sum(row[1] for row in rows[1:]))
'''

with httpx.Client(base_url=sys.argv[1], timeout=90) as client:
    made = client.post("/v1/execute", json={"code": MAKE, "timeout_ms": 60000}).json()
    assert (made["stdout"], made["stderr"], made["exit_code"]) == ("[15, 55]\n", "", 0), made
    files = {file["path"]: file for file in made["files"]}
    assert set(files) == {"table.xlsx", "plot.png"}, made["files"]
    plot = client.get("/v1/files/" + files["plot.png"]["file_id"]).content
    assert plot.startswith(b"\x89PNG\r\n\x1a\n") and len(plot) == files["plot.png"]["size_bytes"] > 1000, plot[:20]
    table = client.get("/v1/files/" + files["table.xlsx"]["file_id"]).content
    stored = client.post("/v1/files", files={"file": ("table.xlsx", io.BytesIO(table))}).json()["file_id"]
    asked = {"code": READ, "timeout_ms": 60000, "files": [{"path": "in/table.xlsx", "file_id": stored}]}
    read = client.post("/v1/execute", json=asked).json()
    assert (read["stdout"], read["stderr"], read["files"]) == ("('x', 'y') 55\n", "", []), read
"""


class ClientCase(ServeCase):
    """A server, and clients in an environment of their own."""

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where they are not installed."""
        if not os.access(PYTHON, os.X_OK):
            raise unittest.SkipTest("cannot: the clients are missing (make check-clients)")
        super().setUpClass()

    def python(self, *words: str) -> str:
        """Run something of theirs in our folder; return what it said."""
        env = {"PATH": f"{PYTHON.parent}:{os.environ['PATH']}", "HOME": str(self.folder), "PYTHONPATH": str(self.folder)}
        done = subprocess.run([PYTHON, *words], cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        return done.stdout

    @property
    def url(self) -> str:
        """Return the server's address."""
        return f"http://127.0.0.1:{self.server.port}"


class Clients(ClientCase):
    """They know only its description."""

    def test_generated_client(self) -> None:
        document = self.file("openapi.json", self.server.get("/openapi.json").body)
        # It knows no archives: to it they are bytes.
        config = self.file("generate.json", json.dumps({"content_type_overrides": {"application/x-tar": "application/octet-stream"}}).encode())
        said = self.python("-m", "openapi_python_client", "generate", "--path", str(document), "--output-path", "client", "--meta", "none", "--config", str(config))
        self.assertNotIn("WARNING", said)
        self.python("-c", GENERATED, self.url)

    def test_schemathesis(self) -> None:
        """Each operation, with examples, edges and nonsense: every answer is one that is described."""
        self.python("-c", "from schemathesis.cli import schemathesis; schemathesis()", "run", f"{self.url}/openapi.json", "--checks", CHECKS,
                    "--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--generation-deterministic", "--no-color")  # fmt: skip

    def test_httpx(self) -> None:
        self.python("-c", HTTPX, self.url)


class DataClients(ClientCase):
    """They want what the image python has."""

    flags = ("--image", "python")

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where it is not in the store."""
        if not has_image("python"):
            raise unittest.SkipTest("cannot: there is no image `python`, which has numpy")
        super().setUpClass()

    def test_figures_tables_and_spreadsheets(self) -> None:
        self.python("-c", DATA, self.url)

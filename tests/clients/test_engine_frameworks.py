"""Frameworks that run written code by Docker, on the Engine's socket: their quick starts, files, errors, time-outs (make check-clients).

Each script begins as its documentation does. What differs is said in docs/engine.md.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from support.engine import EngineCase
from support.framework_image import give_packages, make_framework_store
from support.run import IS_ROOT, ROOT
from support.times import DEADLINE, wait_until

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
FRAMEWORKS, AUTOGEN_02, IN_IMAGE = (CLIENTS / "engine" / name for name in ("frameworks", "autogen02", "image"))
DOCKER = CLIENTS / "docker/usr/bin/docker"

FAILS = "import sys; print('out'); print('why', file=sys.stderr); sys.exit(3)"

AUTOGEN = """
import asyncio
from pathlib import Path
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor

work_dir = Path("coding")
work_dir.mkdir(exist_ok=True)

async def main() -> None:
    async with DockerCommandLineCodeExecutor(work_dir=work_dir) as executor:
        said = await executor.execute_code_blocks(
            code_blocks=[CodeBlock(language="python", code="print('Hello, World!')")],
            cancellation_token=CancellationToken(),
        )
        assert (said.exit_code, said.output) == (0, "Hello, World!\\n"), said

        async def run(language, code, token=None):
            said = await executor.execute_code_blocks([CodeBlock(language=language, code=code)], token or CancellationToken())
            return said.exit_code, said.output

        code, said = await run("python", FAILS)
        assert (code, sorted(said.split())) == (3, ["out", "why"]), said
        (work_dir / "in.txt").write_text("given")
        assert await run("sh", "echo $PWD; tr a-z A-Z <in.txt >out.txt") == (0, "/workspace\\n")
        assert (work_dir / "out.txt").read_text() == "GIVEN"
        token = CancellationToken()
        cancelled = asyncio.create_task(run("python", "# filename: waits.py\\nimport time\\nopen('begun', 'w')\\ntime.sleep(1000)", token))
        while not (work_dir / "begun").exists():
            await asyncio.sleep(0.05)
        token.cancel()
        assert await cancelled == (1, "Code execution was cancelled.")
        while (await run("bash", "pgrep -f '[w]aits.py'"))[0] == 0:
            await asyncio.sleep(0.05)
        await executor.restart()
        assert await run("bash", "cat out.txt") == (0, "GIVEN")
    async with DockerCommandLineCodeExecutor(work_dir=work_dir, timeout=1) as executor:
        assert await run("python", "import time; time.sleep(1000)") == (124, "\\n Timeout")

asyncio.run(main())
"""

AG2_OLD = """
import tempfile
from pathlib import Path
from autogen.coding import CodeBlock, DockerCommandLineCodeExecutor

temp_dir = tempfile.TemporaryDirectory()
executor = DockerCommandLineCodeExecutor(
    image="python:3.12-slim",
    timeout=60,
    work_dir=temp_dir.name,
)
def run(language, code):
    said = executor.execute_code_blocks(code_blocks=[CodeBlock(language=language, code=code)])
    return said.exit_code, said.output

assert run("python", "print('Hello, World!')") == (0, "Hello, World!\\n")
code, said = run("python", FAILS)
assert (code, sorted(said.split())) == (3, ["out", "why"]), said
Path(temp_dir.name, "in.txt").write_text("given")
assert run("sh", "tr a-z A-Z <in.txt >out.txt") == (0, "")
assert Path(temp_dir.name, "out.txt").read_text() == "GIVEN"
executor.restart()
assert run("bash", "cat out.txt") == (0, "GIVEN")
executor.stop()
with DockerCommandLineCodeExecutor(image="python:3.12-slim", timeout=1, work_dir=temp_dir.name) as executor:
    assert run("python", "import time; time.sleep(1000)") == (124, "\\nTimeout")
"""

AG2 = """
import asyncio
from pathlib import PurePosixPath
from ag2.extensions.docker import DockerEnvironment

async def main() -> None:
    async with DockerEnvironment() as environment, environment.open() as sandbox:
        async def run(*argv, **given):
            said = await sandbox.exec([*argv], **given)
            return said.exit_code, said.output

        assert await run("python", "-c", "print('Hello, World!')") == (0, "Hello, World!")
        code, said = await run("python", "-c", FAILS)
        assert (code, sorted(said.split())) == (3, ["out", "why"]), said
        await sandbox.put_file(PurePosixPath("in.txt"), b"given")
        assert await run("sh", "-c", "pwd; cat in.txt; echo $K", env={"K": "v"}) == (0, "/workspace\\ngivenv")
        assert await run("sleep", "1000", timeout=1) == (124, "Execution timed out after 1s")
        assert await run("ls") == (0, "")

asyncio.run(main())
"""

LLM_SANDBOX = """
from pathlib import Path
from llm_sandbox import SandboxSession
from llm_sandbox.exceptions import SandboxTimeoutError

settings = dict(image="python:3.11-slim", skip_environment_setup=True)

with SandboxSession(lang="python", **settings) as session:
    result = session.run(\"\"\"
print("Hello from LLM Sandbox!")
print("I'm running in a secure container.")
    \"\"\")
    assert (result.exit_code, result.stdout) == (0, "Hello from LLM Sandbox!\\nI'm running in a secure container.\\n"), result
    result = session.run(FAILS)
    assert (result.exit_code, result.stdout, result.stderr) == (3, "out\\n", "why\\n"), result
    assert "ZeroDivisionError" in session.run("1 / 0").stderr
    Path("in.txt").write_text("given")
    session.copy_to_runtime("in.txt", "/sandbox/in.txt")
    result = session.run("open('/sandbox/out.txt', 'w').write(open('/sandbox/in.txt').read().upper())")
    assert result.exit_code == 0, result
    session.copy_from_runtime("/sandbox/out.txt", "out.txt")
    assert Path("out.txt").read_text() == "GIVEN"
    assert session.execute_command("cat /sandbox/out.txt").stdout == "GIVEN"
with SandboxSession(lang="python", **settings) as session:
    try:
        session.run("import time; time.sleep(1000)", timeout=2)
        raise AssertionError("it has ended")
    except SandboxTimeoutError:
        pass
"""

TESTCONTAINERS = """
import os
import urllib.request
from pathlib import Path
from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs

with DockerContainer("python:3.11-slim").with_command(["echo", "Hello from Docker!"]) as container:
    delay = wait_for_logs(container, "Hello from Docker!")
    assert container.get_logs() == (b"Hello from Docker!\\n", b"")
    assert container.wait() == 0

Path("served").mkdir()
Path("served/index.html").write_text("a page")
server = DockerContainer("python:3.11-slim").with_command("python -u -m http.server -d /served 8000").with_exposed_ports(8000)
server.with_env("K", "v").with_volume_mapping(os.path.abspath("served"), "/served").with_tmpfs_mount("/scratch")
with server as container:
    wait_for_logs(container, "Serving HTTP")
    address = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8000)}/index.html"
    assert urllib.request.urlopen(address).read() == b"a page"
    assert tuple(container.exec(["sh", "-c", "echo $K; exit 4"])) == (4, b"v\\n")
    assert tuple(container.exec(["python", "-c", "import sys; print('why', file=sys.stderr)"])) == (0, b"why\\n")
    container.copy_into_container(b"given", "/tmp/in.txt")
    container.exec(["sh", "-c", "tr a-z A-Z </tmp/in.txt >/scratch/out.txt; cp /scratch/out.txt /tmp/out.txt"])
    container.copy_from_container("/tmp/out.txt", Path("out.txt"))
    assert Path("out.txt").read_text() == "GIVEN"
"""

COPIED_FIRST = """
from testcontainers.core.container import DockerContainer

with DockerContainer("python:3.11-slim").with_command(["cat", "/tmp/in.txt"]).with_copy_into_container(b"given", "/tmp/in.txt") as container:
    assert container.wait() == 0
    assert container.get_logs() == (b"given", b"")
"""

RYUK = """
from testcontainers.core.container import DockerContainer
try:
    DockerContainer("python:3.11-slim").start()
    raise AssertionError("it has started")
except Exception as error:
    assert "socket is not shown" in str(error) and "TESTCONTAINERS_RYUK_DISABLED=true" in str(error), error
"""

SMOLAGENTS = """
import io, socket
import docker, requests
from smolagents import ChatMessage, CodeAgent, MessageRole, Model
from smolagents.remote_executors import DockerExecutor

class Scripted(Model):
    def __init__(self, *codes):
        super().__init__(model_id="scripted")
        self.codes, self.seen = list(codes), []

    def generate(self, messages, **given):
        self.seen.append(str(messages[-1].content))
        return ChatMessage(role=MessageRole.ASSISTANT, content="Thought: now.\\n<code>\\n" + self.codes.pop(0) + "\\n</code>")

# It gives up after ten seconds: too few beside others.
given = DockerExecutor._wait_for_server
def patient(self, token):
    for _ in range(10):
        given(self, token)
        try:
            return requests.get(f"{self.base_url}/api/kernelspecs?token={token}", timeout=10)
        except requests.RequestException:
            pass
DockerExecutor._wait_for_server = patient

if not BUILDS:
    dockerfile = b'FROM python:3.12-bullseye\\nEXPOSE 8888\\nCMD ["jupyter", "kernelgateway", "--KernelGatewayApp.ip=0.0.0.0", "--KernelGatewayApp.port=8888"]\\n'
    docker.from_env().images.build(fileobj=io.BytesIO(dockerfile), tag="jupyter-kernel")
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    settings = {"port": free.getsockname()[1]} | ({} if BUILDS else {"build_new_image": False})
FIBONACCI = "a, b = 0, 1\\nfor _ in range(100):\\n    a, b = b, a + b\\nprint(a)"
model = Scripted("raise ValueError('why')", FIBONACCI, "final_answer(a)")
with CodeAgent(model=model, tools=[], executor_type="docker", executor_kwargs=settings) as agent:
    assert agent.run("Can you give me the 100th Fibonacci number?") == 354224848179261915075
    assert "ValueError" in model.seen[1] and "why" in model.seen[1], model.seen[1]
    assert "354224848179261915075" in model.seen[2], model.seen[2]
"""

SWE_REX = """
import asyncio
from pathlib import Path
from swerex.deployment.docker import DockerDeployment
from swerex.exceptions import CommandTimeoutError
from swerex.runtime.abstract import BashAction, Command, CreateBashSessionRequest, ReadFileRequest, UploadRequest, WriteFileRequest

async def main() -> None:
    deployment = DockerDeployment(image="python:3.12")
    await deployment.start()
    runtime = deployment.runtime
    await runtime.create_session(CreateBashSessionRequest())

    async def run(command, **given):
        said = await runtime.run_in_session(BashAction(command=command, **given))
        return said.exit_code, said.output.strip()

    assert await run("echo 'hello'") == (0, "hello")
    assert await run("cd /tmp; (exit 5)", check="silent") == (5, "")
    assert await run("pwd") == (0, "/tmp")
    said = await runtime.execute(Command(command=["python", "-c", FAILS]))
    assert (said.exit_code, said.stdout, said.stderr) == (3, "out\\n", "why\\n"), said
    await runtime.write_file(WriteFileRequest(path="/tmp/in.txt", content="given"))
    Path("up.txt").write_text("sent")
    await runtime.upload(UploadRequest(source_path="up.txt", target_path="/tmp/up.txt"))
    assert await run("cat in.txt up.txt | tr a-z A-Z | tee out.txt") == (0, "GIVENSENT")
    assert (await runtime.read_file(ReadFileRequest(path="/tmp/out.txt"))).content == "GIVENSENT"
    try:
        await run("sleep 1000", timeout=1)
        raise AssertionError("it has ended")
    except CommandTimeoutError:
        pass
    await deployment.stop()

asyncio.run(main())
"""


class FrameworkCase(EngineCase):
    """Scripts of their users, in the environment that has them, on an Engine whose images are those that they name."""

    needed: ClassVar[tuple[Path, ...]] = (FRAMEWORKS,)
    names: ClassVar[tuple[str, ...]] = ("python:3-slim", "python:3.12-slim")
    packages: ClassVar[bool] = False
    store: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where they are not installed; make the images."""
        for place in cls.needed:
            if not place.exists():
                raise unittest.SkipTest(f"cannot: {place.name} is missing (make check-clients)")
        super().setUpClass()
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.store = make_framework_store(folder, 0 if IS_ROOT else os.geteuid(), *cls.names)
        if cls.packages:
            give_packages(cls.store, IN_IMAGE)

    def setUp(self) -> None:
        """Have an Engine that has the image."""
        self.given = {"GLOVEBOX_IMAGES": str(self.store)}
        super().setUp()

    def perform(self, script: str, environment: Path = FRAMEWORKS, **variables: str) -> None:
        """Run a script to its end; no container stays."""
        env = {"DOCKER_HOST": self.engine.host, "PATH": f"{DOCKER.parent}:{os.environ['PATH']}", "HOME": str(self.folder)} | variables
        words = [str(environment / "bin/python"), str(self.file("script.py", f"FAILS = {FAILS!r}\n{script}"))]
        done = subprocess.run(words, env=env, cwd=self.folder, capture_output=True, text=True, timeout=5 * DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        self.assertTrue(wait_until(lambda: not self.engine.get("/containers/json", all="1").json), "a container stays")


class Frameworks(FrameworkCase):
    """They need nothing in the image but Python and a shell."""

    def test_autogen(self) -> None:
        """DockerCommandLineCodeExecutor: restarted and cancelled, too."""
        self.perform(AUTOGEN)

    def test_ag2(self) -> None:
        """DockerEnvironment."""
        self.perform(AG2)

    def test_llm_sandbox(self) -> None:
        """SandboxSession, with the setting that docs/engine.md names."""
        self.perform(LLM_SANDBOX)

    def test_testcontainers(self) -> None:
        """DockerContainer, without Ryuk; where this machine is a container of another runtime, without its guess about networks."""
        self.perform(TESTCONTAINERS, TESTCONTAINERS_RYUK_DISABLED="true", TESTCONTAINERS_CONNECTION_MODE="docker_host")

    def test_testcontainers_copies_before_the_start(self) -> None:
        """A file is there when the program begins."""
        self.perform(COPIED_FIRST, TESTCONTAINERS_RYUK_DISABLED="true")

    def test_ryuk_is_refused(self) -> None:
        """The message names the setting that does without it."""
        self.perform(RYUK, RYUK_CONTAINER_IMAGE="python:3-slim")


class OldAutogen(FrameworkCase):
    """The executor of AutoGen 0.2."""

    needed = (AUTOGEN_02,)

    def test_ag2_before_1(self) -> None:
        """DockerCommandLineCodeExecutor."""
        self.perform(AG2_OLD, AUTOGEN_02)


class InImage(FrameworkCase):
    """They speak with a program of theirs in the container, by a published port."""

    needed = (FRAMEWORKS, IN_IMAGE)
    names = ("python:3.12", "python:3.12-bullseye")
    packages = True

    def test_smolagents(self) -> None:
        """An agent with an image that is there."""
        self.perform("BUILDS = False" + SMOLAGENTS)

    def test_smolagents_builds_its_image(self) -> None:
        """Its own Dockerfile, whose base has what it installs: a RUN has no network."""
        self.perform("BUILDS = True" + SMOLAGENTS)

    def test_swe_rex(self) -> None:
        """Docker's command starts it."""
        if not os.access(DOCKER, os.X_OK):
            self.skipTest("cannot: Docker's command is missing (make check-clients)")
        self.perform(SWE_REX)
